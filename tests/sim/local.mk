# SPDX-License-Identifier: LGPL-2.1-or-later

# Without arguments: 2,000 histories. tests/run plays 50,000 (--first N --count N splits them over processors).
TESTS += tests/sim/simulate tests/sim/forecasts
sim_sources = \
	tests/sim/chance.h \
	tests/sim/crash.c tests/sim/crash.h \
	tests/sim/invariants.c tests/sim/invariants.h \
	tests/sim/levels.c tests/sim/levels.h \
	tests/sim/machine.c tests/sim/machine.h \
	tests/sim/oracle.c tests/sim/oracle.h \
	tests/sim/plan.c tests/sim/plan.h \
	tests/sim/process.c tests/sim/process.h \
	tests/sim/requests.c tests/sim/requests.h
tests_sim_simulate_SOURCES = $(sim_sources) tests/sim/simulate.c
tests_sim_simulate_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_sim_simulate_LDADD = $(LIBS_BOOT)

# Without arguments: 1,000 machines.
tests_sim_forecasts_SOURCES = $(sim_sources) tests/sim/forecasts.c
tests_sim_forecasts_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
tests_sim_forecasts_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
tests_sim_forecasts_LDADD = libboot.a $(LIBS_SVCCTL)
