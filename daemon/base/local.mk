# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libbase.a
libbase_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libbase_a_SOURCES = \
	daemon/base/arena.c daemon/base/arena.h \
	daemon/base/calendar.c daemon/base/calendar.h \
	daemon/base/channel.c daemon/base/channel.h \
	daemon/base/diag.c daemon/base/diag.h \
	daemon/base/enum-names.h \
	daemon/base/errors.c daemon/base/errors.h \
	daemon/base/fd.c daemon/base/fd.h \
	daemon/base/limits.h \
	daemon/base/list.c daemon/base/list.h \
	daemon/base/log.c daemon/base/log.h \
	daemon/base/text.c daemon/base/text.h \
	daemon/base/time-zone.c daemon/base/time-zone.h
