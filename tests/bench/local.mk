# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Benches print figures as JSON and assert none of them: tests/run --bench.

EXTRA_DIST += \
	tests/bench/bench_attacks.py \
	tests/bench/bench_boot.py \
	tests/bench/bench_desktop.py \
	tests/bench/bench_events.py \
	tests/bench/bench_output.py \
	tests/bench/bench_peers.py \
	tests/bench/bench_replay.py \
	tests/bench/bench_spawn.py \
	tests/bench/bench_svcctl.py \
	tests/bench/bench_torture.py \
	tests/bench/boot_peers.py \
	tests/bench/desktop_peers.py \
	tests/bench/torture_peers.py \
	tests/bench/watched_boot.py

check_PROGRAMS += tests/bench/boot-watch tests/bench/noter tests/bench/orphans \
	tests/bench/pauser tests/bench/spawn-floor
tests_bench_boot_watch_SOURCES = tests/bench/boot-watch.c tests/bench/screen.c tests/bench/screen.h
tests_bench_boot_watch_LDFLAGS = $(BENCH_STATIC)
tests_bench_noter_SOURCES = tests/bench/noter.c
tests_bench_noter_LDFLAGS = $(BENCH_STATIC)
tests_bench_orphans_SOURCES = tests/bench/orphans.c
tests_bench_orphans_LDFLAGS = $(BENCH_STATIC)
tests_bench_pauser_SOURCES = tests/bench/pauser.c
tests_bench_pauser_LDFLAGS = $(BENCH_STATIC)
tests_bench_spawn_floor_SOURCES = tests/bench/spawn-floor.c

# The sanitizers' run-time cannot be linked into a static program.
if SANITIZERS
BENCH_STATIC = $(AM_LDFLAGS)
else
BENCH_STATIC = $(AM_LDFLAGS) -static
endif
