/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The levels of the network when NetworkManager comes, goes, starts and stops, while the kernel has
 * routes or not.
 */
#include "config.h"

#include <check.h>

#include "providers/network-merge.h"
#include "tests/lib/suite.h"

#define SECOND G_TIME_SPAN_SECOND

#define T LEVEL_TRUE
#define F LEVEL_FALSE
#define U LEVEL_UNKNOWN

typedef enum StepKind { END, NM, STARTING, GONE, SILENT, KERNEL, WAIT } StepKind;

/* One event, and the expected levels. */
typedef struct Step {
	StepKind kind;
	unsigned a; /* NM, STARTING: State; KERNEL: level; WAIT: seconds */
	unsigned b; /* NM, STARTING: Connectivity */
	Level up;
	Level online;
} Step;

typedef struct History {
	const char *name;
	Step steps[12];
} History;

/* clang-format off */
static const History histories[] = {
	{ "without NetworkManager the kernel decides",
	  { { KERNEL, F, 0, U, U }, { GONE, 0, 0, F, F }, { KERNEL, T, 0, T, T }, { KERNEL, F, 0, F, F } } },
	{ "without a bus the kernel decides alone after a moment, also about online",
	  { { KERNEL, T, 0, T, U }, { WAIT, 0, 0, T, U }, { WAIT, 1, 0, T, T }, { KERNEL, F, 0, F, F }, { KERNEL, T, 0, T, T } } },
	{ "without a bus and a network the kernel decides alone after a moment",
	  { { KERNEL, F, 0, U, U }, { WAIT, 0, 0, U, U }, { WAIT, 1, 0, F, F } } },
	{ "a bus that comes later changes nothing",
	  { { KERNEL, T, 0, T, U }, { WAIT, 1, 0, T, T }, { SILENT, 0, 0, T, T }, { GONE, 0, 0, T, T }, { WAIT, 60, 0, T, T } } },
	{ "NetworkManager's State and Connectivity count",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T }, { NM, 60, 3, T, F }, { NM, 20, 1, F, F }, { NM, 50, 1, F, F },
	    { NM, 10, 1, F, F }, { NM, 70, 2, T, F }, { KERNEL, T, 0, T, F }, { NM, 70, 4, T, T }, { KERNEL, F, 0, T, T },
	    { NM, 20, 1, F, F } } },
	{ "a new manager waits for NetworkManager before it reports the network down",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T } } },
	{ "a boot with NetworkManager: nothing is online too early",
	  { { KERNEL, F, 0, U, U }, { GONE, 0, 0, F, F }, { SILENT, 0, 0, F, F }, { STARTING, 20, 0, F, F },
	    { STARTING, 40, 1, F, F }, { KERNEL, T, 0, T, U }, { WAIT, 60, 0, T, U }, { STARTING, 60, 1, T, U },
	    { STARTING, 70, 3, T, U }, { NM, 70, 3, T, F }, { NM, 70, 4, T, T } } },
	{ "a connection is made: the route comes first",
	  { { KERNEL, F, 0, U, U }, { NM, 20, 1, F, F }, { NM, 40, 1, F, F }, { KERNEL, T, 0, T, U }, { NM, 60, 1, T, F },
	    { NM, 70, 4, T, T } } },
	{ "a connection is taken down, in either order",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { NM, 30, 4, T, T }, { NM, 20, 1, T, T }, { KERNEL, F, 0, F, F },
	    { NM, 70, 4, T, T }, { KERNEL, T, 0, T, T }, { KERNEL, F, 0, T, T }, { NM, 20, 1, F, F } } },
	{ "NetworkManager starts where the network worked all the time",
	  { { KERNEL, T, 0, T, U }, { GONE, 0, 0, T, T }, { SILENT, 0, 0, T, T }, { STARTING, 20, 0, T, T },
	    { STARTING, 40, 1, T, T }, { WAIT, 60, 0, T, T }, { STARTING, 60, 1, T, T }, { STARTING, 70, 4, T, T },
	    { NM, 70, 4, T, T } } },
	{ "NetworkManager comes and goes beside an interface that it does not manage",
	  { { KERNEL, T, 0, T, U }, { GONE, 0, 0, T, T }, { STARTING, 20, 0, T, T }, { STARTING, 40, 1, T, T },
	    { NM, 20, 1, T, T }, { WAIT, 60, 0, T, T }, { NM, 10, 1, T, T }, { GONE, 0, 0, T, T }, { STARTING, 20, 0, T, T },
	    { NM, 20, 1, T, T } } },
	{ "an interface that NetworkManager does not manage comes after it",
	  { { KERNEL, F, 0, U, U }, { NM, 20, 1, F, F }, { KERNEL, T, 0, T, U }, { WAIT, 9, 0, T, U }, { WAIT, 1, 0, T, T },
	    { KERNEL, F, 0, F, F } } },
	{ "NetworkManager ends by SIGTERM and starts again",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { NM, 60, 4, T, T }, { NM, 60, 0, T, U }, { GONE, 0, 0, T, T },
	    { SILENT, 0, 0, T, T }, { STARTING, 20, 1, T, T }, { STARTING, 60, 1, T, T }, { STARTING, 70, 4, T, T },
	    { NM, 70, 4, T, T } } },
	{ "NetworkManager ends by SIGKILL and does not start again",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { GONE, 0, 0, T, T }, { WAIT, 60, 0, T, T }, { KERNEL, F, 0, F, F } } },
	{ "an upgrade where only NetworkManager sees the network (routes in other tables)",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T }, { GONE, 0, 0, U, U }, { WAIT, 9, 0, U, U }, { STARTING, 40, 1, U, U },
	    { WAIT, 9, 0, U, U }, { NM, 70, 4, T, T } } },
	{ "NetworkManager has ended for good, and the kernel never had a route",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T }, { GONE, 0, 0, U, U }, { WAIT, 10, 0, F, F }, { KERNEL, T, 0, T, T } } },
	{ "a route that disappears while NetworkManager is away counts at once",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { GONE, 0, 0, T, T }, { KERNEL, F, 0, F, F }, { KERNEL, T, 0, T, T } } },
	{ "behind a portal, a restart of NetworkManager does not make online true",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 2, T, F }, { NM, 60, 0, T, U }, { GONE, 0, 0, T, U }, { STARTING, 20, 0, T, U },
	    { STARTING, 70, 2, T, U }, { NM, 70, 2, T, F } } },
	{ "behind a portal, a start that takes longer than the grace period does not make online true",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 2, T, F }, { GONE, 0, 0, T, U }, { STARTING, 20, 0, T, U }, { WAIT, 11, 0, T, U },
	    { NM, 70, 2, T, F } } },
	{ "behind a portal, the route counts if NetworkManager stays away",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 2, T, F }, { GONE, 0, 0, T, U }, { WAIT, 10, 0, T, T } } },
	{ "the loss of the bus never makes a working network false",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { SILENT, 0, 0, T, T }, { WAIT, 600, 0, T, T } } },
	{ "the loss of the bus makes nothing false even if the kernel never had a route",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T }, { SILENT, 0, 0, U, U }, { WAIT, 600, 0, U, U }, { NM, 70, 4, T, T } } },
	{ "after the bus comes back, NetworkManager has time to return",
	  { { KERNEL, F, 0, U, U }, { NM, 70, 4, T, T }, { SILENT, 0, 0, U, U }, { WAIT, 600, 0, U, U }, { GONE, 0, 0, U, U },
	    { WAIT, 9, 0, U, U }, { WAIT, 1, 0, F, F } } },
	{ "a route that disappears while the bus is away counts at once",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { SILENT, 0, 0, T, T }, { KERNEL, F, 0, F, F }, { KERNEL, T, 0, T, T } } },
	{ "State 0 (unknown) changes nothing",
	  { { KERNEL, T, 0, T, U }, { NM, 70, 4, T, T }, { NM, 0, 0, T, T }, { KERNEL, F, 0, F, F } } },
	{ "if the kernel cannot be queried, NetworkManager decides",
	  { { NM, 70, 4, T, T }, { NM, 20, 1, F, F }, { NM, 70, 4, T, T }, { GONE, 0, 0, U, U }, { WAIT, 60, 0, U, U } } },
};
/* clang-format on */

