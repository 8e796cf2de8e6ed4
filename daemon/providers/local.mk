# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libproviders.a
libproviders_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libproviders_a_SOURCES =
