/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stop order, While= terms that become false, and the effect of Settle= and restarts on dependents.
 */
#include "config.h"

#include <check.h>

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define TASK "[Service]\nType=task\nExec=/usr/sbin/t\n"

/* --- order --- */

START_TEST(shutdown_is_the_reverse_of_the_start)
{
	g_autoptr(World) w = world_new(
		"== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n== c\n" TASK
		"[Conditions]\nWhile=service:b\n== d\n" DAEMON "[Conditions]\nWhen=service:c\n");

	world_settle(w);
	expect_log(w, "start a, start b, start c, start d");
	world_runlevel(w, "0");
	expect_log(w, "stop d");
	world_settle(w);
	expect_log(w, "stop c, stop b, stop a");
}
END_TEST

START_TEST(what_has_no_order_stops_at_once)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_runlevel(w, "6");
	expect_log(w, "stop a, stop b, stop c");
}
END_TEST

START_TEST(stop_after_comes_before_the_reverse_of_starting)
{
	g_autoptr(World) w = world_new("== disk\n" DAEMON
				       "[Conditions]\nAfter=net\nStopAfter=net\n== net\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_runlevel(w, "0");
	world_settle(w);
	expect_log(w, "stop net, stop disk");
}
END_TEST

START_TEST(stop_order_said_takes_no_stop_order_from_the_start)
{
	g_autoptr(World) w = world_new(
		"== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nProvides=$fs\n== c\n" TASK
		"== z\n" DAEMON
		"StopOrder=said\n[Conditions]\nAfter=a $fs\nWhen=service:c\nWhile=service:a\n");

	world_settle(w);
	expect_log(w, "start a, start b, start c, start z");
	world_runlevel(w, "0");
	expect_log(w, "stop a, stop z, stop b, stop c");
}
END_TEST

START_TEST(stop_order_said_keeps_the_declared_stop_order)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "StopOrder=said\n"
				       "[Conditions]\nAfter=a\nStopBefore=a\n== c\n" DAEMON
				       "[Conditions]\nStopAfter=b\n");

	world_settle(w);
	(void)world_log(w);
	world_runlevel(w, "0");
	expect_log(w, "stop b");
	world_settle(w);
	expect_log(w, "stop a, stop c");
}
END_TEST

START_TEST(an_order_of_starting_orders_stopping_as_its_author_wants)
{
	g_autoptr(World)
		w = world_new("== mount\n" DAEMON "[Conditions]\nBefore=script\n"
			      "== script\n" DAEMON "StopOrder=said\n[Conditions]\nBefore=z\n"
			      "== top\n" DAEMON "[Conditions]\nAfter=script\n== z\n" DAEMON);

	world_settle(w);
	expect_log(w, "start mount, start script, start top, start z");
	world_runlevel(w, "0");
	expect_log(w, "stop top, stop z");
	world_settle(w);
	expect_log(w, "stop script, stop mount");
}
END_TEST

START_TEST(orders_of_stopping_that_go_round_in_a_circle_end)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "[Conditions]\nStopAfter=b\n== b\n" DAEMON
				       "[Conditions]\nStopAfter=a\n");

	world_settle(w);
	world_runlevel(w, "0");
	world_settle(w);
	expect_state(w, "a", STATE_IDLE);
	expect_state(w, "b", STATE_IDLE);
}
END_TEST

START_TEST(a_stop_waits_only_for_those_that_stop_too)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n");

	world_settle(w);
	(void)world_log(w);
	world_stop(w, "a");
	expect_log(w, "stop a");
	expect_state(w, "b", STATE_READY);
}
END_TEST

/* --- dependents --- */

