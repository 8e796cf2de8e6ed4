# SPDX-License-Identifier: LGPL-2.1-or-later

# The common code of unit tests. The linker takes only the parts that a test uses, so each test
# still links its own component and those below. The fake keeper replaces process/keeper-link.c, so
# it has a separate library.
check_LIBRARIES = libstage.a libtest.a

libtest_a_SOURCES = \
	tests/lib/bus-daemon.c tests/lib/bus-daemon.h \
	tests/lib/bus-peer.c tests/lib/bus-peer.h \
	tests/lib/socket-look.c tests/lib/socket-look.h \
	tests/lib/bus-stage.c tests/lib/bus-stage.h \
	tests/lib/bus-world.c tests/lib/bus-world.h \
	tests/lib/check-main.c tests/lib/suite.h \
	tests/lib/deadline.h \
	tests/lib/diags.h \
	tests/lib/edit-world.c tests/lib/edit-world.h \
	tests/lib/keeper-stage.c tests/lib/keeper-stage.h \
	tests/lib/link-client.c tests/lib/link-client.h \
	tests/lib/descriptors.c tests/lib/descriptors.h \
	tests/lib/logger-session.c tests/lib/logger-session.h \
	tests/lib/lsb-world.c tests/lib/lsb-world.h \
	tests/lib/many-names.h \
	tests/lib/scratch.c tests/lib/scratch.h \
	tests/lib/swapper.c tests/lib/swapper.h \
	tests/lib/svcctl-world.c tests/lib/svcctl-world.h \
	tests/lib/tree.c tests/lib/tree.h \
	tests/lib/world.c tests/lib/world.h
libtest_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools -DSVC_LOGGER='"$(abs_top_builddir)/svc-logger"'
libtest_a_CFLAGS = $(BUS_TEST_CFLAGS) $(JSON_CFLAGS)
# The programs that this code starts.
EXTRA_libtest_a_DEPENDENCIES = svc-logger$(EXEEXT)

libstage_a_SOURCES = \
	tests/lib/exec-run.c tests/lib/exec-run.h \
	tests/lib/fake-keeper.c tests/lib/fake-keeper.h \
	tests/lib/script-stage.c tests/lib/script-stage.h \
	tests/lib/stage.c tests/lib/stage.h
libstage_a_CPPFLAGS = $(AM_CPPFLAGS) -DSVC_EXEC='"$(abs_top_builddir)/svc-exec"' -DSVC_WORKER='"$(abs_top_builddir)/svc-worker"'
libstage_a_CFLAGS = $(TEST_CFLAGS)
# The programs that this code starts.
EXTRA_libstage_a_DEPENDENCIES = svc-exec$(EXEEXT) svc-worker$(EXEEXT)

TEST_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(CHECK_CFLAGS)

include tests/unit/base.mk
include tests/unit/model.mk
include tests/unit/engine.mk
include tests/unit/config.mk
include tests/unit/loop.mk
include tests/unit/providers.mk
include tests/unit/process.mk
include tests/unit/bus.mk
include tests/unit/keeper.mk
include tests/unit/exec.mk
include tests/unit/logger.mk
include tests/unit/tools.mk
include tests/unit/generate.mk
include tests/unit/policy-edit.mk
include tests/unit/import-unit.mk
include tests/unit/lsb.mk
include tests/unit/sysv.mk
include tests/sim/local.mk
include tests/sandbox/local.mk
include tests/daemons/local.mk
include tests/packages/local.mk
include tests/lsb/local.mk
include tests/desktop/local.mk
include tests/boot/local.mk
include tests/bench/local.mk
include tests/lint/local.mk

# Each test is built for "make check"; each local.mk adds its other programs.
check_PROGRAMS += $(TESTS)
