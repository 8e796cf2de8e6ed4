# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libloop.a
libloop_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
libloop_a_SOURCES = daemon/loop/address-watch.c daemon/loop/address-watch.h \
	daemon/loop/bus-address.c daemon/loop/bus-address.h \
	daemon/loop/bus-authentication.c daemon/loop/bus-authentication.h \
	daemon/loop/dbus-stream.c daemon/loop/dbus-stream.h \
	daemon/loop/fd-source.c \
	daemon/loop/inotify.c daemon/loop/inotify.h \
	daemon/loop/loop.c daemon/loop/loop.h \
	daemon/loop/netlink.c daemon/loop/netlink.h \
	daemon/loop/system-bus.c daemon/loop/system-bus.h \
	daemon/loop/timer.c \
	daemon/loop/udev-source.c daemon/loop/udev-source.h \
	daemon/loop/wire.c daemon/loop/wire.h
