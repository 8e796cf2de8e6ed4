# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-worker
svc_worker_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(UDEV_CFLAGS)
svc_worker_SOURCES = \
	tools/svc-worker/verb-cgroups.c \
	tools/svc-worker/verb-datagrams.c \
	tools/svc-worker/verb-devices.c \
	tools/svc-worker/verb-listen.c \
	tools/svc-worker/main.c \
	tools/svc-worker/verb-network.c \
	tools/svc-worker/verb-path.c \
	tools/svc-worker/verb-processes.c \
	tools/svc-worker/verb-run-files.c \
	tools/svc-worker/verbs.c tools/svc-worker/verbs.h \
	tools/svc-worker/worker.h
svc_worker_LDADD = libsysv.a libproviders.a libprocess.a libconfig.a libworker.a libloop.a libmodel.a libsandbox.a $(UDEV_LIBS) $(LIBS_BASE)
