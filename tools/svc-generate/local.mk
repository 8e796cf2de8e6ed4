# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libgenerate.a
libgenerate_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libgenerate_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libgenerate_a_SOURCES = \
	tools/svc-generate/bus-activation.c tools/svc-generate/bus-activation.h \
	tools/svc-generate/consoles.c tools/svc-generate/consoles.h \
	tools/svc-generate/display-manager.c tools/svc-generate/display-manager.h \
	tools/svc-generate/fstab.c tools/svc-generate/fstab.h \
	tools/svc-generate/output.c tools/svc-generate/output.h \
	tools/svc-generate/volumes.c tools/svc-generate/volumes.h

svcdlib_PROGRAMS += svc-generate
svc_generate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_generate_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
svc_generate_SOURCES = tools/svc-generate/main.c
svc_generate_LDADD = libgenerate.a $(LIBS_CONFIG)
