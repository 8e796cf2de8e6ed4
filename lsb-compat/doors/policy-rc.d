#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A policy-rc.d that answers from svcd's policy, for Debian's invoke-rc.d, deb-systemd-invoke and
# other callers. It is an alternative of /usr/sbin/policy-rc.d. svcd's own invoke-rc.d does not need
# it.
#
#   policy-rc.d [--quiet] NAME "ACTION..." [RUNLEVEL]
#   policy-rc.d [--quiet] --list NAME [RUNLEVEL...]
#
# 104: allowed. 101: forbidden, as everything is in a chroot. 102: svcd does not answer. 103: wrong
# usage. Beside another init everything is allowed.

door=policy-rc.d
# shellcheck source=lsb-compat/doors/functions
. /usr/lib/svcd/sysv/functions

judge() {
	for action in $1; do
		case $action in
		start | restart | try-restart | '(start)' | '(restart)' | '(try-restart)') ;;
		*) continue ;;
		esac
		may_start && continue
		record_refusal
		say "$name: $action skipped: $why"
		return 101
	done
	return 104
}

lists=
while [ $# -gt 0 ]; do
	case $1 in
	--quiet) is_quiet=--quiet ;;
	--list) lists=yes ;;
	--*) say "unknown option \"$1\""; exit 103 ;;
	*) break ;;
	esac
	shift
done
word=${1-}
[ -n "$word" ] || exit 103

if ! svcd_is_init; then
	! is_chroot || exit 101
	exit 104
fi
find_service "$word"
case $? in
0) ;;
4) exit 104 ;; # svcd has no policy for a service that it does not know
*)
	say "svcd does not answer"
	exit 102
	;;
esac
if [ -n "$lists" ]; then
	"$svcctl" policy "$name"
	exit 0
fi
judge "${2-}"
