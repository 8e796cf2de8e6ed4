# SPDX-License-Identifier: LGPL-2.1-or-later

include tools/policy-edit/local.mk
include tools/import-unit/local.mk

# All of svcctl except main(), for the tests.
noinst_LIBRARIES += libsvcctl.a
libsvcctl_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libsvcctl_a_CFLAGS = $(AM_CFLAGS) $(GIO_CFLAGS) $(SMARTCOLS_CFLAGS) $(JSON_CFLAGS)
libsvcctl_a_SOURCES = \
	tools/svcctl/advice.c \
	tools/svcctl/arguments.c tools/svcctl/arguments.h \
	tools/svcctl/audit.c tools/svcctl/audit.h \
	tools/svcctl/boot-changes.c tools/svcctl/boot-changes.h \
	tools/svcctl/boot-collect.c tools/svcctl/boot-collect.h \
	tools/svcctl/boot-compare.c tools/svcctl/boot-compare.h \
	tools/svcctl/boot-logs.c tools/svcctl/boot-logs.h \
	tools/svcctl/boot-plot.c tools/svcctl/boot-plot.h \
	tools/svcctl/boot-samples.c tools/svcctl/boot-samples.h \
	tools/svcctl/boot-shutdown.c tools/svcctl/boot-shutdown.h \
	tools/svcctl/boot-spans.c tools/svcctl/boot-spans.h \
	tools/svcctl/boot-times.c tools/svcctl/boot-times.h \
	tools/svcctl/boot-usage.c tools/svcctl/boot-usage.h \
	tools/svcctl/boot-wait.c tools/svcctl/boot-wait.h \
	tools/svcctl/completions.c tools/svcctl/completions.h \
	tools/svcctl/agent.c tools/svcctl/agent.h \
	tools/svcctl/client.c tools/svcctl/client.h \
	tools/svcctl/dry-run.c tools/svcctl/dry-run.h \
	tools/svcctl/logins.c tools/svcctl/logins.h \
	tools/svcctl/check-world.c tools/svcctl/check-world.h \
	tools/svcctl/cmd-audit.c \
	tools/svcctl/cmd-boot.c \
	tools/svcctl/cmd-boot-record.c \
	tools/svcctl/cmd-boot-saved.c \
	tools/svcctl/cmd-boot-times.c \
	tools/svcctl/cmd-complete.c \
	tools/svcctl/cmd-conditions.c \
	tools/svcctl/cmd-control.c \
	tools/svcctl/cmd-diff.c \
	tools/svcctl/cmd-doctor.c \
	tools/svcctl/cmd-explain.c \
	tools/svcctl/cmd-files.c \
	tools/svcctl/cmd-import-unit.c \
	tools/svcctl/cmd-is.c \
	tools/svcctl/cmd-log.c \
	tools/svcctl/cmd-log-saved.c \
	tools/svcctl/cmd-look.c \
	tools/svcctl/cmd-monitor.c \
	tools/svcctl/cmd-new.c \
	tools/svcctl/cmd-policy.c \
	tools/svcctl/cmd-policy-edit.c \
	tools/svcctl/cmd-policy-set.c \
	tools/svcctl/cmd-timers.c \
	tools/svcctl/cmd-unmanaged.c \
	tools/svcctl/cmd-ps.c \
	tools/svcctl/cmd-show.c \
	tools/svcctl/cmd-signal.c \
	tools/svcctl/cmd-status.c \
	tools/svcctl/cmd-system.c \
	tools/svcctl/cmd-tree.c \
	tools/svcctl/cmd-try.c \
	tools/svcctl/dependencies.c tools/svcctl/dependencies.h \
	tools/svcctl/each-name.c \
	tools/svcctl/end-later.c tools/svcctl/end-later.h \
	tools/svcctl/doctor.h \
	tools/svcctl/doctor-files.c \
	tools/svcctl/doctor-live.c \
	tools/svcctl/doctor-reboot.c \
	tools/svcctl/exit-code.c tools/svcctl/exit-code.h \
	tools/svcctl/forecast.c tools/svcctl/forecast.h \
	tools/svcctl/in-force.c tools/svcctl/in-force.h \
	tools/svcctl/job-lines.c tools/svcctl/job-lines.h \
	tools/svcctl/log-lines.c tools/svcctl/log-lines.h \
	tools/svcctl/log-tail.c tools/svcctl/log-tail.h \
	tools/svcctl/other-commands.c tools/svcctl/other-commands.h \
	tools/svcctl/output.c tools/svcctl/output.h \
	tools/svcctl/package-log.c tools/svcctl/package-log.h \
	tools/svcctl/policy-change.c tools/svcctl/policy-change.h \
	tools/svcctl/processes.c tools/svcctl/processes.h \
	tools/svcctl/saved-boot.c tools/svcctl/saved-boot.h \
	tools/svcctl/svcctl.h \
	tools/svcctl/table.c \
	tools/svcctl/try-plan.c tools/svcctl/try-plan.h \
	tools/svcctl/units.c tools/svcctl/units.h \
	tools/svcctl/unread.c tools/svcctl/unread.h

LIBS_SVCCTL = libsvcctl.a libbus.a libimportunit.a libpolicyedit.a libengine.a $(LIBS_GENERATE) $(GIO_LIBS) $(SMARTCOLS_LIBS) $(JSON_LIBS)

bin_PROGRAMS += svcctl
svcctl_CPPFLAGS = $(libsvcctl_a_CPPFLAGS)
svcctl_CFLAGS = $(libsvcctl_a_CFLAGS)
svcctl_SOURCES = tools/svcctl/main.c
svcctl_LDADD = $(LIBS_SVCCTL)

# Saved state of the manager.
include tools/svc-save/local.mk

# Work that the manager must not wait for.
include tools/svc-worker/local.mk

# The commands of SysV init.
include tools/svc-sysv/local.mk

# Trial boots.
include tools/svc-try/local.mk

include tools/completions/local.mk

dist_man_MANS += docs/man/svcctl.1
