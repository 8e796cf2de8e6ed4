# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libengine.a
libengine_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libengine_a_SOURCES = \
	daemon/engine/backoff.c daemon/engine/backoff.h \
	daemon/engine/condition.c \
	daemon/engine/conflict.c \
	daemon/engine/engine.c daemon/engine/engine.h daemon/engine/engine-private.h \
	daemon/engine/explain-state.c \
	daemon/engine/explain-term.c \
	daemon/engine/explain.c daemon/engine/explain.h \
	daemon/engine/facility.c \
	daemon/engine/file-state.c \
	daemon/engine/lapse.c \
	daemon/engine/last-wait.c \
	daemon/engine/listen.c \
	daemon/engine/load.c \
	daemon/engine/login-screen.c \
	daemon/engine/note.c \
	daemon/engine/process-event.c \
	daemon/engine/impact.c \
	daemon/engine/recover.c \
	daemon/engine/refusal.c daemon/engine/refusal.h \
	daemon/engine/request.c \
	daemon/engine/run.c \
	daemon/engine/service.c daemon/engine/service.h \
	daemon/engine/settled.c \
	daemon/engine/simulation.c daemon/engine/simulation.h \
	daemon/engine/start-lock.c \
	daemon/engine/step.c \
	daemon/engine/stop-order.c \
	daemon/engine/transitions.c daemon/engine/transitions.h \
	daemon/engine/wait-limit.c \
	daemon/engine/want.c
