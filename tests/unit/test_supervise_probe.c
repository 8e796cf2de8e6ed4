/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, probes: commands that check a service that is up. The processes are real, and the
 * keeper is a fake.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"

static bool has_row(const Stage *stage, const char *role)
{
	return fake_keeper_count(stage->keeper, role) > 0;
}

static void expect_record(Stage *stage, const char *prefix)
{
	run_until(stage, has_row, prefix);
}

/* --- CheckCommand= --- */

/* The service is up, and its check has begun. */
static Stage *stage_new_checked(const char *text)
{
	Stage *stage = stage_new(text);

	expect_event(stage, "ready");
	supervisor_check(stage->supervisor);
	return stage;
}

START_TEST(successful_check_is_reported)
{
	Stage *stage = stage_new_checked(
		"[Service]\nExec=/bin/sleep 1000\nCheckCommand=/bin/sh -c 'echo fine'\n");

	expect_event(stage, "checked well");

	expect_events(stage, "started\nready\nchecked well\n");
	stage_free(stage);
}
END_TEST

START_TEST(failed_check_is_reported_with_its_last_line_and_nothing_is_stopped)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\n"
		"CheckCommand=/bin/sh -c 'echo first; printf \"line 7: unknown\\\\toption\\\\n"
		"\\\\n\" >&2; exit 3'\n");
	pid_t pid;

	expect_event(stage, "ready");
	pid = supervisor_main_pid(stage->supervisor);
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked badly: exit status 3 (it wrote: line 7: unknown option)");

	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), pid);
	stage_free(stage);
}
END_TEST

START_TEST(check_that_cannot_be_executed_reports_the_reason)
{
	Stage *stage = stage_new_checked(
		"[Service]\nExec=/bin/sleep 1000\nCheckCommand=/no/such/program -t\n");

	expect_event(stage, "checked badly: cannot execute its program: No such file or directory");
	stage_free(stage);
}
END_TEST

START_TEST(check_has_the_time_of_a_start)
{
	Stage *stage = stage_new_checked(
		"[Service]\nExec=/bin/sleep 1000\nStartTimeout=2s\n"
		"CheckCommand=/bin/sh -c 'echo asking the name server; sleep 1000'\n");

	expect_event(stage,
		     "checked badly: not finished after 2.0 s (it wrote: asking the name server)");
	stage_free(stage);
}
END_TEST

START_TEST(a_service_that_is_not_up_needs_no_check)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nExec=/bin/sh -c 'touch {DIR}/up; exec sleep 1000'\nReady=notify\n"
		"CheckCommand=/bin/false\n");

	expect_file(stage, "/up");
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked well");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn check"), 0);
	stage_free(stage);
}
END_TEST

START_TEST(stop_does_not_wait_for_a_check)
{
	Stage *stage = stage_new_checked(
		"[Service]\nExec=/bin/sleep 1000\nCheckCommand=/bin/sleep 1000\n");

	expect_record(stage, "spawn check");
	stage_stop(stage);

	ck_assert(has_event(stage, "checked well"));
	ck_assert(strstr(stage->events->str, "checked") < strstr(stage->events->str, "gone"));
	stage_free(stage);
}
END_TEST

START_TEST(check_of_a_script_is_no_process_of_it)
{
	Stage *stage = stage_new_in_directory(
		"[Service]\nType=script\nExec=/bin/true\nStop=/bin/true\n"
		"CheckCommand=/bin/sh -c 'touch {DIR}/asked; sleep 0.1; exit 1'\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked badly: exit status 1");

	ck_assert(has_file(stage, "/asked"));
	ck_assert(!has_event(stage, "ready"));
	stage_free(stage);
}
END_TEST

START_TEST(next_manager_ends_a_check_without_clients)
{
	Stage *stage = stage_new_checked(
		"[Service]\nExec=/bin/sleep 1000\nCheckCommand=/bin/sleep 1000\n");

	expect_record(stage, "spawn check");
	stage_crash(stage);
	expect_record(stage, "ack check");

	expect_event(stage, "checked well"); /* now the manager can answer the request */
	stage_free(stage);
}
END_TEST

