# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libworker.a
libworker_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libworker_a_SOURCES = \
	daemon/worker/message.c daemon/worker/message.h \
	daemon/worker/pool.c daemon/worker/pool.h
