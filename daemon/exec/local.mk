# SPDX-License-Identifier: LGPL-2.1-or-later

# Links only libc.
svcdlib_PROGRAMS += svc-exec
svc_exec_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
svc_exec_LDADD = libsandbox.a libtokens.a libpaths.a
svc_exec_SOURCES = \
	daemon/exec/directories.c daemon/exec/directories.h \
	daemon/exec/environment.c daemon/exec/environment.h \
	daemon/exec/identity.c daemon/exec/identity.h \
	daemon/exec/main.c \
	daemon/exec/scheduling.c daemon/exec/scheduling.h \
	daemon/exec/socket-fds.c daemon/exec/socket-fds.h \
	daemon/exec/spec.c daemon/exec/spec.h \
	daemon/exec/terminal.c daemon/exec/terminal.h
