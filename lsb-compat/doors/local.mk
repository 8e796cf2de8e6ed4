# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The commands of SysV's names that Debian's packages call; "take-over" puts them in their places. sysvdir: tools/svc-sysv.

dist_sysv_SCRIPTS = \
	lsb-compat/doors/dpkg-hook \
	lsb-compat/doors/invoke-rc.d \
	lsb-compat/doors/policy-rc.d \
	lsb-compat/doors/service \
	lsb-compat/doors/take-over \
	lsb-compat/doors/update-rc.d
dist_sysv_DATA = lsb-compat/doors/dpkg.cfg lsb-compat/doors/functions

# Where /lib/lsb/init-functions looks, which stands on the same file system as PID 1.
lsbhooksdir = $(rootsbindir:/sbin=/lib)/lsb/init-functions.d
dist_lsbhooks_DATA = lsb-compat/doors/40-svcd

# The files name the directories of a usual installation; under another prefix they follow it.
install-data-hook: install-door-paths
.PHONY: install-door-paths
install-door-paths:
	@test '$(svcdlibdir) $(bindir) $(sysconfdir)' = '/usr/lib/svcd /usr/bin /etc' || \
		for file in $(dist_sysv_SCRIPTS) $(dist_sysv_DATA); do \
			echo "$(DESTDIR)$(sysvdir)/$${file##*/}"; \
		done | xargs $(SED) -i -e 's|/usr/lib/svcd|$(svcdlibdir)|g' -e 's|/usr/bin/svcctl|$(bindir)/svcctl|g' \
			-e 's|/etc/svcd|$(sysconfdir)/svcd|g' '$(DESTDIR)$(lsbhooksdir)/40-svcd'

EXTRA_DIST += lsb-compat/doors/README.md