static void take_step(NetworkMerge *merge, const Step *step, int64_t *now_us)
{
	const NmView view = { .presence = step->kind == SILENT ? NM_UNHEARD :
					  step->kind == GONE   ? NM_ABSENT :
								 NM_PRESENT,
			      .state = step->a,
			      .connectivity = step->b,
			      .is_starting = step->kind == STARTING };

	switch (step->kind) {
	case NM:
	case STARTING:
	case GONE:
	case SILENT:
		network_merge_set_nm(merge, &view, *now_us);
		return;
	case KERNEL:
		network_merge_set_rtnl(merge, (Level)step->a, *now_us);
		return;
	case WAIT:
		*now_us += step->a * SECOND;
		network_merge_tick(merge, *now_us);
		return;
	case END:
		return;
	}
}

START_TEST(each_history_gives_the_expected_levels)
{
	const History *history = &histories[_i];
	int64_t now_us = 1000 * SECOND;
	NetworkMerge merge;

	network_merge_init(&merge, now_us);
	for (const Step *step = history->steps; step->kind != END; step++) {
		const long n = step - history->steps + 1;

		take_step(&merge, step, &now_us);

		ck_assert_msg(network_merge_level(&merge, NETWORK_UP) == step->up,
			      "%s: step %ld: up is %s", history->name, n,
			      level_name(network_merge_level(&merge, NETWORK_UP)));
		ck_assert_msg(network_merge_level(&merge, NETWORK_ONLINE) == step->online,
			      "%s: step %ld: online is %s", history->name, n,
			      level_name(network_merge_level(&merge, NETWORK_ONLINE)));
	}
}
END_TEST

