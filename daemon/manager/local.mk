# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svcd-manager
svcd_manager_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
svcd_manager_SOURCES = \
	daemon/manager/actions.c \
	daemon/manager/boot-file.c \
	daemon/manager/policy-helper.c \
	daemon/manager/checks.c \
	daemon/manager/files.c \
	daemon/manager/helper.c \
	daemon/manager/boot-history.c \
	daemon/manager/last-success.c \
	daemon/manager/main.c \
	daemon/manager/manager.h \
	daemon/manager/notes.c \
	daemon/manager/logs.c \
	daemon/manager/lost-files.c \
	daemon/manager/operators.c \
	daemon/manager/user-session.c \
	daemon/manager/power.c \
	daemon/manager/console-mute.c \
	daemon/manager/records.c \
	daemon/manager/recovery.c \
	daemon/manager/requests.c \
	daemon/manager/sockets.c \
	daemon/manager/sysv.c \
	daemon/manager/watches.c \
	daemon/manager/wiring.c \
	daemon/manager/workers.c
svcd_manager_LDADD = libsysv.a libbus.a libprocess.a libproviders.a libworker.a libloop.a libconfig.a libboot.a libengine.a libmodel.a libsandbox.a libbase.a libtokens.a libpaths.a \
	$(DBUS_LIBS) $(UDEV_LIBS) $(GLIB_LIBS)