START_TEST(on_an_ordered_stop_dependents_stop_first)
{
	g_autoptr(World) w = world_new(
		"== app\n" DAEMON "[Conditions]\nWhile=service:bus\nSettle=5s\n== bus\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_stop(w, "bus");
	expect_log(w, "stop app");
	expect_state(w, "bus", STATE_READY);
	expect_level(w, "service:bus", LEVEL_FALSE);
	world_dies(w, "app", 0);
	expect_log(w, "stop bus");
}
END_TEST

START_TEST(on_a_crash_dependents_stop_after)
{
	g_autoptr(World)
		w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_exits(w, "bus", 1);
	expect_state(w, "app", STATE_STOPPING);
	expect_cause(w, "app", "service:bus is false");
}
END_TEST

START_TEST(settle_rides_a_restart_through)
{
	g_autoptr(World) w = world_new(
		"== app\n" DAEMON "[Conditions]\nWhile=service:bus\nSettle=2s\n== bus\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_restart(w, "bus");
	world_advance_s(w, 1);
	world_settle(w);
	world_advance_s(w, 10);
	expect_log(w, "stop bus, start bus");
	expect_state(w, "app", STATE_READY);
}
END_TEST

START_TEST(settle_ends_when_the_other_does_not_come_back_in_time)
{
	g_autoptr(World) w = world_new(
		"== app\n" DAEMON "[Conditions]\nWhile=service:bus\nSettle=2s\n== bus\n" DAEMON);

	world_settle(w);
	world_restart(w, "bus");
	world_advance_s(w, 1.9);
	expect_state(w, "app", STATE_READY);
	world_advance_s(w, 0.1);
	expect_state(w, "app", STATE_STOPPING);
}
END_TEST

START_TEST(settle_ends_at_once_when_the_other_is_stopped_meanwhile)
{
	g_autoptr(World) w = world_new(
		"== app\n" DAEMON "[Conditions]\nWhile=service:bus\nSettle=60s\n== bus\n" DAEMON);

	world_settle(w);
	world_restart(w, "bus");
	expect_state(w, "app", STATE_READY);
	world_stop(w, "bus");
	expect_state(w, "app", STATE_STOPPING);
}
END_TEST

START_TEST(without_settle_dependents_restart_too)
{
	g_autoptr(World)
		w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON);

	world_settle(w);
	(void)world_log(w);
	world_restart(w, "bus");
	world_settle(w);
	expect_log(w, "stop app, stop bus, start bus, start app");
}
END_TEST

START_TEST(a_reload_is_no_lapse)
{
	g_autoptr(World)
		w = world_new("== app\n" DAEMON "[Conditions]\nWhile=service:bus\n== bus\n" DAEMON
			      "Reload=signal:HUP\n");

	world_settle(w);
	(void)world_log(w);
	ck_assert(world_request(w, REQUEST_VERB_RELOAD, "bus"));
	expect_log(w, "reload bus");
	expect_state(w, "app", STATE_READY);
}
END_TEST

/* --- mounts --- */

#define MOUNT_AT(path) TASK "Stop=/bin/umount " path "\n[Conditions]\nDoneWhile=mounted:" path "\n"
#define VOLUME "== volume\n" MOUNT_AT("/srv/data") "While=label:DATA\n"
#define ON_IT "[Conditions]\nWhile=mounted:/srv/data\n"

/* The volume is mounted, and its dependents are up. */
static World *world_with_volume(const char *others)
{
	g_autofree char *files = g_strconcat(VOLUME, others, NULL);
	World *w = world_new(files);

	world_set(w, "label:DATA", true);
	world_settle(w);
	world_set(w, "mounted:/srv/data", true);
	world_settle(w);
	(void)world_log(w);
	return w;
}

START_TEST(dependents_of_a_mount_stop_before_it_is_unmounted)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT);

	world_set(w, "label:DATA", false);

	expect_log(w, "stop user");
	expect_cause(w, "user", "mounted:/srv/data is about to be false: volume stops");
	expect_state(w, "volume", STATE_DONE);
	expect_level(w, "mounted:/srv/data", LEVEL_TRUE);
	world_gone(w, "user");
	expect_log(w, "stop volume");
	expect_state(w, "user", STATE_WAITING);
	world_set(w, "mounted:/srv/data", false);
	world_gone(w, "volume");
	expect_log(w, "");
}
END_TEST

START_TEST(settle_keeps_no_service_on_a_volume_that_goes)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT "Settle=60s\n");

	world_restart(w, "volume");

	expect_log(w, "stop user");
}
END_TEST

START_TEST(a_restart_of_a_mount_brings_back_its_dependents)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT);

	world_restart(w, "volume");
	world_gone(w, "user");
	expect_log(w, "stop user, stop volume");
	world_set(w, "mounted:/srv/data", false);
	world_gone(w, "volume");
	expect_log(w, "start volume");
	world_set(w, "mounted:/srv/data", true);
	world_settle(w);
	expect_log(w, "start user");
}
END_TEST

