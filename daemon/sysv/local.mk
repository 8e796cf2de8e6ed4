# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libsysv.a
libsysv_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libsysv_a_SOURCES = daemon/sysv/initctl.c daemon/sysv/initctl.h \
	daemon/sysv/initctl-request.c daemon/sysv/initctl-request.h
