/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timers and descriptors die with their holders, and fire as often as they should.
 */
#include "config.h"

#include <check.h>
#include <unistd.h>

#include "loop/loop.h"

static unsigned n_fired;
static Timer *timer;
static FdSource *source;

static void on_fire(void *data)
{
	(void)data;
	n_fired++;
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

START_TEST(a_timer_fires_once)
{
	n_fired = 0;
	timer = timer_new(on_fire, NULL);
	ck_assert(!timer_is_armed(timer));

	timer_arm(timer, loop_now() - 1);
	ck_assert(timer_is_armed(timer));
	turn_until_idle();
	turn_until_idle();

	ck_assert_uint_eq(n_fired, 1);
	ck_assert(!timer_is_armed(timer));
	timer_free(timer);
}
END_TEST

START_TEST(a_disarmed_timer_does_not_fire)
{
	n_fired = 0;
	timer = timer_new(on_fire, NULL);
	timer_arm(timer, loop_now());
	timer_disarm(timer);
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 0);
	timer_free(timer);
}
END_TEST

static void on_fire_free(void *data)
{
	(void)data;
	n_fired++;
	timer_free(timer);
}

START_TEST(a_timer_may_be_freed_while_it_fires)
{
	n_fired = 0;
	timer = timer_new(on_fire_free, NULL);
	timer_arm(timer, loop_now());
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 1);
}
END_TEST

static void on_ready_free(GIOCondition condition, void *data)
{
	(void)data;
	ck_assert(condition & G_IO_IN);
	n_fired++;
	fd_source_free(source);
}

START_TEST(a_descriptor_is_watched_until_its_source_is_freed)
{
	int fds[2];

	n_fired = 0;
	ck_assert_int_eq(pipe(fds), 0);
	source = fd_source_new(fds[0], G_IO_IN, LOOP_PRIORITY_READY, on_ready_free, NULL);
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 0);

	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	turn_until_idle();
	turn_until_idle();

	ck_assert_uint_eq(n_fired, 1);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

Suite *make_suite(void);

Suite *make_suite(void)
{
	Suite *suite = suite_create("loop");
	TCase *tests = tcase_create("loop");

	tcase_add_test(tests, a_timer_fires_once);
	tcase_add_test(tests, a_disarmed_timer_does_not_fire);
	tcase_add_test(tests, a_timer_may_be_freed_while_it_fires);
	tcase_add_test(tests, a_descriptor_is_watched_until_its_source_is_freed);
	suite_add_tcase(suite, tests);
	return suite;
}
