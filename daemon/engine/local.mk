# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libengine.a
libengine_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libengine_a_SOURCES =
