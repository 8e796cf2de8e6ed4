# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-save
svc_save_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
svc_save_SOURCES = tools/svc-save/svc-save.c
svc_save_LDADD = $(LIBS_BASE)
