#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# update-rc.d(8) for a machine whose init is svcd; beside another init it passes on to the one that Debian ships, and nothing
# else. The links are Debian's work here too; svcd is told that they have changed. What an admin enables or disables is policy,
# whether links count or not; a package's script changes links only.

door=update-rc.d
# shellcheck source=lsb-compat/doors/functions
. /usr/lib/svcd/sysv/functions

# enabled_in: the runlevels in which a link starts $name, with blanks between.
enabled_in() {
	for link in /etc/rc[S2345].d/S[0-9][0-9]"$name" /etc/rc[S2345].d/S[0-9][0-9]"$name.sh"; do
		[ -L "$link" ] || continue
		link=${link#/etc/rc}
		echo "${link%%.d/*}"
	done | sort -u | tr '\n' ' '
}

# set_policy enable|disable [RUNLEVEL...]
set_policy() {
	if [ $# = 1 ]; then
		"$svcctl" "$1" "$name"
		return
	fi
	runlevels=$(enabled_in)
	if [ -n "$runlevels" ]; then
		"$svcctl" set "$name" boot --runlevel "$runlevels"
	else
		"$svcctl" disable "$name"
	fi
}

# A service without a script has none, and no complaint is due when it is enabled.
has_links() {
	case $action in
	enable | disable) [ -n "$script" ] || ! find_service "$word" ;;
	esac
}

# Links that are new may start what was off.
tell_svcd() {
	case $action in
	defaults | enable)
		if ! ask_svcd || { ! runs && [ "$wanted" != yes ]; }; then
			read_files
			return
		fi
		;;
	esac
	"$svcctl" --quiet reload-files
}

# What the removed package's script has asked for is forgotten: the next package of that name begins anew. What had done its
# work, and was never stopped, has nothing left that describes it.
forget() {
	find_service "$word" || return 0
	rm -f "$upgrades/$name"
	if [ -z "$script" ] && ! has_service_file; then
		"$svcctl" --quiet stop --with-dependents --force "$name" || :
	elif ! runs; then
		"$svcctl" --quiet clear "$name"
	fi
}

svcd_is_init || exec_original "$@"

word=
action=
for argument; do
	case $argument in
	-*) continue ;;
	esac
	if [ -z "$word" ]; then
		word=$argument
	elif [ -z "$action" ]; then
		action=$argument
	fi
done

code=0
find_script "${word:-.}"
if has_links; then
	find_original || { say "there is no other update-rc.d"; exit 1; }
	"$original" "$@" || code=$?
fi
tell_svcd

case $action in
enable | disable)
	if ! is_maintainer_script && [ "$code" = 0 ] && find_service "$word"; then
		while [ "$1" != "$action" ]; do
			shift
		done
		set_policy "$@" || code=1
	fi
	;;
remove)
	# A script that stays and has no links is a new service to policy, which may want it; an admin means that nobody does.
	if is_maintainer_script; then
		forget
	elif [ "$code" = 0 ] && [ -n "$script" ] && find_service "$word"; then
		"$svcctl" disable "$name" || code=1
	fi
	;;
esac
exit "$code"
