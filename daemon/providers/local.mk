# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libproviders.a
libproviders_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
libproviders_a_SOURCES = \
	daemon/providers/bus-owner.c daemon/providers/bus-owner.h \
	daemon/providers/bus-property.c daemon/providers/bus-property.h \
	daemon/providers/bus-question.c daemon/providers/bus-question.h \
	daemon/providers/bus-value.c daemon/providers/bus-value.h \
	daemon/providers/dbus-name.c daemon/providers/dbus-name.h \
	daemon/providers/dbus-property.c daemon/providers/dbus-property.h \
	daemon/providers/flag.c daemon/providers/flag.h \
	daemon/providers/flag-owner.c daemon/providers/flag-owner.h \
	daemon/providers/installed.c daemon/providers/installed.h \
	daemon/providers/kernel.c daemon/providers/kernel.h \
	daemon/providers/mount.c daemon/providers/mount.h \
	daemon/providers/network.c daemon/providers/network.h \
	daemon/providers/network-merge.c daemon/providers/network-merge.h \
	daemon/providers/network-nm.c daemon/providers/network-nm.h \
	daemon/providers/network-rtnl.c daemon/providers/network-rtnl.h \
	daemon/providers/path.c daemon/providers/path.h \
	daemon/providers/path-look.c daemon/providers/path-look.h \
	daemon/providers/path-test.c daemon/providers/path-test.h \
	daemon/providers/path-walker.c daemon/providers/path-walker.h \
	daemon/providers/program-file.c daemon/providers/program-file.h \
	daemon/providers/provider.h \
	daemon/providers/registry.c daemon/providers/registry.h \
	daemon/providers/schedule.c daemon/providers/schedule.h \
	daemon/providers/udev.c daemon/providers/udev.h \
	daemon/providers/udev-daemon.c daemon/providers/udev-daemon.h \
	daemon/providers/udev-reader.c daemon/providers/udev-reader.h \
	daemon/providers/udev-recheck.c daemon/providers/udev-recheck.h \
	daemon/providers/udev-record.c daemon/providers/udev-record.h \
	daemon/providers/udev-table.c daemon/providers/udev-table.h
