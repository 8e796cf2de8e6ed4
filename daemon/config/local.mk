# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libconfig.a
libconfig_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libconfig_a_SOURCES =