/* Random events in random order. */
START_TEST(online_implies_up_and_so_does_a_route)
{
	static const Step kinds[] = { { .kind = NM, .a = 70, .b = 4 },
				      { .kind = NM, .a = 60, .b = 0 },
				      { .kind = NM, .a = 20, .b = 4 },
				      { .kind = STARTING, .a = 20 },
				      { .kind = STARTING, .a = 70, .b = 1 },
				      { .kind = STARTING, .a = 70, .b = 4 },
				      { .kind = GONE },
				      { .kind = SILENT },
				      { .kind = KERNEL, .a = T },
				      { .kind = KERNEL, .a = F },
				      { .kind = WAIT, .a = 20 } };
	const unsigned n = G_N_ELEMENTS(kinds);

	for (unsigned seed = 0; seed < n * n * n * n * n; seed++) {
		int64_t now_us = SECOND;
		NetworkMerge merge;

		network_merge_init(&merge, now_us);
		for (unsigned rest = seed, i = 0; i < 5; i++, rest /= n) {
			take_step(&merge, &kinds[rest % n], &now_us);
			/* A million times, and each ck_assert() is a system call. */
			if (network_merge_level(&merge, NETWORK_UP) != LEVEL_TRUE &&
			    (merge.rtnl == LEVEL_TRUE ||
			     network_merge_level(&merge, NETWORK_ONLINE) == LEVEL_TRUE))
				ck_abort_msg("history %u, step %u: not up", seed, i);
		}
	}
}
END_TEST

static const struct {
	Step steps[4];
	NetworkQuestion question;
	const char *why;
	/* clang-format off */
} reasons[] = {
	{ { { .kind = NM, .a = 20, .b = 1 } }, NETWORK_UP, "NetworkManager: disconnected (20)" },
	{ { { .kind = NM, .a = 70, .b = 4 } }, NETWORK_UP, "NetworkManager: connected-global (70)" },
	{ { { .kind = NM, .a = 20, .b = 1 } }, NETWORK_ONLINE, "NetworkManager: disconnected (20)" },
	{ { { .kind = NM, .a = 60, .b = 3 } }, NETWORK_ONLINE, "NetworkManager: connectivity limited (3)" },
	{ { { .kind = NM, .a = 65, .b = 9 } }, NETWORK_UP, "NetworkManager: state (65)" },
	{ { { .kind = NM, .a = 65, .b = 9 } }, NETWORK_ONLINE, "NetworkManager: connectivity value (9)" },
	{ { { .kind = GONE }, { .kind = KERNEL, .a = F } }, NETWORK_UP, "WHY" },
	{ { { .kind = GONE }, { .kind = KERNEL, .a = F } }, NETWORK_ONLINE, "WHY" },
	{ { { .kind = GONE }, { .kind = KERNEL, .a = T } }, NETWORK_ONLINE,
	  "WHY; no other check of the connection is available" },
	{ { { .kind = NM, .a = 20 }, { .kind = KERNEL, .a = T } }, NETWORK_UP, "WHY" },
	{ { { .kind = NM, .a = 20 }, { .kind = KERNEL, .a = T } }, NETWORK_ONLINE,
	  "NetworkManager has not checked yet; it last reported false; the kernel: WHY" },
	{ { { .kind = KERNEL, .a = T } }, NETWORK_ONLINE, "NetworkManager has not answered yet; the kernel: WHY" },
	{ { { .kind = KERNEL, .a = F }, { .kind = NM, .a = 70, .b = 4 }, { .kind = GONE } }, NETWORK_UP,
	  "NetworkManager is not running; it last reported true; the kernel: WHY" },
	{ { { .kind = KERNEL, .a = F }, { .kind = NM, .a = 70, .b = 4 }, { .kind = SILENT } }, NETWORK_UP,
	  "NetworkManager cannot be queried; it last reported true; the kernel: WHY" },
	{ { { .kind = KERNEL, .a = F }, { .kind = STARTING, .a = 40 }, { .kind = KERNEL, .a = T } }, NETWORK_ONLINE,
	  "NetworkManager is starting; the kernel: WHY" },
};
/* clang-format on */

START_TEST(a_reason_names_its_source)
{
	int64_t now_us = SECOND;
	g_autofree char *why = NULL;
	NetworkMerge merge;

	network_merge_init(&merge, now_us);
	for (const Step *step = reasons[_i].steps; step < reasons[_i].steps + 4; step++)
		take_step(&merge, step, &now_us);
	why = network_merge_why(&merge, reasons[_i].question, "WHY");
	ck_assert_str_eq(why, reasons[_i].why);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("network-merge");

	suite_add_loop(suite, "merge", each_history_gives_the_expected_levels,
		       G_N_ELEMENTS(histories));
	suite_add_loop(suite, "merge", a_reason_names_its_source, G_N_ELEMENTS(reasons));
	ADD_CASE(suite, "merge", online_implies_up_and_so_does_a_route);
	return suite;
}
