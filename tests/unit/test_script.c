/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script: the life of a Type=script service as the engine sees it: ready, done, changes between
 * them, restart by command.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

static const char cron[] =
	"== cron\n[Service]\nType=script\nExec=/etc/init.d/cron start\nStop=/etc/init.d/cron stop\n"
	"Reload=/etc/init.d/cron reload\nRestartCommand=/etc/init.d/cron restart\n%s"
	"== anacron\n[Service]\nExec=/usr/sbin/anacron\n[Conditions]\nWhile=service:cron\n";

static World *world_with_cron(const char *further_keys)
{
	g_autofree char *files = g_strdup_printf(cron, further_keys);
	World *w = world_new(files);

	expect_log(w, "start cron");
	world_started(w, "cron");
	return w;
}

static World *world_with_ready_cron(const char *further_keys)
{
	World *w = world_with_cron(further_keys);

	world_ready(w, "cron");
	expect_log(w, "start anacron");
	world_started(w, "anacron");
	world_ready(w, "anacron");
	return w;
}

/* --- up --- */

START_TEST(script_that_left_a_daemon_is_ready)
{
	g_autoptr(World) w = world_with_ready_cron("");

	expect_state(w, "cron", STATE_READY);
}
END_TEST

START_TEST(script_that_left_nothing_is_done_and_what_stands_on_it_starts)
{
	g_autoptr(World) w = world_with_cron("");

	world_leaves_nothing(w, "cron");

	expect_state(w, "cron", STATE_DONE);
	expect_cause(w, "cron", "exit status 0; it left nothing running");
	expect_log(w, "start anacron");
}
END_TEST

START_TEST(script_without_processes_is_still_stopped)
{
	g_autoptr(World) w = world_with_cron("");

	world_leaves_nothing(w, "cron");
	world_started(w, "anacron");
	world_ready(w, "anacron");
	(void)world_log(w);
	world_runlevel(w, "0");
	world_settle(w);

	expect_log(w, "stop anacron, stop cron");
}
END_TEST

START_TEST(script_whose_last_processes_have_ended_is_done)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_leaves_nothing(w, "cron");

	expect_state(w, "cron", STATE_DONE);
	expect_state(w, "anacron", STATE_READY);
}
END_TEST

START_TEST(daemon_of_a_done_script_makes_it_ready_and_can_die)
{
	g_autoptr(World) w = world_with_cron("");

	world_leaves_nothing(w, "cron");
	world_ready(w, "cron");
	expect_state(w, "cron", STATE_READY);
	world_dies(w, "cron", 1);

	expect_state(w, "cron", STATE_FAILED);
	expect_cause(w, "cron", "exit status 1");
}
END_TEST

START_TEST(time_of_the_start_is_not_counted_again_when_it_becomes_ready_later)
{
	g_autoptr(World) w = world_with_cron("");

	world_advance_s(w, 2);
	world_leaves_nothing(w, "cron");
	world_advance_s(w, 1000);
	world_ready(w, "cron");

	ck_assert_int_eq(world_find(w, "cron")->start_duration_us, 2 * G_USEC_PER_SEC);
}
END_TEST

/* --- its main process dies --- */

START_TEST(daemon_of_a_script_that_dies_is_not_started_again_by_itself)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_dies(w, "cron", 1);

	expect_state(w, "cron", STATE_FAILED);
}
END_TEST

START_TEST(crashed_daemon_of_a_script_is_restarted_if_restart_allows)
{
	g_autoptr(World) w = world_with_ready_cron("Restart=on-failure\n");

	(void)world_log(w);
	world_dies(w, "cron", 1);
	expect_state(w, "cron", STATE_BACKOFF);
	world_gone(w, "anacron");
	world_advance_s(w, 1);

	expect_log(w, "stop cron, stop anacron, start cron");
}
END_TEST

START_TEST(daemon_of_a_script_that_ends_well_is_idle)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_dies(w, "cron", 0);

	expect_state(w, "cron", STATE_IDLE);
}
END_TEST

START_TEST(with_restart_always_the_remaining_processes_are_the_daemon)
{
	g_autoptr(World) w = world_with_ready_cron("Restart=always\n");

	world_leaves_nothing(w, "cron");
	expect_state(w, "cron", STATE_STOPPING);
	world_gone(w, "cron");

	expect_state(w, "cron", STATE_BACKOFF);
}
END_TEST

