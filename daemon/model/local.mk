# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libmodel.a
libmodel_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libmodel_a_SOURCES = \
	daemon/model/check-conflicts.c \
	daemon/model/check-cycles.c \
	daemon/model/check-user.c daemon/model/check-user.h \
	daemon/model/check.c daemon/model/check.h daemon/model/check-private.h \
	daemon/model/condition-read.c daemon/model/condition-read.h \
	daemon/model/exec-def.c daemon/model/exec-def.h \
	daemon/model/exec-read.c daemon/model/exec-read.h \
	daemon/model/field-read.c daemon/model/field-read.h \
	daemon/model/graph.c daemon/model/graph.h \
	daemon/model/held-programs.c daemon/model/held-programs.h \
	daemon/model/ini-source.c daemon/model/ini-source.h \
	daemon/model/key.c daemon/model/key.h \
	daemon/model/name.c daemon/model/name.h \
	daemon/model/process-event.h \
	daemon/model/policy-kernel.c \
	daemon/model/policy-parse.c \
	daemon/model/policy.c daemon/model/policy.h daemon/model/policy-private.h \
	daemon/model/policy-statement.c \
	daemon/model/resource-def.c daemon/model/resource-def.h \
	daemon/model/service-def.c daemon/model/service-def.h \
	daemon/model/service-keys.c daemon/model/service-keys.h \
	daemon/model/service-parse.c daemon/model/service-parse.h \
	daemon/model/service-read.c daemon/model/service-read.h \
	daemon/model/service-set.c daemon/model/service-set.h \
	daemon/model/service-unknown.c \
	daemon/model/socket-def.c daemon/model/socket-def.h \
	daemon/model/socket-read.c daemon/model/socket-read.h \
	daemon/model/socket-fields.c daemon/model/socket-fields.h \
	daemon/model/term.c daemon/model/term.h \
	daemon/model/time-key.c daemon/model/time-key.h \
	daemon/model/value.c daemon/model/value.h
