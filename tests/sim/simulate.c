/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulate: random machines live through random histories, and invariants.c checks them.
 *
 *	simulate --seed N [--trace]           one history, with a trace
 *	simulate [--first N] --count N        many; prints the faults, exits with 1 at a broken invariant
 *	simulate --day N                      the fourth day of N machines, without manager crashes:
 *	                                      the memory must not grow
 */
#include "config.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot-record.h"
#include "tests/sim/invariants.h"
#include "tests/sim/levels.h"
#include "tests/sim/machine.h"

/* With this many histories each kind of fault must have occurred. */
enum { ENOUGH_FOR_ALL_FAULTS = 2000 };

/* Every 16th history runs three times (play_again()), and must give the same result. */
enum { REPEAT_EVERY = 16 };

typedef struct Options {
	uint64_t first;
	uint64_t count;
	uint64_t days;
	bool is_tracing;
} Options;

static int64_t random_pause(Machine *m)
{
	static const int64_t longest_us[] = { 0, 1000, 100 * 1000, 2 * G_USEC_PER_SEC,
					      15 * G_USEC_PER_SEC };

	return chance_time(&m->chance,
			   longest_us[chance_below(&m->chance, G_N_ELEMENTS(longest_us))]);
}

/* Runs until no more events are due. With well-behaved services this happens. */
static void run_to_rest(Machine *m, const char *when)
{
	const int64_t end_us = m->sim.now_us + 2 * G_TIME_SPAN_HOUR;

	while (!m->failure && machine_next_us(m) <= end_us)
		machine_run(m, machine_next_us(m));
	if (!m->failure && machine_next_us(m) != INT64_MAX)
		machine_fail(m, "%s: no rest within two hours", when);
}

static void live(Machine *m)
{
	const unsigned n_pokes = 15 + chance_below(&m->chance, 60);

	for (unsigned i = 0; i < n_pokes && !m->failure; i++) {
		machine_run(m, m->sim.now_us + random_pause(m));
		if (!m->failure)
			machine_poke(m);
	}
}

static void history(Machine *m)
{
	live(m);
	machine_calm(m);
	run_to_rest(m, "calm");
	if (!m->failure)
		invariants_at_rest(m);
	if (m->failure)
		return;
	for (unsigned i = 0; i < N_LEVELS; i++)
		levels_set(m, i, LEVEL_TRUE);
	run_to_rest(m, "all levels true");
	if (!m->failure)
		invariants_at_rest(m);
	if (m->failure)
		return;
	machine_set_runlevel(m, "0");
	run_to_rest(m, "shutdown");
	if (!m->failure)
		invariants_when_stopped(m);
}

/* Returns: false if an invariant was broken. */
static bool play(uint64_t seed, bool is_tracing, bool is_reworded, unsigned long *n_faults,
		 uint64_t *ret_hash)
{
	g_autoptr(Machine) m = machine_new(seed, is_tracing, is_reworded, n_faults);

	if (!m->failure)
		history(m);
	if (m->failure) {
		printf("seed %" G_GUINT64_FORMAT ": %s\n", seed, m->failure);
		printf("replay: tests/sim/simulate --seed %" G_GUINT64_FORMAT " --trace\n", seed);
	}
	*ret_hash = m->hash;
	return !m->failure;
}

/* Plays the history with the same inputs, and with inputs that differ only in their texts. */
static bool play_again(uint64_t seed, uint64_t hash)
{
	uint64_t again;
	uint64_t reworded;

	if (!play(seed, false, false, NULL, &again) || !play(seed, false, true, NULL, &reworded))
		return false;
	if (again != hash)
		printf("seed %" G_GUINT64_FORMAT ": the same inputs gave other actions\n", seed);
	else if (reworded != hash)
		printf("seed %" G_GUINT64_FORMAT ": other texts gave other actions\n", seed);
	return again == hash && reworded == hash;
}

/* --- a day --- */

enum { WARM_HOURS = 72, HOURS = 24, STORM_PERCENT = 1, STORM_POKES = 300 };

/* In a storm of devices, calls or runlevels, events come a millisecond apart. */
static void live_an_hour(Machine *m)
{
	const int64_t end_us = m->sim.now_us + G_TIME_SPAN_HOUR;

	while (m->sim.now_us < end_us && !m->failure) {
		const bool is_storm = chance_percent(&m->chance, STORM_PERCENT);

		for (unsigned i = 0; i < (is_storm ? STORM_POKES : 1) && !m->failure; i++) {
			machine_run(m, m->sim.now_us + (is_storm ? chance_time(&m->chance, 1000) :
								   random_pause(m)));
			if (!m->failure)
				machine_poke(m);
		}
	}
}

