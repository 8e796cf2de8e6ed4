# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libboot.a
libboot_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libboot_a_SOURCES = \
	daemon/boot/boot.c daemon/boot/boot.h daemon/boot/boot-private.h \
	daemon/boot/boot-record.c daemon/boot/boot-record.h \
	daemon/boot/durations.c daemon/boot/durations.h \
	daemon/boot/progress.c daemon/boot/progress.h
