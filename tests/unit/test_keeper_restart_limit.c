/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart limit: the keeper's conclusions from the deaths of managers.
 */
#include "config.h"

#include <check.h>
#include <signal.h>

#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/spawn.h"
#include "tests/lib/suite.h"

#define EXITED(status) ((status) << 8)

static uint64_t die(int wait_status, bool was_settled, uint64_t settled_for_us, uint64_t now_us)
{
	struct ManagerDeath death = { .wait_status = wait_status,
				      .was_settled = was_settled,
				      .settled_for_us = settled_for_us };

	return restart_limit_on_death(&death, now_us);
}

START_TEST(three_early_deaths_cost_the_notes_three_more_the_local_files_three_more_mean_rescue)
{
	static const uint32_t without_files = WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES;

	for (int i = 1; i <= 9; i++) {
		(void)die(SIGSEGV, false, 0, 1000);
		ck_assert_uint_eq(restart_limit_welcome_flags(), i < 3 ? 0 :
								 i < 6 ? WELCOME_WITHOUT_NOTES :
									 without_files);
		ck_assert_int_eq(restart_limit_is_rescue(), i == 9);
	}
}
END_TEST

START_TEST(a_settled_manager_is_replaced_at_once_and_failures_are_forgotten)
{
	for (int i = 0; i < 20; i++) {
		(void)die(SIGSEGV, false, 0, 1000);
		(void)die(SIGABRT, false, 0, 1000);
		restart_limit_on_settled();
		ck_assert_uint_eq(die(SIGSEGV, true, USEC_PER_SEC, 1000), 0);
	}
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
}
END_TEST

START_TEST(a_kill_from_outside_is_no_failure_however_early)
{
	for (int i = 0; i < 25; i++)
		ck_assert_uint_eq(die(SIGKILL, false, 0, 1000), 0);
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
}
END_TEST

START_TEST(lack_of_memory_is_not_a_failure_but_is_waited_out)
{
	uint64_t now_us = 1000;
	uint64_t waited_us = 0;

	for (int i = 1; i <= 30; i++) {
		const uint64_t pause_us = die(SIGTRAP, false, 0, now_us);

		ck_assert_uint_eq(pause_us, (uint64_t)i * 100 * USEC_PER_MSEC);
		waited_us += pause_us;
	}
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
	ck_assert_uint_gt(waited_us, 45 * USEC_PER_SEC);

	/* Deaths without the delay between them are failures. */
	for (int i = 0; i < 3; i++)
		(void)die(SIGTRAP, false, 0, now_us);
	ck_assert_uint_eq(restart_limit_welcome_flags(), WELCOME_WITHOUT_NOTES);
}
END_TEST

START_TEST(a_settled_manager_without_memory_is_replaced_at_once)
{
	for (int i = 0; i < 20; i++)
		ck_assert_uint_eq(die(SIGTRAP, true, 1000, 1000), 0);
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
}
END_TEST

START_TEST(a_hang_before_it_settles_is_a_failure)
{
	struct ManagerDeath death = { .wait_status = SIGKILL, .killed_by_us = true };

	for (int i = 0; i < 3; i++)
		(void)restart_limit_on_death(&death, 1000);
	ck_assert_uint_eq(restart_limit_welcome_flags(), WELCOME_WITHOUT_NOTES);
}
END_TEST

START_TEST(even_settled_managers_may_not_die_for_ever)
{
	uint64_t now_us = 1000;

	for (int i = 0; i < 30; i++)
		ck_assert_uint_eq(die(SIGSEGV, true, 1000, now_us += 1000), 0);
	for (int i = 0; i < 9; i++)
		(void)die(SIGSEGV, true, 1000, now_us += 1000);
	ck_assert(restart_limit_is_rescue());
}
END_TEST

START_TEST(leaving_the_rescue_shell_brings_everything_back)
{
	for (int i = 0; i < 9; i++)
		(void)die(SIGSEGV, false, 0, 1000);
	ck_assert(restart_limit_is_rescue());

	restart_limit_forget();
	ck_assert(!restart_limit_is_rescue());
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
	(void)die(SIGSEGV, false, 0, 1000);
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
}
END_TEST

