/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Backoff: the curve and its maximum.
 */
#include "config.h"

#include <check.h>

#include "engine/backoff.h"
#include "tests/lib/suite.h"

#define S G_USEC_PER_SEC
#define MS G_TIME_SPAN_MILLISECOND

static void setup(ServiceDef *def, Backoff *b)
{
	*def = (ServiceDef){
		.restart_delay_us = 100 * MS,
		.restart_delay_max_us = 1 * S,
		.restart_limit = 20,
		.restart_window_us = 10 * S,
	};
	*b = (Backoff){ 0 };
}

START_TEST(the_delay_doubles_up_to_its_ceiling)
{
	static const int64_t expected_us[] = {
		100 * MS, 200 * MS, 400 * MS, 800 * MS, 1 * S, 1 * S
	};
	ServiceDef def;
	Backoff b;

	setup(&def, &b);
	for (unsigned i = 0; i < G_N_ELEMENTS(expected_us); i++)
		ck_assert_int_eq(backoff_next_start(&b, &def, 5 * S + i) - (5 * S + i),
				 expected_us[i]);
	backoff_clear(&b);
}
END_TEST

START_TEST(tries_without_a_run_never_reach_the_limit)
{
	ServiceDef def;
	Backoff b;

	setup(&def, &b);
	def.restart_limit = 2;
	for (int i = 0; i < 100; i++)
		ck_assert_int_le(backoff_next_try(&b, &def, i), i + 1 * S);
	ck_assert_int_eq(backoff_next_try(&b, &def, 0), 1 * S);
	ck_assert_int_ne(backoff_next_start(&b, &def, 1 * S), BACKOFF_GIVE_UP);
	backoff_clear(&b);
}
END_TEST

START_TEST(a_long_good_run_resets_the_delay)
{
	ServiceDef def;
	Backoff b;

	setup(&def, &b);
	(void)backoff_next_start(&b, &def, 1 * S);
	(void)backoff_next_start(&b, &def, 2 * S);
	backoff_run_ended(&b, &def, 10 * S);
	ck_assert_int_eq(backoff_next_start(&b, &def, 13 * S), 13 * S + 100 * MS);
	backoff_clear(&b);
}
END_TEST

START_TEST(the_limit_counts_within_its_window)
{
	ServiceDef def;
	Backoff b;

	setup(&def, &b);
	def.restart_limit = 3;
	(void)backoff_next_start(&b, &def, 1 * S);
	(void)backoff_next_start(&b, &def, 2 * S);
	ck_assert_int_ne(backoff_next_start(&b, &def, 11 * S + 1), BACKOFF_GIVE_UP);
	ck_assert_int_eq(backoff_next_start(&b, &def, 11 * S + 2), BACKOFF_GIVE_UP);
	backoff_clear(&b);
}
END_TEST

START_TEST(an_admins_start_resets_the_history)
{
	ServiceDef def;
	Backoff b;

	setup(&def, &b);
	def.restart_limit = 2;
	(void)backoff_next_start(&b, &def, 1 * S);
	backoff_clear(&b);
	ck_assert_int_eq(backoff_next_start(&b, &def, 2 * S), 2 * S + 100 * MS);
	backoff_clear(&b);
}
END_TEST

START_TEST(a_limit_above_the_remembered_starts_still_ends)
{
	ServiceDef def;
	Backoff b;
	int n = 0;

	setup(&def, &b);
	def.restart_limit = 1000;
	while (backoff_next_start(&b, &def, 1 * S) != BACKOFF_GIVE_UP)
		n++;
	ck_assert_int_eq(n, BACKOFF_MAX_STARTS - 1);
	backoff_clear(&b);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("backoff");

	ADD_CASE(suite, "curve", the_delay_doubles_up_to_its_ceiling,
		 tries_without_a_run_never_reach_the_limit, a_long_good_run_resets_the_delay,
		 the_limit_counts_within_its_window, an_admins_start_resets_the_history,
		 a_limit_above_the_remembered_starts_still_ends);
	return suite;
}
