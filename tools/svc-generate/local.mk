# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libgenerate.a
libgenerate_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libgenerate_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libgenerate_a_SOURCES = \
	tools/svc-generate/bus-activation.c tools/svc-generate/bus-activation.h \
	tools/svc-generate/consoles.c tools/svc-generate/consoles.h \
	tools/svc-generate/crypttab.c tools/svc-generate/crypttab.h \
	tools/svc-generate/fstab.c tools/svc-generate/fstab.h \
	tools/svc-generate/generate.c tools/svc-generate/generate.h \
	tools/svc-generate/generators.c tools/svc-generate/generators.h \
	tools/svc-generate/inittab.c tools/svc-generate/inittab.h \
	tools/svc-generate/generated-files.c tools/svc-generate/generated-files.h \
	tools/svc-generate/local-time.c tools/svc-generate/local-time.h \
	tools/svc-generate/respawns.c tools/svc-generate/respawns.h \
	tools/svc-generate/volumes.c tools/svc-generate/volumes.h

LIBS_GENERATE = libgenerate.a liblsb.a $(LIBS_CONFIG)

svcdlib_PROGRAMS += svc-generate
svc_generate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_generate_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
svc_generate_SOURCES = tools/svc-generate/main.c
svc_generate_LDADD = libpolicyedit.a $(LIBS_GENERATE)
