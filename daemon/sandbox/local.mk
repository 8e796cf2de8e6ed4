# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only, because svc-exec links it. The model links the parts that read and check.
# <seccomp.h> is for its types only: the library is loaded by dlopen(3).
noinst_LIBRARIES += libsandbox.a
libsandbox_a_CFLAGS = $(AM_CFLAGS) $(SECCOMP_CFLAGS)
libsandbox_a_SOURCES = \
	daemon/sandbox/capabilities.c daemon/sandbox/capabilities.h \
	daemon/sandbox/capability-names.c daemon/sandbox/capability-names.h \
	daemon/sandbox/failure.c daemon/sandbox/failure.h \
	daemon/sandbox/mount-plan.c daemon/sandbox/mount-plan.h \
	daemon/sandbox/mounts.c daemon/sandbox/mounts.h \
	daemon/sandbox/namespaces.c daemon/sandbox/namespaces.h \
	daemon/sandbox/private-tmp.c daemon/sandbox/private-tmp.h \
	daemon/sandbox/problem.c daemon/sandbox/problem.h \
	daemon/sandbox/restrictions.c daemon/sandbox/restrictions.h \
	daemon/sandbox/sandbox.c daemon/sandbox/sandbox.h \
	daemon/sandbox/seccomp-library.c daemon/sandbox/seccomp-library.h \
	daemon/sandbox/syscall-filter.c daemon/sandbox/syscall-filter.h \
	daemon/sandbox/syscall-groups.c daemon/sandbox/syscall-groups.h \
	daemon/sandbox/syscalls-late.c daemon/sandbox/syscalls-late.h \
	daemon/sandbox/syscalls.c daemon/sandbox/syscalls.h
