# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libmodel.a
libmodel_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libmodel_a_SOURCES =
