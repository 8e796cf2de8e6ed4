#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# invoke-rc.d(8) for a machine with svcd as init. Beside another init it executes Debian's own.
#
# svcd's policy replaces the links of runlevels: a service that policy does not want here and now is
# not started (101, which is 0 without --disclose-deny). Then the admin's own policy-rc.d is called,
# which may forbid more. In a package's script a restart only affects running services, and services
# that an upgrade has stopped.

door=invoke-rc.d
# shellcheck source=lsb-compat/doors/functions
. /usr/lib/svcd/sysv/functions

is_forced=
is_query=
tries_anyway=
discloses=
without_fallback=

usage() {
	cat <<END
Usage: invoke-rc.d [OPTION...] NAME ACTION [ARGUMENT...]

  --quiet          no messages of its own
  --force          ignore policy-rc.d and runlevels; a service whose policy is never stays down
  --try-anyway     go on after an error of policy-rc.d
  --disclose-deny  exit with 101 instead of 0 if policy denies the action
  --query          only return the answer: 100 to 106
  --no-fallback    ignore other actions that policy-rc.d proposes
  --skip-systemd-native   accepted and ignored
END
}

syntax_error() {
	say "syntax error: $*"
	exit 103
}

take_option() {
	case $1 in
	--help) usage; exit 0 ;;
	--quiet) is_quiet=--quiet ;;
	--force) is_forced=yes tries_anyway=yes ;;
	--try-anyway) tries_anyway=yes ;;
	--disclose-deny) discloses=yes ;;
	--query) is_query=yes discloses=yes without_fallback=yes ;;
	--no-fallback) without_fallback=yes ;;
	--skip-systemd-native) ;; # no other program starts it here
	*) syntax_error "unknown option \"$1\"" ;;
	esac
}

# --- permission ---

# A restart by a package's script is for a service that runs or is wanted, or that this upgrade has
# stopped. Any other stopped service stays off.
restart_is_due() { runs || [ "$wanted" = yes ] || [ -e "$upgrades/$name" ]; }

# The decision of svcd's policy. Returns: 104: allowed; 101: denied, with $why. For a forced request
# the decision does not count: svcd itself refuses the request if the policy is never.
judge() {
	case $actions in
	start) ;;
	restart)
		why="it is not running"
		! is_maintainer_script || restart_is_due || return 101
		;;
	try-restart)
		why="it is not running"
		runs || return 101
		;;
	*) return 104 ;;
	esac
	may_start && return 104
	[ -n "$is_query$is_forced" ] || record_refusal
	return 101
}

# consult: calls policy-rc.d for requests that svcd allows. Sets $code, and $actions if it proposes
# others.
consult() {
	# shellcheck disable=SC2086 # an option or nothing
	fallback=$("$helper" $is_quiet "$name" "$actions" "$runlevel")
	code=$?
	case $code in
	0 | 104) code=104 ;;
	101)
		why="policy-rc.d denied it"
		[ -z "$is_forced" ] || code=104
		;;
	1 | 105)
		code=105
		[ -n "$is_query" ] || { say "policy-rc.d does not know \"$actions\", which is taken as allowed"; code=104; }
		;;
	106) propose ;;
	100 | 102 | 103) ;;
	*)
		say "policy-rc.d ended with status $code, which is invalid and counts as 102 (error)"
		code=102
		;;
	esac
}

propose() {
	[ -z "$is_query" ] || return
	if [ -n "$is_forced" ]; then
		code=104
	elif [ -n "$without_fallback" ]; then
		why="policy-rc.d proposes \"$fallback\" instead"
		code=101
	elif [ -z "$fallback" ]; then
		say "policy-rc.d ended with status 106, but proposes no action; this counts as 102 (error)"
		code=102
	else
		say "policy-rc.d proposes \"$fallback\" instead of \"$actions\""
		actions=$fallback
		code=104
	fi
}

deny() {
	case $actions in
	status)
		[ -z "$discloses" ] || exit 101
		say "$name: its status is unknown: $why"
		exit 4
		;;
	esac
	say "$name: $actions skipped: $why"
	[ -z "$discloses" ] || exit 101
	exit 0
}

# --- actions ---

# tell_hook VERB: calls dpkg-hook for the package of the running script, while packages are changed
tell_hook() { [ ! -e "$held_programs" ] || "$library/sysv/dpkg-hook" "$1" "$package"; }