START_TEST(with_restart_always_a_start_that_leaves_nothing_is_not_repeated)
{
	g_autoptr(World) w = world_with_cron("Restart=always\n");

	world_leaves_nothing(w, "cron");

	expect_state(w, "cron", STATE_DONE);
}
END_TEST

/* --- restart and reload --- */

START_TEST(restart_of_a_script_that_is_up_stops_no_other_service)
{
	g_autoptr(World) w = world_with_ready_cron("");

	(void)world_log(w);
	world_restart(w, "cron");
	expect_log(w, "restart cron");
	ck_assert(engine_is_restarting(world_find(w, "cron")));
	expect_cause(w, "cron", "restart by uid 0 (pid 812)");
	world_restarted(w, "cron", NULL);

	ck_assert(!engine_is_restarting(world_find(w, "cron")));
	expect_state(w, "cron", STATE_READY);
	expect_state(w, "anacron", STATE_READY);
	expect_cause(w, "cron", "restarted");
	expect_log(w, "");
}
END_TEST

START_TEST(failed_restart_is_reported)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_restart(w, "cron");
	world_restarted(w, "cron", "exit status 6 (not configured)");

	expect_state(w, "cron", STATE_READY);
	expect_cause(w, "cron", "restart failed: exit status 6 (not configured)");
	ck_assert_str_eq(world_find(w, "cron")->restart_problem, "exit status 6 (not configured)");
	world_restart(w, "cron");
	world_restarted(w, "cron", NULL);
	ck_assert_ptr_null(world_find(w, "cron")->restart_problem);
}
END_TEST

START_TEST(script_is_started_by_a_restart_that_has_left_nothing_of_its_daemon)
{
	g_autoptr(World) w = world_with_ready_cron("Restart=on-failure\n");

	world_restart(w, "cron");
	world_restarted(w, "cron", NULL);
	(void)world_log(w);
	world_ends_in_restart(w, "cron");
	world_gone(w, "cron");

	expect_state(w, "cron", STATE_STARTING);
	ck_assert_uint_eq(world_find(w, "cron")->n_restarts, 0); /* not a failure */
}
END_TEST

START_TEST(restart_that_leaves_nothing_running_is_an_exit)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_restart(w, "cron");
	world_restarted(w, "cron", "exit status 1");
	world_dies(w, "cron", 1);

	expect_state(w, "cron", STATE_FAILED);
}
END_TEST

START_TEST(two_restarts_at_once_are_one)
{
	g_autoptr(World) w = world_with_ready_cron("");

	(void)world_log(w);
	world_restart(w, "cron");
	world_restart(w, "cron");

	expect_log(w, "restart cron");
}
END_TEST

START_TEST(restart_of_a_script_that_is_not_up_starts_it)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_dies(w, "cron", 1);
	world_gone(w, "anacron");
	(void)world_log(w);
	world_restart(w, "cron");

	expect_log(w, "start cron");
}
END_TEST

START_TEST(restart_in_the_middle_of_the_start_stops_and_starts)
{
	g_autoptr(World) w = world_with_cron("");

	world_restart(w, "cron");
	expect_log(w, "stop cron");
	world_gone(w, "cron");

	expect_log(w, "start cron");
}
END_TEST

START_TEST(stop_ends_a_restart)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_restart(w, "cron");
	world_stop(w, "cron");
	world_settle(w);

	ck_assert(!engine_is_restarting(world_find(w, "cron")));
	expect_state(w, "cron", STATE_IDLE);
}
END_TEST

START_TEST(next_manager_goes_on_with_a_restart)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_restart(w, "cron");
	(void)world_log(w);
	world_crash(w);

	expect_log(w, "restart cron");
	world_restarted(w, "cron", NULL);
	world_crash(w);
	expect_log(w, "");
}
END_TEST

START_TEST(without_a_restart_command_a_script_is_stopped_and_started)
{
	g_autoptr(World) w = world_with_ready_cron("");

	world_reload(w,
		     "== cron\n[Service]\nType=script\nExec=/etc/init.d/cron start\n"
		     "Stop=/etc/init.d/cron stop\n",
		     NULL);
	world_settle(w);
	(void)world_log(w);
	world_restart(w, "cron");
	world_settle(w);

	expect_log(w, "stop cron, start cron");
}
END_TEST