#define SHELL_PID 42

static uint64_t now;

uint64_t __wrap_keeper_now_us(void);
pid_t __wrap_spawn_process(struct SpawnRequest *request);

uint64_t __wrap_keeper_now_us(void)
{
	return now;
}

pid_t __wrap_spawn_process(struct SpawnRequest *request)
{
	(void)request;
	return SHELL_PID;
}

/* 127 is the status of a missing shell, and of a shell with a mistyped last command. */
START_TEST(a_rescue_shell_that_was_used_is_left_with_any_status)
{
	rescue_begin();
	ck_assert(!rescue_on_exit(SHELL_PID, EXITED(127)));
	rescue_begin();
	ck_assert(rescue_on_exit(SHELL_PID, EXITED(0)));
	rescue_begin();
	now += 2 * USEC_PER_SEC;
	ck_assert(rescue_on_exit(SHELL_PID, EXITED(127)));
}
END_TEST

START_TEST(retries_in_rescue_grow_to_a_minute)
{
	uint64_t delay_us = 0;

	for (int i = 0; i < 9; i++)
		delay_us = die(EXITED(1), false, 0, 1000);
	ck_assert_uint_eq(delay_us, USEC_PER_SEC);
	ck_assert_uint_eq(die(EXITED(1), false, 0, 1000), 2 * USEC_PER_SEC);
	for (int i = 0; i < 9; i++)
		delay_us = die(EXITED(1), false, 0, 1000);
	ck_assert_uint_eq(delay_us, 60 * USEC_PER_SEC);
}
END_TEST

START_TEST(a_long_good_life_or_an_admins_reexec_brings_everything_back)
{
	for (int i = 0; i < 3; i++)
		(void)die(EXITED(1), false, 0, 1000);
	ck_assert_uint_eq(die(SIGSEGV, true, 61 * USEC_PER_SEC, 1000), 0);
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);

	for (int i = 0; i < 3; i++)
		(void)die(EXITED(1), false, 0, 1000);
	ck_assert_uint_eq(restart_limit_welcome_flags(), WELCOME_WITHOUT_NOTES);
	ck_assert_uint_eq(die(EXITED(PROTOCOL_EXIT_REEXEC), true, 5, 1000), 0);
	ck_assert_uint_eq(restart_limit_welcome_flags(), 0);
}
END_TEST

START_TEST(a_request_to_be_replaced_before_it_settles_is_a_failure)
{
	for (int i = 0; i < 3; i++)
		(void)die(EXITED(PROTOCOL_EXIT_REEXEC), false, 0, 1000);
	ck_assert_uint_eq(restart_limit_welcome_flags(), WELCOME_WITHOUT_NOTES);
}
END_TEST

START_TEST(an_incompatible_manager_leads_to_rescue_at_once)
{
	(void)die(EXITED(PROTOCOL_EXIT_INCOMPATIBLE), false, 0, 1000);
	ck_assert(restart_limit_is_rescue());
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper restart limit");

	ADD_CASE(
		suite, "deaths",
		three_early_deaths_cost_the_notes_three_more_the_local_files_three_more_mean_rescue,
		a_settled_manager_is_replaced_at_once_and_failures_are_forgotten,
		a_kill_from_outside_is_no_failure_however_early,
		lack_of_memory_is_not_a_failure_but_is_waited_out,
		a_settled_manager_without_memory_is_replaced_at_once,
		a_hang_before_it_settles_is_a_failure, even_settled_managers_may_not_die_for_ever,
		leaving_the_rescue_shell_brings_everything_back,
		a_rescue_shell_that_was_used_is_left_with_any_status,
		retries_in_rescue_grow_to_a_minute,
		a_long_good_life_or_an_admins_reexec_brings_everything_back,
		a_request_to_be_replaced_before_it_settles_is_a_failure,
		an_incompatible_manager_leads_to_rescue_at_once);
	return suite;
}