START_TEST(check_that_cannot_be_killed_has_failed_and_so_has_the_next)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\nStartTimeout=150ms\nCheckCommand=/bin/sleep "
		"1000\n");

	fake_keeper_withhold_end(stage->keeper, ROLE_CHECK, true);
	expect_event(stage, "ready");
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked badly: not finished after 150 ms, and it cannot be killed");
	g_string_truncate(stage->events, 0);
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked badly: not finished after 150 ms, and it cannot be killed");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn check"), 1);

	g_string_truncate(stage->events, 0);
	fake_keeper_withhold_end(stage->keeper, ROLE_CHECK, false);
	expect_record(stage, "ack check");
	expect_events(stage, "");
	supervisor_check(stage->supervisor);
	expect_event(stage, "checked badly: not finished after 150 ms");
	stage_free(stage);
}
END_TEST

START_TEST(stop_goes_on_without_a_check_that_cannot_be_killed)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\nCheckCommand=/bin/sleep 1000\n");

	fake_keeper_withhold_end(stage->keeper, ROLE_CHECK, true);
	expect_event(stage, "ready");
	supervisor_check(stage->supervisor);
	expect_record(stage, "spawn check");
	stage_stop(stage);

	expect_events(stage,
		      "started\nready\nexited well: killed by signal TERM\nchecked well\ngone\n");
	fake_keeper_withhold_end(stage->keeper, ROLE_CHECK, false);
	expect_record(stage, "ack check");
	stage_free(stage);
}
END_TEST

/* --- HealthCommand= --- */

#define PROBED "[Service]\nExec=/bin/sleep 1000\nHealthInterval=50ms\nHealthRetries=3\n"
#define ILL                                                                                        \
	"HealthCommand=/bin/sh -c 'echo x >>{DIR}/asked; [ ! -e {DIR}/ill ] || { echo no answer; " \
	"exit 4; }'\n"

static void cure(const Stage *stage)
{
	g_autofree char *path = tree_path(stage->tree, "/ill");

	ck_assert_int_eq(unlink(path), 0);
}

static size_t count_questions(const Stage *stage)
{
	g_autofree char *text = has_file(stage, "/asked") ? read_text(stage, "/asked") :
							    g_strdup("");

	return strlen(text);
}

START_TEST(first_answer_comes_when_it_is_ready)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\nHealthCommand=/bin/true\nHealthInterval=1h\n");

	expect_event(stage, "health well");

	expect_events(stage, "started\nready\nhealth well\n");
	stage_free(stage);
}
END_TEST

START_TEST(three_failures_in_a_row_end_it_as_a_failure)
{
	Stage *stage = stage_new_in_directory(PROBED ILL "Stop=/bin/touch {DIR}/stopped\n");

	expect_event(stage, "health well");
	touch_file(stage, "/ill");
	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nready\nhealth well\n"
		"health badly: HealthCommand= failed 3 times: exit status 4\n"
		"exited badly: unhealthy: HealthCommand= failed 3 times: exit status 4\ngone\n");
	ck_assert(has_file(stage, "/stopped"));
	stage_free(stage);
}
END_TEST

START_TEST(health_action_none_reports_each_change_once)
{
	Stage *stage = stage_new_in_directory(PROBED ILL "HealthAction=none\n");

	expect_event(stage, "health well");
	touch_file(stage, "/ill");
	expect_event(stage, "health badly: HealthCommand= failed 3 times: exit status 4");
	g_string_truncate(stage->events, 0);
	cure(stage);
	expect_event(stage, "health well");

	expect_events(stage, "health well\n");
	stage_free(stage);
}
END_TEST

