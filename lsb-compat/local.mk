# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += liblsb.a
liblsb_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
liblsb_a_SOURCES = \
	lsb-compat/script-actions.c lsb-compat/script-actions.h \
	lsb-compat/edges.c lsb-compat/edges.h \
	lsb-compat/facilities.c lsb-compat/facilities.h \
	lsb-compat/header.c lsb-compat/header.h \
	lsb-compat/levels.c lsb-compat/levels.h \
	lsb-compat/lsb.c lsb-compat/lsb.h lsb-compat/natives.h \
	lsb-compat/script-names.c lsb-compat/script-names.h \
	lsb-compat/nodes.c lsb-compat/nodes.h \
	lsb-compat/order.c lsb-compat/order.h \
	lsb-compat/own-jobs.c lsb-compat/own-jobs.h \
	lsb-compat/rc-links.c lsb-compat/rc-links.h \
	lsb-compat/scripts.c lsb-compat/scripts.h \
	lsb-compat/statements.c lsb-compat/statements.h \
	lsb-compat/translate.c lsb-compat/translate.h \
	lsb-compat/tree.c lsb-compat/tree.h \
	lsb-compat/lsb-tokens.c lsb-compat/lsb-tokens.h

LIBS_LSB = liblsb.a $(LIBS_MODEL)

EXTRA_DIST += lsb-compat/README.md

include lsb-compat/doors/local.mk
