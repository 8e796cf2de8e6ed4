# SPDX-License-Identifier: LGPL-2.1-or-later

# Converts systemd units to service files; for svcctl and its tests.
noinst_LIBRARIES += libimportunit.a
libimportunit_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libimportunit_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libimportunit_a_SOURCES = \
	tools/import-unit/command.c tools/import-unit/command.h \
	tools/import-unit/draft.c tools/import-unit/draft.h \
	tools/import-unit/import-result.h \
	tools/import-unit/import-unit.c tools/import-unit/import-unit.h \
	tools/import-unit/keys-execution.c \
	tools/import-unit/keys-service.c \
	tools/import-unit/keys-unit.c \
	tools/import-unit/unit-names.c tools/import-unit/unit-names.h \
	tools/import-unit/specifiers.c tools/import-unit/specifiers.h \
	tools/import-unit/unit-file.c tools/import-unit/unit-file.h

EXTRA_DIST += tools/import-unit/README.md
