# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-look
svc_look_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
svc_look_SOURCES = tools/svc-look/svc-look.c
svc_look_LDADD = libproviders.a $(LIBS_BASE)
