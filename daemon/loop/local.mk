# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libloop.a
libloop_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS) $(UDEV_CFLAGS)
libloop_a_SOURCES = daemon/loop/inotify.c daemon/loop/inotify.h \
	daemon/loop/loop.c daemon/loop/loop.h \
	daemon/loop/system-bus.h
