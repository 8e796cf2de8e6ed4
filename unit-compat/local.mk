# SPDX-License-Identifier: LGPL-2.1-or-later

# systemd units as services: for svc-generate and svcctl.
noinst_LIBRARIES += libunit.a
libunit_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libunit_a_SOURCES = \
	unit-compat/command.c unit-compat/command.h \
	unit-compat/draft.c unit-compat/draft.h \
	unit-compat/import-result.h \
	unit-compat/import-unit.c unit-compat/import-unit.h \
	unit-compat/keys-execution.c \
	unit-compat/keys-service.c \
	unit-compat/keys-unit.c \
	unit-compat/own-units.c unit-compat/own-units.h \
	unit-compat/specifiers.c unit-compat/specifiers.h \
	unit-compat/unit.c unit-compat/unit-private.h \
	unit-compat/unit-file.c unit-compat/unit-file.h \
	unit-compat/unit-names.c unit-compat/unit-names.h \
	unit-compat/unit-policy.c unit-compat/unit-policy.h \
	unit-compat/unit-tree.c unit-compat/unit-tree.h \
	unit-compat/units.c unit-compat/units.h \
	unit-compat/weights.c unit-compat/weights.h

LIBS_UNIT = libunit.a $(LIBS_LSB)

EXTRA_DIST += unit-compat/README.md
