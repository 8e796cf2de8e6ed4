# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-utmp
svc_utmp_CFLAGS = $(AM_CFLAGS)
svc_utmp_SOURCES = tools/svc-utmp/svc-utmp.c
