/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, Type=script: a start command that ends, what it leaves running, and the commands that come after it.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/stage.h"
#include "tests/lib/suite.h"
#include "loop/loop.h"
#include "process/process-stat.h"

/* Each action is one branch of a case; every call is logged. "keep" starts a process in the background and notes its id. */
static const char script_head[] = "cd $(dirname $0)\n"
				  "echo $1 >>log\n"
				  "keep() { sleep 1000 & echo $! >$1; }\n"
				  "end() { kill $(cat $1); rm $1; }\n"
				  "end_and_wait() { p=$(cat $1); end $1; while kill -0 $p 2>&-; do sleep 0.02; done; }\n"
				  "case $1 in\n";

static const char script_keys[] = "[Service]\nType=script\nSuccessStatus=5 6\n"
				  "Exec=/bin/sh {DIR}/script start\nStop=/bin/sh {DIR}/script stop\n"
				  "Reload=/bin/sh {DIR}/script reload\nRestartCommand=/bin/sh {DIR}/script restart\n";

static Stage *script_set_exactly(const char *branches, const char *further_keys)
{
	g_autofree char *keys = g_strconcat(script_keys, further_keys, NULL);
	g_autofree char *script = g_strconcat(script_head, branches, "esac\n", NULL);
	Stage *stage = stage_set_in_directory(keys);

	tree_write(stage->tree, "/script", script);
	return stage;
}

static Stage *script_set(const char *branches, const char *further_keys)
{
	g_autofree char *keys = g_strconcat("PidFile={DIR}/pid\n", further_keys, NULL);

	return script_set_exactly(branches, keys);
}

static Stage *script_new_without_pid_file(const char *branches)
{
	Stage *stage = script_set_exactly(branches, "");

	stage_start(stage);
	return stage;
}

static Stage *script_new(const char *branches, const char *further_keys)
{
	Stage *stage = script_set(branches, further_keys);

	stage_start(stage);
	return stage;
}

static Stage *script_new_without_cgroups(const char *branches)
{
	Stage *stage = script_set(branches, "");

	stage->context.cgroup_root = NULL;
	stage_start(stage);
	return stage;
}

static void expect_log(const Stage *stage, const char *calls)
{
	g_autofree char *log = g_strdelimit(read_text(stage, "/log"), "\n", ' ');

	ck_assert_str_eq(log, calls);
}

static pid_t pid_in(const Stage *stage, const char *path)
{
	g_autofree char *text = read_text(stage, path);

	return (pid_t)atoi(text);
}

static bool has_main_of(const Stage *stage, const char *path)
{
	return has_file(stage, path) && supervisor_main_pid(stage->supervisor) == pid_in(stage, path);
}

static bool has_no_main(const Stage *stage, const char *unused)
{
	(void)unused;
	return supervisor_main_pid(stage->supervisor) == 0;
}

/* --- what the start command leaves --- */

