#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# update-rc.d(8) for a machine with svcd as init. Beside another init it only executes Debian's own.
# With svcd, too, Debian's update-rc.d makes the links, and svcd then reads them. An admin's enable
# and disable change policy, whether links are in force or not. A package's script only changes
# links.

door=update-rc.d
# shellcheck source=lsb-compat/doors/functions
. /usr/lib/svcd/sysv/functions

# enabled_in: the runlevels in which a link starts $name, separated by blanks.
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

# A service without a script has no links, and enabling it is not an error.
has_links() {
	case $action in
	enable | disable) [ -n "$script" ] || ! find_service "$word" ;;
	esac
}

# New links may start services that were off.
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

# Drops the requests of the removed package's script, so that the next package of that name begins
# anew. The state of a finished task that was never stopped is dropped, too.
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
	find_original || { say "the update-rc.d of Debian, which changes the links, is missing"; exit 1; }
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
	# In policy a script without links counts as a new service, which may be wanted. The admin
	# wants it off.
	if is_maintainer_script; then
		forget
	elif [ "$code" = 0 ] && [ -n "$script" ] && find_service "$word"; then
		"$svcctl" disable "$name" || code=1
	fi
	;;
esac
exit "$code"
