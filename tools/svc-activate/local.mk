# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-activate
svc_activate_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_activate_CFLAGS = $(AM_CFLAGS) $(DBUS_CFLAGS)
svc_activate_SOURCES = \
	tools/svc-activate/rate-limit.c tools/svc-activate/rate-limit.h \
	tools/svc-activate/main.c \
	tools/svc-activate/activation-error.c tools/svc-activate/activation-error.h \
	tools/svc-activate/service-activation.c tools/svc-activate/service-activation.h \
	tools/svc-activate/name-holder.c tools/svc-activate/name-holder.h
svc_activate_LDADD = $(DBUS_LIBS)

# The directory is named in daemon/bus/local.mk.
dist_dbuspolicy_DATA += tools/svc-activate/org.svcd1.activate.conf