START_TEST(a_path_on_a_volume_is_on_the_innermost_mount)
{
	g_autoptr(World) w = world_new("== inner\n" MOUNT_AT(
		"/srv/data/in") "While=mounted:/srv/data\n" VOLUME "== a\n" DAEMON
				"[Conditions]\nWhile=mounted:/srv/data/in/x\n"
				"== b\n" DAEMON "[Conditions]\nWhile=mounted:/srv/data/y\n"
				"== c\n" DAEMON "[Conditions]\nWhile=mounted:/srv/database\n");
	const char *const mounted[] = { "mounted:/srv/data", "mounted:/srv/data/in",
					"mounted:/srv/data/in/x", "mounted:/srv/data/y",
					"mounted:/srv/database" };

	world_set(w, "label:DATA", true);
	for (unsigned i = 0; i < G_N_ELEMENTS(mounted); i++)
		world_set(w, mounted[i], true);
	world_settle(w);
	(void)world_log(w);

	world_stop(w, "inner");
	expect_log(w, "stop a");
	world_gone(w, "a");
	expect_log(w, "stop inner");
	world_stop(w, "volume");
	expect_log(w, "stop b");
	world_gone(w, "b");
	expect_log(w, "");
	world_set(w, "mounted:/srv/data/in/x", false);
	world_set(w, "mounted:/srv/data/in", false);
	world_gone(w, "inner");
	expect_log(w, "stop volume");
	expect_state(w, "c", STATE_READY);
}
END_TEST

START_TEST(a_shutdown_unmounts_when_all_that_was_started_on_a_mount_has_stopped)
{
	g_autoptr(World) w = world_with_volume("== held\n" DAEMON ON_IT "== once\n" DAEMON
					       "[Conditions]\nWhen=mounted:/srv/data | flag:x\n");

	world_runlevel(w, "0");
	expect_log(w, "stop held, stop once");
	world_advance_s(w, 8);
	world_gone(w, "held");
	expect_log(w, "");
	world_gone(w, "once");
	expect_log(w, "stop volume");
}
END_TEST

START_TEST(a_start_cancels_the_stop_of_a_mount_that_still_waits)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT);

	world_stop(w, "volume");
	world_start(w, "volume");
	world_gone(w, "user");

	expect_log(w, "stop user, start user");
	expect_state(w, "volume", STATE_DONE);
}
END_TEST

START_TEST(not_mounted_becomes_true_only_by_a_report_from_the_kernel)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT "== other\n" DAEMON
					       "[Conditions]\nWhile=!mounted:/srv/data\n");

	world_stop(w, "volume");
	world_gone(w, "user");
	expect_log(w, "stop user, stop volume");
	expect_state(w, "other", STATE_WAITING);
	world_set(w, "mounted:/srv/data", false);
	expect_log(w, "start other");
}
END_TEST

START_TEST(a_mount_whose_file_is_gone_is_still_one)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT);

	world_reload(w, "== user\n" DAEMON ON_IT, "[runlevel 2]\nActivate=user\n");

	expect_log(w, "stop user");
	world_gone(w, "user");
	expect_log(w, "stop volume");
}
END_TEST

START_TEST(a_task_whose_stop_fails_is_done_as_before)
{
	g_autoptr(World) w = world_with_volume("== user\n" DAEMON ON_IT);

	world_stop(w, "volume");
	world_gone(w, "user");
	(void)world_log(w);
	world_stop_fails(w, "volume", "exit status 1", "umount: target is busy");

	expect_state(w, "volume", STATE_DONE);
	expect_cause(w, "volume", "its stop failed: exit status 1");
	ck_assert_str_eq(world_find(w, "volume")->stop_problem,
			 "exit status 1: umount: target is busy");
	ck_assert(engine_is_settled(world_find(w, "volume")));
	ck_assert(engine_is_at_rest(world_engine(w)) ||
		  world_find(w, "user")->state == STATE_STARTING);
	expect_log(w, "start user");
	world_settle(w);
	world_advance_s(w, 3600);
	expect_log(w, "");
	ck_assert(engine_is_at_rest(world_engine(w)));
}
END_TEST

START_TEST(another_stop_tries_again)
{
	g_autoptr(World) w = world_with_volume("");

	world_stop(w, "volume");
	world_stop_fails(w, "volume", "exit status 1", NULL);
	world_crash(w);
	expect_state(w, "volume", STATE_DONE);
	ck_assert_ptr_nonnull(world_find(w, "volume")->stop_problem);
	(void)world_log(w);

	world_stop(w, "volume");
	ck_assert_ptr_null(world_find(w, "volume")->stop_problem);
	expect_log(w, "stop volume");
	world_gone(w, "volume");
	expect_state(w, "volume", STATE_IDLE);
}
END_TEST

START_TEST(a_new_reason_to_stop_tries_again)
{
	g_autoptr(World) w = world_with_volume("");

	world_stop(w, "volume");
	world_stop_fails(w, "volume", "exit status 1", NULL);
	(void)world_log(w);
	world_set(w, "label:DATA", false);
	expect_log(w, "stop volume");
	world_stop_fails(w, "volume", "exit status 1", NULL);
	expect_log(w, "");
	world_runlevel(w, "0");
	expect_log(w, "stop volume");
}
END_TEST

