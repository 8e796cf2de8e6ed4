# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libprocess.a
libprocess_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libprocess_a_SOURCES =
