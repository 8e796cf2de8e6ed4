# SPDX-License-Identifier: LGPL-2.1-or-later

# Changes to the admin's files; for svcctl and its tests.
noinst_LIBRARIES += libpolicyedit.a
libpolicyedit_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libpolicyedit_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libpolicyedit_a_SOURCES = \
	tools/policy-edit/change.c tools/policy-edit/change.h \
	tools/policy-edit/atomic-file.c tools/policy-edit/atomic-file.h \
	tools/policy-edit/history.c \
	tools/policy-edit/import-sysv.c \
	tools/policy-edit/ini-edit.c tools/policy-edit/ini-edit.h \
	tools/policy-edit/last-good-copies.c \
	tools/policy-edit/policy-edit.h \
	tools/policy-edit/preview.c

EXTRA_DIST += tools/policy-edit/README.md

LIBS_POLICY_EDIT = libpolicyedit.a $(LIBS_CONFIG)