START_TEST(a_restart_whose_stop_fails_is_over)
{
	g_autoptr(World) w = world_with_volume("");

	world_restart(w, "volume");
	world_stop_fails(w, "volume", "exit status 1", NULL);
	expect_log(w, "stop volume");
	ck_assert_ptr_nonnull(world_find(w, "volume")->stop_problem);
	world_start(w, "volume");
	ck_assert_ptr_null(world_find(w, "volume")->stop_problem);
	expect_log(w, "");
	expect_state(w, "volume", STATE_DONE);
}
END_TEST

/* --- OnLapse= and Settle= --- */

START_TEST(a_flapping_level_is_waited_out)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhile=flag:net\nSettle=2s\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	for (int i = 0; i < 5; i++) {
		world_set(w, "flag:net", false);
		world_advance_s(w, 1.5);
		world_set(w, "flag:net", true);
		world_advance_s(w, 1);
	}
	expect_log(w, "start it");
	world_set(w, "flag:net", false);
	world_advance_s(w, 2);
	expect_log(w, "stop it");
}
END_TEST

START_TEST(unknown_stops_the_clock_of_settle)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhile=flag:net\nSettle=2s\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	world_set(w, "flag:net", false);
	world_advance_s(w, 1);
	world_set_unknown(w, "flag:net");
	world_advance_s(w, 3600);
	expect_state(w, "it", STATE_READY);
}
END_TEST

START_TEST(on_lapse_keep_keeps_it)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhile=flag:net\nOnLapse=keep\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	world_set(w, "flag:net", false);
	world_advance_s(w, 60);
	expect_state(w, "it", STATE_READY);
	expect_cause(w, "it", "flag:net is false; kept (OnLapse=keep)");
}
END_TEST

START_TEST(on_lapse_reload_reloads_it_once)
{
	g_autoptr(World) w = world_new(
		DAEMON "Reload=signal:HUP\n[Conditions]\nWhile=flag:net\nOnLapse=reload\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	(void)world_log(w);
	world_set(w, "flag:net", false);
	world_advance_s(w, 60);
	expect_state(w, "it", STATE_READY);
	expect_log(w, "reload it");
}
END_TEST

START_TEST(policy_may_set_the_effect_of_a_lapse)
{
	g_autoptr(World) w =
		world_new_with_policy(DAEMON "[Conditions]\nWhile=flag:net\n",
				      "[runlevel 2]\nActivate=it\n[service it]\nOnLapse=keep\n");

	world_set(w, "flag:net", true);
	world_settle(w);
	world_set(w, "flag:net", false);
	expect_state(w, "it", STATE_READY);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("stop-order");

	ADD_CASE(suite, "order", shutdown_is_the_reverse_of_the_start,
		 what_has_no_order_stops_at_once, stop_after_comes_before_the_reverse_of_starting,
		 stop_order_said_takes_no_stop_order_from_the_start,
		 stop_order_said_keeps_the_declared_stop_order,
		 an_order_of_starting_orders_stopping_as_its_author_wants,
		 orders_of_stopping_that_go_round_in_a_circle_end,
		 a_stop_waits_only_for_those_that_stop_too);
	ADD_CASE(suite, "dependents", on_an_ordered_stop_dependents_stop_first,
		 on_a_crash_dependents_stop_after, settle_rides_a_restart_through,
		 settle_ends_when_the_other_does_not_come_back_in_time,
		 settle_ends_at_once_when_the_other_is_stopped_meanwhile,
		 without_settle_dependents_restart_too, a_reload_is_no_lapse);
	ADD_CASE(suite, "mounts", dependents_of_a_mount_stop_before_it_is_unmounted,
		 settle_keeps_no_service_on_a_volume_that_goes,
		 a_restart_of_a_mount_brings_back_its_dependents,
		 a_path_on_a_volume_is_on_the_innermost_mount,
		 a_shutdown_unmounts_when_all_that_was_started_on_a_mount_has_stopped,
		 a_start_cancels_the_stop_of_a_mount_that_still_waits,
		 not_mounted_becomes_true_only_by_a_report_from_the_kernel,
		 a_mount_whose_file_is_gone_is_still_one, a_task_whose_stop_fails_is_done_as_before,
		 another_stop_tries_again, a_new_reason_to_stop_tries_again,
		 a_restart_whose_stop_fails_is_over);
	ADD_CASE(suite, "lapse", a_flapping_level_is_waited_out, unknown_stops_the_clock_of_settle,
		 on_lapse_keep_keeps_it, on_lapse_reload_reloads_it_once,
		 policy_may_set_the_effect_of_a_lapse);
	return suite;
}
