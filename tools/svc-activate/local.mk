# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-activate
svc_activate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_activate_CFLAGS = $(AM_CFLAGS) $(DBUS_CFLAGS)
svc_activate_SOURCES = \
	tools/svc-activate/burst.c tools/svc-activate/burst.h \
	tools/svc-activate/main.c \
	tools/svc-activate/refusal.c tools/svc-activate/refusal.h \
	tools/svc-activate/service.c tools/svc-activate/service.h \
	tools/svc-activate/stand-in.c tools/svc-activate/stand-in.h
svc_activate_LDADD = $(DBUS_LIBS)

# The directory is named in daemon/bus/local.mk.
dist_dbuspolicy_DATA += tools/svc-activate/org.svcd1.activate.conf
