# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-sysv
svc_sysv_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_sysv_CFLAGS = $(AM_CFLAGS)
svc_sysv_SOURCES = \
	tools/svc-sysv/allowed.c tools/svc-sysv/allowed.h \
	tools/svc-sysv/init-request.c tools/svc-sysv/init-request.h \
	tools/svc-sysv/halt.c \
	tools/svc-sysv/main.c \
	tools/svc-sysv/runlevel.c \
	tools/svc-sysv/schedule.c tools/svc-sysv/schedule.h \
	tools/svc-sysv/shutdown-command.c \
	tools/svc-sysv/svc-sysv.h \
	tools/svc-sysv/telinit.c

# The names of the program. The package svcd-init links them into /sbin.
SYSV_NAMES = halt poweroff reboot runlevel shutdown telinit
sysvdir = $(svcdlibdir)/sysv

install-exec-hook: install-sysv-names
install-sysv-names:
	$(MKDIR_P) $(DESTDIR)$(sysvdir)
	for name in $(SYSV_NAMES); do ln -sf ../svc-sysv $(DESTDIR)$(sysvdir)/$$name || exit 1; done

uninstall-local: uninstall-sysv-names
uninstall-sysv-names:
	for name in $(SYSV_NAMES); do rm -f $(DESTDIR)$(sysvdir)/$$name; done
.PHONY: install-sysv-names uninstall-sysv-names
