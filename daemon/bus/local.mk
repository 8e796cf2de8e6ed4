# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libbus.a
libbus_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libbus_a_SOURCES =