START_TEST(one_process_that_is_left_is_the_main_process)
{
	Stage *stage = script_new("start) keep a ;; stop) end a ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	stage_stop(stage);

	expect_events(stage, "started\nmain pid\nready\nmain pid\nexited well: killed by signal TERM\ngone\n");
	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(several_processes_that_are_left_live_as_long_as_the_last_of_them)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	ck_assert_int_eq(kill(pid_in(stage, "/a"), SIGKILL), 0);
	run_until(stage, has_main_of, "/b"); /* the last one is followed */
	ck_assert_int_eq(kill(pid_in(stage, "/b"), SIGKILL), 0);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	expect_log(stage, "start");
	stage_free(stage);
}
END_TEST

START_TEST(script_that_leaves_nothing_is_done_and_its_stop_is_run_all_the_same)
{
	Stage *stage = script_new("", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	expect_events(stage, "started\nmain pid\nexited done: exit status 0; it left nothing running\ngone\n");
	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(what_success_status_covers_is_told_with_its_meaning)
{
	Stage *stage = script_new("start) exit 5 ;;\n", "");

	expect_event(stage, "exited done: exit status 5 (not installed); it left nothing running");
	stage_free(stage);
}
END_TEST

static const struct {
	const char *end;
	const char *told;
} failures[] = {
	{ "exit 1", "start failed: start failed: exit status 1" },
	{ "exit 2", "start failed: start failed: exit status 2 (invalid or too many arguments)" },
	{ "exit 3", "start failed: start failed: exit status 3 (it does not know this action)" },
	{ "exit 4", "start failed: start failed: exit status 4 (insufficient privilege)" },
	{ "exit 7", "start failed: start failed: exit status 7 (not running)" },
	{ "exit 150", "start failed: start failed: exit status 150" },
	{ "kill -TERM $$", "start failed: start failed: killed by signal TERM" },
};

START_TEST(start_that_fails_says_what_its_status_means)
{
	g_autofree char *branches = g_strdup_printf("start) %s ;;\n", failures[_i].end);
	Stage *stage = script_new(branches, "");

	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, failures[_i].told), "%s", stage->events->str);
	expect_log(stage, "start");
	stage_free(stage);
}
END_TEST

START_TEST(script_that_cannot_be_executed_says_why)
{
	Stage *stage = stage_new("[Service]\nType=script\nExec=/no/such/script start\nStop=/no/such/script stop\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: cannot execute /no/such/script: No such file or directory\ngone\n");
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_dies_at_once_is_noticed)
{
	Stage *stage = script_new("start) (sleep 0.1; exit 78) & ;;\n", "");

	expect_event(stage, "ready");
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: exit status 78"));
	stage_free(stage);
}
END_TEST

START_TEST(loose_end_of_the_start_command_that_ends_well_leaves_it_done)
{
	Stage *stage = script_new("start) (sleep 0.1) & ;;\n", "");

	expect_event(stage, "ready");
	expect_event(stage, "exited done: what its start command left running has ended: exit status 0");
	stage_stop(stage);

	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(process_in_between_is_not_taken_for_the_daemon)
{
	Stage *stage = script_new("start) (keep a; sleep 0.1) & ;; stop) end a ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

/* --- the pid file is a hint --- */

START_TEST(pid_file_names_the_main_process_among_several)
{
	Stage *stage = script_new("start) keep a; keep pid; keep b ;; stop) end a; end b; end pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	ck_assert_int_eq(kill(pid_in(stage, "/pid"), SIGKILL), 0);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	stage_free(stage);
}
END_TEST

START_TEST(pid_file_may_appear_later)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");
	g_autofree char *from = tree_path(stage->tree, "/b");
	g_autofree char *to = tree_path(stage->tree, "/pid");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	ck_assert_int_eq(link(from, to), 0);
	run_until(stage, has_main_of, "/pid");

	stage_free(stage);
}
END_TEST

static const char *const strange_pid_files[] = { "1", "$PPID", "4194000", "nonsense", "" };

START_TEST(pid_file_that_names_a_stranger_is_not_believed)
{
	g_autofree char *branches = g_strdup_printf("start) keep a; keep b; echo %s >pid ;; stop) end a; end b ;;\n",
						    strange_pid_files[_i]);
	Stage *stage = script_new(branches, "");

	expect_event(stage, "ready");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), 0);
	stage_stop(stage);

	ck_assert_int_eq(kill(getpid(), 0), 0);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt"), 0);
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_replaces_itself_is_followed_by_its_pid_file)
{
	Stage *stage = script_new("start) keep a; keep pid ;; stop) end a; end pid ;;\n", "");
	pid_t before;

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	before = supervisor_main_pid(stage->supervisor);
	g_autofree char *a = tree_path(stage->tree, "/a");
	g_autofree char *pid = tree_path(stage->tree, "/pid");
	ck_assert_int_eq(rename(a, pid), 0);
	ck_assert_int_eq(kill(before, SIGKILL), 0);
	run_until(stage, has_main_of, "/pid");

	ck_assert_int_ne(supervisor_main_pid(stage->supervisor), before);
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

START_TEST(daemon_that_replaces_itself_is_followed_without_a_pid_file)
{
	/* On USR2 it starts another, and ends with success. */
	Stage *stage = script_new_without_pid_file(
		"start) (trap 'keep b; exit 0' USR2; >trapped; while :; do sleep 0.02; done) & echo $! >a ;;\n"
		"stop) end b ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	/* Without its note, the next manager takes it for one that has been up for long. */
	keeper_link_note(stage->context.link, STAGE_SERVICE, "garbage");
	stage_crash(stage);
	run_until(stage, has_main_of, "/a");
	expect_file(stage, "/trapped");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGUSR2), 0);
	run_until(stage, has_main_of, "/b");

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_stop(stage);
	stage_free(stage);
}
END_TEST

/* --- stopping --- */

START_TEST(stop_command_that_does_nothing_is_followed_by_term)
{
	Stage *stage = script_new("start) keep pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "signal main TERM"), 1);
	stage_free(stage);
}
END_TEST

START_TEST(stop_command_that_hangs_is_killed_after_its_limit_with_the_main_process)
{
	Stage *stage = script_new("start) keep pid ;; stop) exec sleep 1000 ;;\n", "StopTimeout=300ms\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited badly: killed by signal KILL: still running 300 ms after it was told to stop"));
	stage_free(stage);
}
END_TEST

static bool is_gone(const Stage *stage, const char *path)
{
	return kill(pid_in(stage, path), 0) < 0;
}

START_TEST(with_kill_mode_process_what_the_main_process_left_behind_stays)
{
	Stage *stage = script_new("start) keep pid; keep session ;;\n", "KillMode=process\n");
	g_autofree char *cgroup = NULL;

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	cgroup = g_strdup(supervisor_cgroup(stage->supervisor));
	stage_stop(stage);
	ck_assert(!is_gone(stage, "/session"));

	ck_assert_int_eq(kill(pid_in(stage, "/session"), SIGKILL), 0);
	run_until(stage, is_gone, "/session");
	ck_assert_int_eq(rmdir(cgroup), 0);
	stage_free(stage);
}
END_TEST

START_TEST(what_the_stop_command_left_is_ended_with_the_group)
{
	Stage *stage = script_new("start) keep a; keep b ;;\n", "");

	expect_event(stage, "ready");
	stage_stop(stage);

	run_until(stage, is_gone, "/a"); /* dead it is: until its parent looks */
	run_until(stage, is_gone, "/b");
	stage_free(stage);
}
END_TEST

START_TEST(start_that_hangs_is_ended_and_its_stop_command_undoes_what_it_did)
{
	Stage *stage = script_new("start) keep a; wait ;; stop) end a ;;\n", "StartTimeout=300ms\n");

	expect_event(stage, "gone");

	expect_events(stage, "started\nstart failed: start not finished after 300 ms\ngone\n");
	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(stop_in_the_middle_of_a_start_undoes_it)
{
	Stage *stage = script_new("start) keep a; wait ;; stop) end a ;;\n", "");

	expect_file(stage, "/a");
	stage_stop(stage);

	expect_log(stage, "start stop");
	ck_assert_ptr_null(strstr(stage->events->str, "ready"));
	stage_free(stage);
}
END_TEST

/* --- reload and restart --- */

/* What was asked for has been looked at. */
static void settle(Stage *stage)
{
	while (g_main_context_pending(NULL))
		g_main_context_iteration(NULL, FALSE);
	(void)stage;
}

START_TEST(main_process_is_looked_for_anew_after_a_reload)
{
	Stage *stage = script_new("start) keep pid ;; reload) end pid; keep pid ;; stop) end pid ;;\n", "");
	pid_t before;

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	before = supervisor_main_pid(stage->supervisor);
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reloaded");
	run_until(stage, has_main_of, "/pid");

	ck_assert_int_ne(supervisor_main_pid(stage->supervisor), before);
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

START_TEST(script_that_is_done_can_be_reloaded)
{
	Stage *stage = script_new("reload) exit 3 ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_reload(stage->supervisor);
	expect_event(stage, "reload failed: exit status 3 (it does not know this action)");
	stage_stop(stage);

	expect_log(stage, "start reload stop");
	stage_free(stage);
}
END_TEST

START_TEST(restart_command_replaces_the_daemon_while_the_service_stays_up)
{
	Stage *stage = script_new("start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_stop(stage);

	expect_log(stage, "start restart stop");
	stage_free(stage);
}
END_TEST

START_TEST(restart_command_that_fails_is_told_and_what_still_runs_stays_up)
{
	Stage *stage = script_new("start) keep pid ;; restart) exit 6 ;; stop) end pid ;;\n", "SuccessStatus=\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: exit status 6 (not configured)");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));

	stage_free(stage);
}
END_TEST

static const struct {
	const char *restart;
	const char *told;
} endings[] = {
	{ "exit 0", "exited well: its restart left nothing running: exit status 0" },
	{ "exit 1", "exited badly: its restart left nothing running: exit status 1" },
	{ "kill -KILL $$", "exited badly: its restart left nothing running: killed by a signal" },
};

START_TEST(restart_command_that_leaves_nothing_running_is_an_exit)
{
	g_autofree char *branches = g_strdup_printf("start) keep pid ;; restart) end_and_wait pid; %s ;;\n", endings[_i].restart);
	Stage *stage = script_new(branches, "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "gone");

	ck_assert_msg(has_event(stage, endings[_i].told), "%s", stage->events->str);
	stage_free(stage);
}
END_TEST

START_TEST(main_process_that_takes_its_time_to_end_after_a_restart_is_no_exit)
{
	Stage *stage = script_new("start) keep a ;; restart) (sleep 0.2; kill -KILL $(cat a)) & keep b ;; stop) end b ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	ck_assert_int_eq(supervisor_main_pid(stage->supervisor), pid_in(stage, "/a"));
	run_until(stage, has_main_of, "/b");

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	stage_free(stage);
}
END_TEST

START_TEST(main_process_that_ends_after_a_restart_that_left_nothing_else_is_an_exit)
{
	Stage *stage = script_new("start) keep a ;; restart) (sleep 0.2; kill $(cat a)) & ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/a");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal TERM") ||
		  has_event(stage, "exited badly: its last process ended, and nobody knows how") ||
		  has_event(stage, "exited well: exit status 0")); /* whoever of the two ended last */
	stage_free(stage);
}
END_TEST

START_TEST(script_that_is_done_is_ready_when_its_restart_leaves_a_daemon)
{
	Stage *stage = script_new("restart) keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	expect_event(stage, "exited badly: killed by signal KILL");
	expect_event(stage, "gone");

	expect_log(stage, "start restart");
	stage_free(stage);
}
END_TEST

START_TEST(processes_that_come_into_the_group_of_a_done_script_make_it_ready)
{
	Stage *stage = script_new("stop) end a ;;\n", "");
	g_autofree char *command = NULL;

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	command = g_strdup_printf("echo $$ >%s/cgroup.procs; sleep 1000 & echo $! >%s/a",
				  supervisor_cgroup(stage->supervisor), stage->tree->root);
	ck_assert_int_eq(system(command), 0);
	expect_event(stage, "ready");
	stage_stop(stage);

	stage_free(stage);
}
END_TEST

START_TEST(restart_command_that_hangs_is_ended)
{
	Stage *stage = script_new("start) keep pid ;; restart) exec sleep 1000 ;; stop) end pid ;;\n",
				  "StartTimeout=200ms\nStopTimeout=100ms\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: not finished after 300 ms");
	run_until(stage, has_main_of, "/pid");
	ck_assert_ptr_null(strstr(stage->events->str, "exited"));

	stage_free(stage);
}
END_TEST

START_TEST(restart_waits_for_the_reload_before_it)
{
	Stage *stage = script_new("start) keep pid ;; reload) touch here; sleep 0.2 ;; restart) end pid; keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "ready");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/here");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	ck_assert(has_event(stage, "reloaded"));
	stage_stop(stage);

	expect_log(stage, "start reload restart stop");
	stage_free(stage);
}
END_TEST

START_TEST(restart_asked_while_the_one_before_is_being_ended_comes_after_it)
{
	Stage *stage = script_new("restart) [ -e hung ] || { touch hung; exec sleep 1000; } ;;\n",
				  "StartTimeout=200ms\nStopTimeout=100ms\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restart failed: not finished after 300 ms");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");

	expect_log(stage, "start restart restart");
	stage_free(stage);
}
END_TEST

/* Waits until the test says "go". */
#define HELD "touch here; while [ ! -e go ]; do sleep 0.02; done"

START_TEST(reload_asked_in_the_middle_of_a_restart_comes_after_it)
{
	Stage *stage = script_new("restart) " HELD " ;;\n", "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	supervisor_reload(stage->supervisor);
	settle(stage);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, "reloaded");

	ck_assert(has_event(stage, "restarted: exit status 0"));
	expect_log(stage, "start restart reload");
	stage_free(stage);
}
END_TEST

START_TEST(stop_in_the_middle_of_a_restart_comes_after_it)
{
	Stage *stage = script_new("start) keep pid ;; restart) end pid; touch here; sleep 0.2; keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	stage_stop(stage);

	expect_log(stage, "start restart stop");
	ck_assert(!has_file(stage, "/pid")); /* the daemon that the restart began is not left over */
	stage_free(stage);
}
END_TEST

/* --- without cgroup v2 --- */

START_TEST(without_cgroups_the_pid_file_alone_names_what_runs)
{
	Stage *stage = script_new_without_cgroups("start) keep pid ;; stop) end pid ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	ck_assert(has_event(stage, "exited well: killed by signal TERM"));
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_and_pid_file_a_script_is_done)
{
	Stage *stage = script_new_without_cgroups("start) keep a ;; stop) end a ;;\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

static bool is_older_than_a_tick(const Stage *stage, const char *pid)
{
	ProcessStat stat;

	(void)stage;
	return process_stat_read((pid_t)atoi(pid), &stat) && loop_now() > stat.started_us + 100 * G_TIME_SPAN_MILLISECOND;
}

START_TEST(without_cgroups_a_process_older_than_the_start_is_a_stranger)
{
	Stage *stage = script_set("start) cp older pid ;;\n", "");
	pid_t older = fork();

	if (older == 0) {
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	g_autofree char *text = g_strdup_printf("%d\n", (int)older);
	tree_write(stage->tree, "/older", text);
	run_until(stage, is_older_than_a_tick, text);
	stage->context.cgroup_root = NULL;
	stage_start(stage);
	expect_event(stage, "exited done: exit status 0; it left nothing running");
	stage_stop(stage);

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt"), 0);
	ck_assert_int_eq(kill(older, SIGKILL), 0);
	stage_free(stage);
}
END_TEST

START_TEST(without_cgroups_a_restart_is_followed_by_the_pid_file)
{
	Stage *stage = script_new_without_cgroups("start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	expect_event(stage, "restarted: exit status 0");
	run_until(stage, has_main_of, "/pid");
	ck_assert(!has_event(stage, "exited well: killed by signal TERM"));
	stage_stop(stage);

	expect_log(stage, "start restart stop");
	stage_free(stage);
}
END_TEST

/* --- the manager dies --- */

START_TEST(manager_that_dies_all_the_time_runs_each_command_once)
{
	Stage *stage = script_new("start) keep pid ;; restart) end pid; keep pid ;; stop) end pid ;;\n", "");
	unsigned n_crashes;

	n_crashes = run_with_crashes(stage, "ready", _i + 2, NULL);
	run_until(stage, has_main_of, "/pid");
	supervisor_restart(stage->supervisor);
	n_crashes += run_with_crashes(stage, "restarted: exit status 0", _i + 2, supervisor_restart);
	run_until(stage, has_main_of, "/pid");
	supervisor_stop(stage->supervisor);
	n_crashes += run_with_crashes(stage, "gone", _i + 2, supervisor_stop);
	if (_i < 4)
		ck_assert_uint_gt(n_crashes, 0); /* on a busy machine one turn sees more, and there are fewer turns */

	expect_log(stage, "start restart stop");
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "spawn"), 3);
	stage_free(stage);
}
END_TEST

START_TEST(manager_that_dies_all_the_time_runs_start_and_stop_of_a_done_script_once)
{
	Stage *stage = script_new("", "");

	(void)run_with_crashes(stage, "exited done: exit status 0; it left nothing running", _i + 2, false);
	supervisor_stop(stage->supervisor);
	(void)run_with_crashes(stage, "gone", _i + 2, supervisor_stop);

	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

static bool has_lost_main_twice(const Stage *stage, const char *unused)
{
	(void)unused;
	return count_lines(stage->events->str, "main pid") == 2;
}

/* The file was changed while the command ran, and the next manager reads it. */
static void lose_commands(ServiceDef *def)
{
	g_clear_pointer(&def->restart_command, command_free);
	g_clear_pointer(&def->reload.command, command_free);
	def->reload.kind = ACTION_NONE;
	g_clear_pointer(&def->stop.command, command_free);
	def->stop.kind = ACTION_SIGNAL;
	def->stop.signal = SIGTERM;
}

static const struct {
	void (*ask)(Supervisor *supervisor);
	const char *branches;
	const char *event;
	const char *calls;
} lost_commands[] = {
	{ supervisor_restart, "restart) " HELD " ;;\n", "restarted: exit status 0", "start restart" },
	{ supervisor_restart, "restart) " HELD "; exit 1 ;;\n", "restart failed: exit status 1", "start restart" },
	{ supervisor_reload, "reload) " HELD "; exit 1 ;;\n", "reload failed: exit status 1", "start reload" },
	{ supervisor_stop, "stop) " HELD "; exit 1 ;;\n", "gone", "start stop" },
};

START_TEST(command_that_is_not_in_the_file_any_more_ends_as_it_would_have)
{
	Stage *stage = script_new(lost_commands[_i].branches, "");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	lost_commands[_i].ask(stage->supervisor);
	expect_file(stage, "/here");
	lose_commands(stage->def);
	stage_crash(stage);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, lost_commands[_i].event);

	expect_log(stage, lost_commands[_i].calls);
	stage_free(stage);
}
END_TEST

START_TEST(reload_command_that_hangs_and_is_not_in_the_file_any_more_is_ended)
{
	Stage *stage = script_new("reload) " HELD " ;;\n", "StartTimeout=300ms\n");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_reload(stage->supervisor);
	expect_file(stage, "/here");
	lose_commands(stage->def);
	stage_crash(stage);
	expect_event(stage, "reload failed: its command not finished after 300 ms");

	stage_free(stage);
}
END_TEST

START_TEST(newest_stop_command_is_run_though_it_came_in_the_middle_of_a_restart)
{
	Stage *stage = script_new("restart) " HELD " ;;\n", "");
	Command *stop = stage->def->stop.command;

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	supervisor_restart(stage->supervisor);
	expect_file(stage, "/here");
	g_free(stop->argv[2]);
	stop->argv[2] = g_strdup("new-stop");
	supervisor_redefine(stage->supervisor, stage->def);
	supervisor_stop(stage->supervisor);
	tree_write(stage->tree, "/go", "");
	expect_event(stage, "gone");

	expect_log(stage, "start restart new-stop");
	stage_free(stage);
}
END_TEST

/* Later than anybody waits for it. */
START_TEST(pid_file_of_a_done_script_that_proves_wrong_late_leaves_it_done)
{
	Stage *stage = script_new_without_cgroups("");

	expect_event(stage, "exited done: exit status 0; it left nothing running");
	keeper_link_note(stage->context.link, STAGE_SERVICE, "adopt:4194000:1:-x");
	stage_crash(stage);
	run_until(stage, has_lost_main_twice, NULL);
	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "adopt "), 1);
	stage_stop(stage);

	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(several_processes_are_still_up_for_the_next_manager)
{
	Stage *stage = script_new("start) keep a; keep b ;; stop) end a; end b ;;\n", "");

	expect_event(stage, "ready");
	stage_crash(stage);
	run_until(stage, has_no_main, NULL);
	stage_stop(stage);

	ck_assert_ptr_null(strstr(stage->events->str, "exited"));
	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

START_TEST(exit_while_no_manager_looked_is_learnt)
{
	Stage *stage = script_new("start) keep pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	ck_assert_int_eq(kill(supervisor_main_pid(stage->supervisor), SIGKILL), 0);
	stage_crash(stage);
	expect_event(stage, "gone");

	ck_assert(has_event(stage, "exited badly: killed by signal KILL"));
	stage_free(stage);
}
END_TEST

START_TEST(lost_note_means_that_what_lives_is_ready)
{
	Stage *stage = script_new("start) keep pid ;; stop) end pid ;;\n", "");

	expect_event(stage, "ready");
	run_until(stage, has_main_of, "/pid");
	keeper_link_note(stage->context.link, STAGE_SERVICE, "garbage");
	stage_crash(stage);
	run_until(stage, has_main_of, "/pid");
	stage_stop(stage);

	expect_log(stage, "start stop");
	stage_free(stage);
}
END_TEST

/* --- the suite --- */

/* What cannot be promised without cgroup v2 (docs/processes.md). */
static void add_cases_with_cgroups(Suite *suite)
{
	ADD_CASE(suite, "left", one_process_that_is_left_is_the_main_process,
		 several_processes_that_are_left_live_as_long_as_the_last_of_them, daemon_that_dies_at_once_is_noticed,
		 loose_end_of_the_start_command_that_ends_well_leaves_it_done, process_in_between_is_not_taken_for_the_daemon);
	ADD_CASE(suite, "pid file", pid_file_names_the_main_process_among_several, pid_file_may_appear_later,
		 daemon_that_replaces_itself_is_followed_by_its_pid_file,
		 daemon_that_replaces_itself_is_followed_without_a_pid_file);
	suite_add_loop(suite, "strange pid files", pid_file_that_names_a_stranger_is_not_believed,
		       G_N_ELEMENTS(strange_pid_files));
	ADD_CASE(suite, "stop", stop_command_that_does_nothing_is_followed_by_term,
		 stop_command_that_hangs_is_killed_after_its_limit_with_the_main_process,
		 with_kill_mode_process_what_the_main_process_left_behind_stays,
		 what_the_stop_command_left_is_ended_with_the_group);
	ADD_CASE(suite, "restart", main_process_is_looked_for_anew_after_a_reload,
		 restart_command_replaces_the_daemon_while_the_service_stays_up,
		 restart_command_that_fails_is_told_and_what_still_runs_stays_up,
		 main_process_that_takes_its_time_to_end_after_a_restart_is_no_exit,
		 main_process_that_ends_after_a_restart_that_left_nothing_else_is_an_exit,
		 script_that_is_done_is_ready_when_its_restart_leaves_a_daemon,
		 processes_that_come_into_the_group_of_a_done_script_make_it_ready, restart_command_that_hangs_is_ended,
		 restart_waits_for_the_reload_before_it);
	suite_add_loop(suite, "restart that ends it", restart_command_that_leaves_nothing_running_is_an_exit,
		       G_N_ELEMENTS(endings));
	ADD_CASE(suite, "crash", several_processes_are_still_up_for_the_next_manager, exit_while_no_manager_looked_is_learnt,
		 lost_note_means_that_what_lives_is_ready);
	suite_add_loop(suite, "crash, all the time", manager_that_dies_all_the_time_runs_each_command_once, 40);
}

Suite *make_suite(void)
{
	Suite *suite = suite_create("supervise-script");

	ADD_CASE(suite, "start", script_that_leaves_nothing_is_done_and_its_stop_is_run_all_the_same,
		 what_success_status_covers_is_told_with_its_meaning, script_that_cannot_be_executed_says_why,
		 start_that_hangs_is_ended_and_its_stop_command_undoes_what_it_did, stop_in_the_middle_of_a_start_undoes_it,
		 script_that_is_done_can_be_reloaded, restart_asked_while_the_one_before_is_being_ended_comes_after_it,
		 reload_asked_in_the_middle_of_a_restart_comes_after_it, stop_in_the_middle_of_a_restart_comes_after_it);
	suite_add_loop(suite, "start that fails", start_that_fails_says_what_its_status_means, G_N_ELEMENTS(failures));
	suite_add_loop(suite, "crash of a done one",
		       manager_that_dies_all_the_time_runs_start_and_stop_of_a_done_script_once, 40);
	suite_add_loop(suite, "crash and another file", command_that_is_not_in_the_file_any_more_ends_as_it_would_have,
		       G_N_ELEMENTS(lost_commands));
	ADD_CASE(suite, "another file", reload_command_that_hangs_and_is_not_in_the_file_any_more_is_ended,
		 newest_stop_command_is_run_though_it_came_in_the_middle_of_a_restart);
	ADD_CASE(suite, "without cgroups", pid_file_of_a_done_script_that_proves_wrong_late_leaves_it_done,
		 without_cgroups_the_pid_file_alone_names_what_runs,
		 without_cgroups_and_pid_file_a_script_is_done, without_cgroups_a_process_older_than_the_start_is_a_stranger,
		 without_cgroups_a_restart_is_followed_by_the_pid_file);
	if (has_cgroups())
		add_cases_with_cgroups(suite);
	return suite;
}