# A package's script stops the service for an upgrade, and starts it again later. Or it stops the
# service because the package is removed. Then the service stays down.
stop_of_package() {
	want=$(dpkg-query --show --showformat='${db:Status-Want}' "$package" 2>/dev/null)
	case $want in
	install) ! runs || { mkdir -p "$upgrades" && echo "$admin" >"$upgrades/$name"; } ;;
	deinstall | purge) tell_hook remove ;;
	esac
	carry_out stop
}

# The group may have new members, such as a cluster that the package's script has made. svcd knows
# them after it has read the files again, and wants them if it wants the group. A member that does
# not start is not a failure of the group or the package.
start_members() {
	read_files
	tell_hook start # the programs of the members
	find_service "$word"
	is_up || return 0
	group=$name
	for name in $("$svcctl" cat "$name" | sed -nE 's/^Wants=([^#]*).*/\1/p'); do
		ask start >/dev/null && "$svcctl" --quiet clear "$name"
	done
	name=$group
}

# Afterwards the service runs for the same reason as before: policy, the need of another service, or
# an admin's start. svcd records this start as an admin's request, so for the other reasons the
# request is cleared.
start_of_package() {
	wanted_before=
	[ ! -e "$upgrades/$name" ] || wanted_before=$(cat "$upgrades/$name")
	rm -f "$upgrades/$name"
	[ "$type" != group ] || start_members
	! is_up || return 0
	ask start || return
	if [ "$wanted_before" = start ] || [ "$admin" = start ]; then
		return 0
	fi
	if [ -n "$wanted_before" ] || [ "$wanted" = yes ] || { [ "$activation" = boot ] && [ "$in_runlevel" = yes ]; }; then
		"$svcctl" --quiet clear "$name"
	fi
}

perform() {
	if ! is_maintainer_script; then
		carry_out "$@"
		return
	fi
	package=$DPKG_MAINTSCRIPT_PACKAGE${DPKG_MAINTSCRIPT_ARCH:+:$DPKG_MAINTSCRIPT_ARCH}
	# dpkg's names of packages have no architecture qualifier "all".
	package=${package%:all}
	case $1 in
	start | restart) tell_hook start ;;
	esac
	case $1 in
	stop | force-stop) stop_of_package ;;
	start) start_of_package ;;
	restart)
		if [ -e "$upgrades/$name" ]; then
			start_of_package
		else
			carry_out restart
		fi
		;;
	*) carry_out "$@" ;;
	esac
}

# Performs the actions one by one until one succeeds.
perform_until_done() {
	for action in $actions; do
		[ "$action" = "$actions" ] || say "\"$action\" ..."
		perform "$action" "$@" && exit 0
		code=$?
	done
	say "$name: $action failed"
	exit "$code"
}

svcd_is_init || exec_original "$@"

word=
actions=
# The arguments after the action are for the script.
while [ $# -gt 0 ] && [ -z "$actions" ]; do
	case $1 in
	--*) take_option "$1" ;;
	'' | *[[:space:]]*) syntax_error "\"$1\" is neither a name nor an action" ;;
	*) if [ -z "$word" ]; then word=$1; else actions=$1; fi ;;
	esac
	shift
done
[ -n "$actions" ] || syntax_error "a name and an action are needed"

find_service "$word"
case $? in
0) ;;
4)
	# svcd does not run this script, or there is none: Debian's behaviour.
	# shellcheck disable=SC2086 # options or nothing
	! find_original || exec "$original" $is_quiet ${is_forced:+--force} ${is_query:+--query} ${tries_anyway:+--try-anyway} \
		${discloses:+--disclose-deny} ${without_fallback:+--no-fallback} "$word" "$actions" "$@"
	say "unknown service \"$word\""
	exit 100
	;;
*)
	say "svcd does not answer"
	exit 102
	;;
esac

runlevel=$("$svcctl" runlevel)
runlevel=${runlevel#* }

why=
judge
code=$?
[ -z "$is_forced" ] || code=104
# At a shutdown policy-rc.d is not called.
case $runlevel in
0 | 6) helper= ;;
esac
if [ "$code" = 104 ] && has_policy_helper; then
	consult
elif [ "$code" = 104 ] && [ -n "$is_query" ]; then
	case $actions in
	start | restart | try-restart) ;;
	*) code=105 ;;
	esac
fi
[ -z "$is_query" ] || exit "$code"

case $code in
104) perform_until_done "$@" ;;
101) deny ;;
esac
say "policy-rc.d ended with status $code"
[ -z "$is_forced" ] || perform_until_done "$@"
[ -z "$tries_anyway" ] || exit 102
exit "$code"