START_TEST(group_whose_file_has_become_a_script_is_stopped_and_started)
{
	g_autoptr(World) w = world_new("== cron\n[Service]\nType=group\n");
	g_autofree char *files = g_strdup_printf(cron, "");

	expect_state(w, "cron", STATE_READY);
	world_reload(w, files, NULL);
	world_settle(w);
	(void)world_log(w);
	world_restart(w, "cron");
	world_settle(w);

	expect_log(w, "stop anacron, start cron, start anacron");
}
END_TEST

START_TEST(script_that_is_done_can_be_reloaded_and_restarted)
{
	g_autoptr(World) w = world_with_cron("");

	world_leaves_nothing(w, "cron");
	(void)world_log(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "cron"));
	world_restart(w, "cron");

	expect_log(w, "reload cron, restart cron");
}
END_TEST

START_TEST(script_that_is_done_is_reloaded_when_a_condition_lapses)
{
	g_autoptr(World) w = world_new(
		"== it\n[Service]\nType=script\nExec=/etc/init.d/it start\nStop=/etc/init.d/it "
		"stop\n"
		"Reload=/etc/init.d/it reload\n[Conditions]\nWhile=flag:net\nOnLapse=reload\n");

	world_set(w, "flag:net", true);
	world_leaves_nothing(w, "it");
	(void)world_log(w);
	world_set(w, "flag:net", false);

	expect_log(w, "reload it");
	expect_cause(w, "it", "flag:net is false; reloaded (OnLapse=reload)");
}
END_TEST

START_TEST(a_service_without_reload_is_not_reported_as_reloaded_after_a_lapse)
{
	g_autoptr(World) w = world_new(
		"== it\n[Service]\nType=task\nExec=/bin/it\n[Conditions]\nWhile=flag:net\n"
		"OnLapse=reload\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	expect_state(w, "it", STATE_DONE);
	world_set(w, "flag:net", false);

	expect_cause(w, "it",
		     "flag:net is false; kept, because it cannot be reloaded now (OnLapse=reload)");
}
END_TEST

START_TEST(done_script_is_still_done_for_the_next_manager)
{
	g_autoptr(World) w = world_with_cron("");

	world_leaves_nothing(w, "cron");
	world_crash(w);
	expect_state(w, "cron", STATE_DONE);
	world_ready(w, "cron");
	world_dies(w, "cron", 1);

	expect_state(w, "cron", STATE_FAILED);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("script");

	ADD_CASE(suite, "up", script_that_left_a_daemon_is_ready,
		 script_that_left_nothing_is_done_and_what_stands_on_it_starts,
		 script_without_processes_is_still_stopped,
		 script_whose_last_processes_have_ended_is_done,
		 daemon_of_a_done_script_makes_it_ready_and_can_die,
		 time_of_the_start_is_not_counted_again_when_it_becomes_ready_later,
		 done_script_is_still_done_for_the_next_manager);
	ADD_CASE(suite, "end", daemon_of_a_script_that_dies_is_not_started_again_by_itself,
		 crashed_daemon_of_a_script_is_restarted_if_restart_allows,
		 daemon_of_a_script_that_ends_well_is_idle,
		 with_restart_always_the_remaining_processes_are_the_daemon,
		 with_restart_always_a_start_that_leaves_nothing_is_not_repeated);
	ADD_CASE(suite, "restart", restart_of_a_script_that_is_up_stops_no_other_service,
		 failed_restart_is_reported,
		 script_is_started_by_a_restart_that_has_left_nothing_of_its_daemon,
		 restart_that_leaves_nothing_running_is_an_exit, two_restarts_at_once_are_one,
		 restart_of_a_script_that_is_not_up_starts_it,
		 restart_in_the_middle_of_the_start_stops_and_starts, stop_ends_a_restart,
		 next_manager_goes_on_with_a_restart,
		 without_a_restart_command_a_script_is_stopped_and_started,
		 group_whose_file_has_become_a_script_is_stopped_and_started,
		 script_that_is_done_can_be_reloaded_and_restarted,
		 script_that_is_done_is_reloaded_when_a_condition_lapses,
		 a_service_without_reload_is_not_reported_as_reloaded_after_a_lapse);
	return suite;
}
