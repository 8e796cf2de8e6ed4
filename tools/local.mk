# SPDX-License-Identifier: LGPL-2.1-or-later

include tools/policy-edit/local.mk

# All of svcctl but its main(), for its tests.
noinst_LIBRARIES += libsvcctl.a
libsvcctl_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libsvcctl_a_CFLAGS = $(AM_CFLAGS) $(GIO_CFLAGS) $(SMARTCOLS_CFLAGS) $(JSON_CFLAGS)
libsvcctl_a_SOURCES = \
	tools/svcctl/advice.c \
	tools/svcctl/arguments.c tools/svcctl/arguments.h \
	tools/svcctl/client.c tools/svcctl/client.h \
	tools/svcctl/cmd-conditions.c \
	tools/svcctl/cmd-control.c \
	tools/svcctl/cmd-explain.c \
	tools/svcctl/cmd-files.c \
	tools/svcctl/cmd-log.c \
	tools/svcctl/cmd-look.c \
	tools/svcctl/cmd-monitor.c \
	tools/svcctl/cmd-policy.c \
	tools/svcctl/cmd-policy-edit.c \
	tools/svcctl/cmd-policy-set.c \
	tools/svcctl/cmd-unmanaged.c \
	tools/svcctl/cmd-status.c \
	tools/svcctl/cmd-system.c \
	tools/svcctl/exit-code.c tools/svcctl/exit-code.h \
	tools/svcctl/forecast.c tools/svcctl/forecast.h \
	tools/svcctl/log-tail.c tools/svcctl/log-tail.h \
	tools/svcctl/output.c tools/svcctl/output.h \
	tools/svcctl/policy-change.c tools/svcctl/policy-change.h \
	tools/svcctl/processes.c tools/svcctl/processes.h \
	tools/svcctl/svcctl.h \
	tools/svcctl/table.c

LIBS_SVCCTL = libsvcctl.a libpolicyedit.a libengine.a $(LIBS_CONFIG) $(GIO_LIBS) $(SMARTCOLS_LIBS) $(JSON_LIBS)

bin_PROGRAMS += svcctl
svcctl_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
svcctl_CFLAGS = $(libsvcctl_a_CFLAGS)
svcctl_SOURCES = tools/svcctl/main.c
svcctl_LDADD = $(LIBS_SVCCTL)

# What the manager has saved.
include tools/svc-save/local.mk

dist_man_MANS += docs/man/svcctl.1