START_TEST(failures_before_the_first_success_have_time)
{
	Stage *stage = stage_new_in_directory(PROBED ILL "HealthStartPeriod=1h\n");

	touch_file(stage, "/ill");
	expect_event(stage, "ready");
	while (count_questions(stage) < 10)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_ptr_null(strstr(stage->events->str, "health"));
	cure(stage);

	expect_event(stage, "health well");
	stage_free(stage);
}
END_TEST

START_TEST(answer_that_takes_too_long_is_a_failure)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/sleep 1000\nHealthRetries=1\nHealthTimeout=100ms\n"
			  "HealthAction=none\n"
			  "HealthCommand=/bin/sh -c 'sleep 1000; true'\n");

	expect_event(stage,
		     "health badly: HealthCommand= failed 1 times: not finished after 100 ms");

	stage_free(stage);
}
END_TEST

START_TEST(answer_that_cannot_be_killed_is_a_failure_again_and_again)
{
	Stage *stage =
		stage_new("[Service]\nExec=/bin/sleep 1000\nHealthRetries=3\nHealthInterval=50ms\n"
			  "HealthTimeout=100ms\n"
			  "HealthCommand=/bin/sleep 1000\n");

	fake_keeper_withhold_end(stage->keeper, ROLE_HEALTH, true);
	expect_event(stage, "gone");

	expect_events(
		stage,
		"started\nready\nhealth badly: HealthCommand= failed 3 times: not finished after "
		"100 ms, and it cannot "
		"be killed\nexited badly: unhealthy: HealthCommand= failed 3 times: not finished "
		"after 100 ms, and it "
		"cannot be killed\ngone\n");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn health"), 1);
	fake_keeper_withhold_end(stage->keeper, ROLE_HEALTH, false);
	expect_record(stage, "ack health");
	stage_free(stage);
}
END_TEST

START_TEST(stop_and_reload_do_not_wait_for_an_answer)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\nReload=/bin/true\nHealthCommand=/bin/sleep "
		"1000\nHealthTimeout=1h\n");

	expect_record(stage, "spawn health");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reloaded");
	stage_stop(stage);

	expect_events(stage,
		      "started\nready\nreloaded\nexited well: killed by signal TERM\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(next_manager_checks_again)
{
	Stage *stage = stage_new(
		"[Service]\nExec=/bin/sleep 1000\nHealthCommand=/bin/true\nHealthInterval=1h\n");

	expect_event(stage, "health well");
	g_string_truncate(stage->events, 0);
	stage_crash(stage);

	expect_event(stage, "health well");
	stage_free(stage);
}
END_TEST

START_TEST(without_conditions_there_are_no_wake_ups)
{
	Stage *stage = stage_new("[Service]\nExec=/bin/sleep 1000\n");

	expect_event(stage, "ready");

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn health"), 0);
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise: probes");

	ADD_CASE(suite, "check", successful_check_is_reported,
		 failed_check_is_reported_with_its_last_line_and_nothing_is_stopped,
		 check_that_cannot_be_executed_reports_the_reason, check_has_the_time_of_a_start,
		 a_service_that_is_not_up_needs_no_check, stop_does_not_wait_for_a_check,
		 next_manager_ends_a_check_without_clients,
		 check_that_cannot_be_killed_has_failed_and_so_has_the_next,
		 stop_goes_on_without_a_check_that_cannot_be_killed);
	ADD_CASE(suite, "health", first_answer_comes_when_it_is_ready,
		 three_failures_in_a_row_end_it_as_a_failure,
		 health_action_none_reports_each_change_once,
		 failures_before_the_first_success_have_time,
		 answer_that_takes_too_long_is_a_failure,
		 answer_that_cannot_be_killed_is_a_failure_again_and_again,
		 stop_and_reload_do_not_wait_for_an_answer, next_manager_checks_again,
		 without_conditions_there_are_no_wake_ups);
	if (has_cgroups())
		ADD_CASE(suite, "cgroup", check_of_a_script_is_no_process_of_it);
	return suite;
}
