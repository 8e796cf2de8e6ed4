# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-session
svc_session_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
svc_session_CFLAGS = $(AM_CFLAGS)
svc_session_SOURCES = \
	tools/svc-session/cgroup.c tools/svc-session/cgroup.h \
	tools/svc-session/main.c \
	tools/svc-session/processes.c tools/svc-session/processes.h \
	tools/svc-session/user-manager.c tools/svc-session/user-manager.h \
	tools/svc-session/user-namespace.c tools/svc-session/user-namespace.h
svc_session_LDADD = $(PAM_LIBS)
