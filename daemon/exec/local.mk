# SPDX-License-Identifier: LGPL-2.1-or-later

# <seccomp.h> is for its types only: the library is loaded by dlopen(3), and libc is all that is linked.
svcdlib_PROGRAMS += svc-exec
svc_exec_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
svc_exec_LDADD = libpaths.a
svc_exec_SOURCES = \
	daemon/exec/capabilities.c daemon/exec/capabilities.h \
	daemon/exec/directories.c daemon/exec/directories.h \
	daemon/exec/environment.c daemon/exec/environment.h \
	daemon/exec/failure.c daemon/exec/failure.h \
	daemon/exec/identity.c daemon/exec/identity.h \
	daemon/exec/main.c \
	daemon/exec/mount-plan.c daemon/exec/mount-plan.h \
	daemon/exec/mounts.c daemon/exec/mounts.h \
	daemon/exec/namespaces.c daemon/exec/namespaces.h \
	daemon/exec/private-tmp.c daemon/exec/private-tmp.h \
	daemon/exec/remove.c daemon/exec/remove.h \
	daemon/exec/restrictions.c daemon/exec/restrictions.h \
	daemon/exec/scheduling.c daemon/exec/scheduling.h \
	daemon/exec/seccomp-library.c daemon/exec/seccomp-library.h \
	daemon/exec/sockets.c daemon/exec/sockets.h \
	daemon/exec/spec.c daemon/exec/spec.h \
	daemon/exec/syscalls-late.c daemon/exec/syscalls-late.h \
	daemon/exec/syscalls.c daemon/exec/syscalls.h \
	daemon/exec/terminal.c daemon/exec/terminal.h
