# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The commands with SysV's names that Debian's packages call. "take-over" installs them in place of
# the originals. sysvdir: tools/svc-sysv.

dist_sysv_SCRIPTS = \
	lsb-compat/doors/dpkg-hook \
	lsb-compat/doors/invoke-rc.d \
	lsb-compat/doors/policy-rc.d \
	lsb-compat/doors/service \
	lsb-compat/doors/take-over \
	lsb-compat/doors/update-rc.d
dist_sysv_DATA = lsb-compat/doors/dpkg.cfg lsb-compat/doors/functions

# The directory that /lib/lsb/init-functions reads, on the same file system as PID 1.
lsbhooksdir = $(rootsbindir:/sbin=/lib)/lsb/init-functions.d
dist_lsbhooks_DATA = lsb-compat/doors/40-svcd

# The files contain the usual directories; another prefix replaces them.
install-data-hook: install-door-paths
.PHONY: install-door-paths
install-door-paths:
	@test '$(svcdlibdir) $(bindir) $(sysconfdir)' = '/usr/lib/svcd /usr/bin /etc' || \
		for file in $(dist_sysv_SCRIPTS) $(dist_sysv_DATA); do \
			echo "$(DESTDIR)$(sysvdir)/$${file##*/}"; \
		done | xargs $(SED) -i -e 's|/usr/lib/svcd|$(svcdlibdir)|g' -e 's|/usr/bin/svcctl|$(bindir)/svcctl|g' \
			-e 's|/etc/svcd|$(sysconfdir)/svcd|g' '$(DESTDIR)$(lsbhooksdir)/40-svcd'

EXTRA_DIST += lsb-compat/doors/README.md
