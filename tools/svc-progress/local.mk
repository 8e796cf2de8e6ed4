# SPDX-License-Identifier: LGPL-2.1-or-later

# All files that send no requests, for the tests.
noinst_LIBRARIES += libprogress.a
libprogress_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libprogress_a_SOURCES = \
	tools/svc-progress/plymouth.c tools/svc-progress/plymouth.h \
	tools/svc-progress/message-limit.c tools/svc-progress/message-limit.h \
	tools/svc-progress/view.c tools/svc-progress/view.h \
	tools/svc-progress/messages.c tools/svc-progress/messages.h

svcdlib_PROGRAMS += svc-progress
svc_progress_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_progress_CFLAGS = $(AM_CFLAGS) $(DBUS_CFLAGS)
svc_progress_SOURCES = \
	tools/svc-progress/view-client.c tools/svc-progress/view-client.h \
	tools/svc-progress/main.c \
	tools/svc-progress/console-terminal.c tools/svc-progress/console-terminal.h
svc_progress_LDADD = libprogress.a $(DBUS_LIBS)