/* Allocated bytes: the present services and their texts, and leaks. */
static size_t allocated_bytes(Machine *m)
{
	g_free(boot_record_take_news(m->sim.engine)); /* as an idle manager does */
	return mallinfo2().uordblks;
}

/*
 * Returns: false if an invariant was broken, or the second half of the day took over 10 % more
 * memory than the first.
 */
static bool play_day(uint64_t seed, bool is_tracing, unsigned long *n_faults)
{
	g_autoptr(Machine) m = machine_new(seed, is_tracing, false, n_faults);
	size_t most[2] = { 0, 0 };

	m->is_one_life = true;
	/* Run until each service has as many causes, starts and exits as the engine remembers. */
	for (int hour = 0; hour < WARM_HOURS && !m->failure; hour++)
		live_an_hour(m);
	printf("day of seed %" G_GUINT64_FORMAT ", KiB:", seed);
	for (int hour = 0; hour < HOURS && !m->failure; hour++) {
		live_an_hour(m);
		most[hour * 2 / HOURS] = MAX(most[hour * 2 / HOURS], allocated_bytes(m));
		printf(" %zu", allocated_bytes(m) / 1024);
	}
	printf("\n");
	if (!m->failure && most[1] > most[0] + most[0] / 10)
		machine_fail(
			m,
			"it has grown: %zu bytes in the first half of the day, %zu in the second",
			most[0], most[1]);
	if (m->failure)
		printf("seed %" G_GUINT64_FORMAT ": %s\n", seed, m->failure);
	return !m->failure;
}

static bool play_days(const Options *options)
{
	unsigned long n_faults[SIM_FAULT_COUNT] = { 0 };

	for (uint64_t i = 0; i < options->days; i++) {
		if (!play_day(options->first + i, options->is_tracing, n_faults))
			return false;
	}
	printf("%lu failed for good, %lu crashes, %lu flapped levels, %lu reloads\n",
	       n_faults[SIM_FAULT_GAVE_UP], n_faults[SIM_FAULT_CRASH], n_faults[SIM_FAULT_FLAPPED],
	       n_faults[SIM_FAULT_RELOAD]);
	return true;
}

static bool report(const Options *options, const unsigned long *n_faults)
{
	bool is_complete = true;

	printf("%" G_GUINT64_FORMAT " histories, seeds %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
	       "\n",
	       options->count, options->first, options->first + options->count - 1);
	for (unsigned i = 0; i < SIM_FAULT_COUNT; i++) {
		printf("%10lu  %s\n", n_faults[i], sim_fault_name((SimFault)i));
		if (n_faults[i] == 0 && options->count >= ENOUGH_FOR_ALL_FAULTS) {
			printf("            ^ never occurred: the simulation does not test it\n");
			is_complete = false;
		}
	}
	return is_complete;
}

static bool play_all(const Options *options)
{
	unsigned long n_faults[SIM_FAULT_COUNT] = { 0 };

	for (uint64_t i = 0; i < options->count; i++) {
		const uint64_t seed = options->first + i;
		uint64_t hash;

		if (!play(seed, options->is_tracing, false, n_faults, &hash))
			return false;
		if (i % REPEAT_EVERY == 0 && !options->is_tracing && !play_again(seed, hash))
			return false;
	}
	return report(options, n_faults);
}

static bool read_number(int argc, char **argv, int *index, uint64_t *ret)
{
	char *end;

	if (*index + 1 >= argc)
		return false;
	*ret = g_ascii_strtoull(argv[++*index], &end, 10);
	return end != argv[*index] && !*end;
}

static bool read_options(int argc, char **argv, Options *ret)
{
	for (int i = 1; i < argc; i++) {
		bool is_fine = true;

		if (strcmp(argv[i], "--trace") == 0)
			ret->is_tracing = true;
		else if (strcmp(argv[i], "--first") == 0 || strcmp(argv[i], "--seed") == 0)
			is_fine = read_number(argc, argv, &i, &ret->first);
		else if (strcmp(argv[i], "--day") == 0)
			is_fine = read_number(argc, argv, &i, &ret->days);
		else if (strcmp(argv[i], "--count") == 0)
			is_fine = read_number(argc, argv, &i, &ret->count);
		else
			is_fine = false;
		if (!is_fine)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	Options options = { .first = 1, .count = 1 };

	if (argc == 1)
		options.count = ENOUGH_FOR_ALL_FAULTS;
	if (!read_options(argc, argv, &options)) {
		fprintf(stderr,
			"usage: simulate --seed N [--trace] | simulate [--first N] --count N | "
			"simulate [--first N] --day N\n");
		return 2;
	}
	if (options.days > 0)
		return play_days(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
	return play_all(&options) ? EXIT_SUCCESS : EXIT_FAILURE;
}
