# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libprocess.a
libprocess_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libprocess_a_SOURCES = \
	daemon/process/capture.c daemon/process/capture.h \
	daemon/process/cgroup.c daemon/process/cgroup.h \
	daemon/process/cgroup-tree.c daemon/process/cgroup-tree.h \
	daemon/process/exec-spec.c daemon/process/exec-spec.h \
	daemon/process/keeper-link.c daemon/process/keeper-link.h \
	daemon/process/tagged-processes.c daemon/process/tagged-processes.h \
	daemon/process/listening.c daemon/process/listening.h \
	daemon/process/log-router.c daemon/process/log-router.h \
	daemon/process/notify-eater.c daemon/process/notify-eater.h \
	daemon/process/notify-socket.c daemon/process/notify-socket.h \
	daemon/process/outcome.c daemon/process/outcome.h \
	daemon/process/pidfile.c daemon/process/pidfile.h \
	daemon/process/plan.c daemon/process/plan.h \
	daemon/process/privileges.c daemon/process/privileges.h \
	daemon/process/process-stat.c daemon/process/process-stat.h \
	daemon/process/ready-fd.c daemon/process/ready-fd.h \
	daemon/process/resources.c daemon/process/resources.h \
	daemon/process/spawn-request.c daemon/process/spawn-request.h \
	daemon/process/supervise.c daemon/process/supervise.h \
	daemon/process/supervise-private.h \
	daemon/process/supervise-health.c \
	daemon/process/supervise-processes.c \
	daemon/process/supervise-script.c \
	daemon/process/supervise-start.c \
	daemon/process/supervise-steps.c
