/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps of a script: a start command that ends, and the processes that it left
 * running. The service consists of all processes in its cgroup. A main process is looked for, by
 * PID file or as the only child of the keeper among them, but none is needed.
 *
 * The exit status of a script is weak evidence (LSB: 0 even if nothing was started), and daemons
 * lose processes while they go into the background. So for SETTLE_US after each command, a process
 * that ends with success, or without a visible exit, counts as a part of that command. Then another
 * main process is looked for, or nothing is left and the service is done. After that time such an
 * end is reported as an exit. A script with Restart= is expected to have a daemon, so the end of
 * its last process is always reported as an exit.
 */
#include "config.h"

#include <sys/wait.h>

#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/supervise-private.h"

/*
 * The time after a command in which its remaining processes may end and a PID file is looked for. A
 * daemon needs less time to start.
 */
#define SETTLE_US (10 * G_USEC_PER_SEC)

/* How long after a failed restart the old daemon may still end. */
#define RESTART_RECHECK_US (2 * G_USEC_PER_SEC)

/*
 * The index of STEP_RESTART if the command failed while the old daemon ran: this number plus the
 * exit status of the command.
 */
#define RESTART_RECHECK 2

static bool is_settling(const Supervisor *s)
{
	return timer_is_armed(s->limit);
}

static bool has_cgroup(const Supervisor *s)
{
	return cgroup_is_known(s->cgroup);
}

static bool is_populated(const Supervisor *s)
{
	return cgroup_population(s->cgroup) == CGROUP_POPULATED;
}

/* Restart= implies a daemon. Without cgroups it may run unseen. */
static bool has_daemon(const Supervisor *s)
{
	return s->plan.latest->restart != RESTART_NO && has_cgroup(s);
}

/* --- the main process --- */

/* If the row has no process any more, the engine publishes no main process. */
static void forget_main(Supervisor *s)
{
	if (!s->rows[ROLE_MAIN].in_use)
		supervisor_event(s, PROCESS_MAIN_PID, NULL);
}

/* --- main: the start command --- */

static void script_start_ended(Supervisor *s, const struct MessageExited *exit)
{
	const bool is_executed = !s->rows[ROLE_MAIN].problem;
	g_autofree char *text = step_describe_action(s, ROLE_MAIN, exit);

	if (is_executed &&
	    outcome_script_is_success(&s->plan, s->plan.def->exec, exit->code, exit->status))
		supervisor_go(s, STEP_LEFT,
			      exit->code == CLD_EXITED ? (unsigned)exit->status : LEFT_KILLED);
	else
		supervisor_fail_start(s, STEP_REST, is_executed ? "start failed: %s" : "%s", text);
}

/*
 * The start command may have done a part of its work. Only the script's stop command can undo that.
 */
static void script_start_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);

	supervisor_fail_start(s, STEP_TERM, "start not finished after %s", limit);
	supervisor_go(s, STEP_TERM, 1);
}

static void script_start_stop(Supervisor *s)
{
	supervisor_go(s, STEP_TERM, 1);
}

static void script_term_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	const bool is_undone = s->index == 0;

	step_term_main_ended(s, exit);
	if (!is_undone)
		supervisor_go(s, STEP_STOP, 0);
}

/* --- left: after a command --- */

void script_is_up(Supervisor *s)
{
	const bool is_reported = s->was_ready && !s->exit_reported;

	supervisor_go(s, STEP_READY, 0);
	s->was_ready = true;
	s->exit_reported = false;
	if (!is_reported)
		supervisor_event(s, PROCESS_READY, NULL);
}

static char *describe_left(unsigned index)
{
	return index == LEFT_KILLED ? g_strdup("killed by a signal") :
				      outcome_describe_script(CLD_EXITED, (int)index);
}

/*
 * The service was up, and its restart or reload left nothing running. A daemon is started once
 * more.
 */
static void end_after_command(Supervisor *s)
{
	struct MessageExited unknown = { .at_us = (uint64_t)loop_now() };
	const bool is_reload = s->index == LEFT_RELOADED;
	g_autofree char *end = describe_left(s->index);
	g_autofree char *text =
		is_reload ? g_strdup("its reload left nothing running") :
			    g_strdup_printf("its restart left nothing running: %s", end);
	const bool has_exited = !is_reload && s->index != LEFT_KILLED;

	if (has_exited && has_daemon(s))
		supervisor_report_restart_end(s, &unknown, text);
	else
		supervisor_report_exit(
			s, &unknown, has_exited && plan_counts_as_success(&s->plan, (int)s->index),
			text);
	supervisor_go(s, STEP_REST, 0);
}

static void end_with_nothing(Supervisor *s)
{
	g_autofree char *end = describe_left(s->index);
	g_autofree char *text = g_strdup_printf("%s; it left nothing running", end);
	const struct MessageExited now = { .at_us = (uint64_t)loop_now() };

	if (has_daemon(s)) { /* the daemon may be disabled, or not configured */
		supervisor_report_exit(s, &now, true, text);
		supervisor_go(s, STEP_REST, 0);
	} else {
		supervisor_report_done(s, text);
		supervisor_go(s, STEP_DONE, 0);
	}
}

void script_left_enter(Supervisor *s)
{
	const bool was_up = s->was_ready && !s->exit_reported;

	supervisor_set_limit(s, loop_now() + SETTLE_US);
	forget_main(s);
	/*
	 * Without cgroups a PID file may be written later. It is waited for if the service was up.
	 */
	if (s->rows[ROLE_MAIN].in_use || is_populated(s) ||
	    (was_up && !has_cgroup(s) && s->plan.def->pid_file))
		script_is_up(s);
	else if (was_up)
		end_after_command(s);
	else
		end_with_nothing(s);
}

/* --- ready --- */

/*
 * If a daemon that has died is to be started again, its Stop= runs first. The script may refuse a
 * start while a PID file or processes are left, and its "stop" removes these.
 */
static void end_run(Supervisor *s)
{
	const bool is_repeated = has_daemon(s) &&
				 s->context->starts_again(s->context->data, s->plan.def->name);

	supervisor_go(s, is_repeated ? STEP_STOP : STEP_REST, 0);
}

/* No process is left, and no exit status was collected. */
static void last_has_ended(Supervisor *s)
{
	struct MessageExited unknown = { .at_us = (uint64_t)loop_now() };

	cgroup_watch(s->cgroup, false);
	if (is_settling(s) && !s->has_run && !has_daemon(s)) {
		supervisor_report_done(s, "the processes that its start command left have ended");
		supervisor_go(s, STEP_DONE, 0);
	} else {
		supervisor_report_exit(s, &unknown, false,
				       "its last process ended, exit status unknown");
		end_run(s);
	}
}

static void script_ready_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	(void)n_processes;
	(void)problem;
	if (pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
	else if (!is_populated(s) && (has_cgroup(s) || !is_settling(s)))
		last_has_ended(s);
	else if (is_settling(s))
		step_poll_again(s);
}

static void script_ready_look(Supervisor *s)
{
	if (s->rows[ROLE_MAIN].in_use)
		return;
	if (has_cgroup(s) && !is_populated(s))
		last_has_ended(s);
	else
		supervisor_search_main(s, has_cgroup(s));
}

static void script_ready_enter(Supervisor *s)
{
	cgroup_watch(s->cgroup, true);
	script_ready_look(s);
}

static void script_settled(Supervisor *s)
{
	supervisor_set_limit(s, 0);
	supervisor_row(s)->changed(s);
}

/*
 * A restart or a reload may have ended this process with some delay; then its exit status does not
 * matter. A script that does not wait for that end may start no new daemon, because the old one
 * still runs. With Restart= the service is started once more.
 */
static void end_without_successor(Supervisor *s)
{
	static const struct MessageExited unknown; /* an earlier manager has reported the exit */
	const struct MessageExited *exit = s->last_exit ? s->last_exit : &unknown;
	const bool is_replaced = is_settling(s) && s->has_run;
	const bool ended_well =
		s->index == 0 ||
		(is_replaced && outcome_is_success(&s->plan, exit->code, exit->status));
	const bool is_loose_end = is_replaced || (is_settling(s) && ended_well);
	g_autofree char *text = step_describe_exit(s, exit);

	if (is_loose_end && is_populated(s)) {
		forget_main(s);
		supervisor_go(s, STEP_READY, 0);
	} else if (is_loose_end && !is_replaced && !has_daemon(s)) {
		supervisor_report_done(
			s, "the processes that its start command left have ended: exit status 0");
		supervisor_go(s, STEP_DONE, 0);
	} else {
		const bool leaves_others = s->plan.latest->kill_mode != KILL_MODE_CONTROL_GROUP &&
					   is_populated(s);
		g_autofree char *all =
			leaves_others ? g_strdup_printf("%s; its other processes still run", text) :
					NULL;

		if (is_replaced && ended_well && has_daemon(s))
			supervisor_report_restart_end(s, exit, all ? all : text);
		else
			supervisor_report_exit(s, exit,
					       is_replaced ?
						       ended_well :
						       outcome_is_success(&s->plan, exit->code,
									  exit->status),
					       all ? all : text);
		end_run(s);
	}
}

void script_seek_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	(void)n_processes;
	(void)problem;
	if (pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid); /* another process has replaced it */
	else
		end_without_successor(s);
}

/*
 * A daemon may replace itself by another process, as nginx does for an upgrade. Without a PID file
 * that process cannot be distinguished from a lost child of the daemon. So a successor is guessed
 * only if the main process ended on purpose (status 0).
 */
void script_seek_enter(Supervisor *s)
{
	const bool with_guess = s->index == 0 && !s->plan.def->pid_file && has_cgroup(s);

	if ((has_cgroup(s) && !is_populated(s)) || (!s->plan.def->pid_file && !with_guess))
		end_without_successor(s);
	else
		supervisor_search_main(s, with_guess);
}

static void script_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	supervisor_go(s, STEP_SEEK,
		      exit->code == CLD_EXITED ? (unsigned)exit->status : LEFT_KILLED);
}

/* The process has ended meanwhile, or is not the keeper's child yet. */
void script_adopt_failed(Supervisor *s)
{
	supervisor_stay(s, s->exit_reported ? STEP_DONE : STEP_READY, 0);
	cgroup_watch(s->cgroup, true);
	forget_main(s);
	if (is_settling(s))
		step_poll_again(s);
	else if (!s->exit_reported && !is_populated(s))
		last_has_ended(s);
}

/* --- done: no process runs, but one may appear --- */

static void script_done_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	(void)n_processes;
	(void)problem;
	if (pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
	else if (is_settling(s))
		step_poll_again(s);
}

static void script_done_look(Supervisor *s)
{
	if (is_populated(s))
		supervisor_go(s, STEP_LEFT, 0);
	else if (!has_cgroup(s) && s->plan.def->pid_file && is_settling(s))
		supervisor_search_main(s, false);
}

static void script_done_enter(Supervisor *s)
{
	cgroup_watch(s->cgroup, true);
	script_done_look(s);
}

/* --- reload and restart: commands of a service that is up --- */

/* Finds out anew which processes run. */
static void look_at_what_is_left(Supervisor *s, unsigned index)
{
	s->has_run |= s->was_ready && !s->exit_reported;
	supervisor_go(s, STEP_LEFT, index);
}

static void script_reload_enter(Supervisor *s)
{
	const Command *command = s->plan.latest->reload.command;
	g_autoptr(GError) error = NULL;

	supervisor_set_limit(s, loop_now() + s->plan.def->start_limit_us);
	if (command && supervisor_spawn(s, ROLE_CONTROL, command, &error))
		return;
	supervisor_event(s, PROCESS_RELOAD_FAILED,
			 error ? error->message : "it has no Reload= command any more");
	look_at_what_is_left(s, LEFT_RELOADED);
}

static void script_reload_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_action(s, ROLE_CONTROL, exit);
	const bool has_failed = step_control_failed(s->plan.latest->reload.command, exit);

	if (s->index == 0) /* otherwise the reload took too long, which was reported */
		supervisor_event(s, has_failed ? PROCESS_RELOAD_FAILED : PROCESS_RELOADED,
				 has_failed ? text : NULL);
	look_at_what_is_left(s, LEFT_RELOADED);
}

void script_restart_enter(Supervisor *s)
{
	const Command *command = s->plan.latest->restart_command;
	g_autoptr(GError) error = NULL;

	if (s->index >= RESTART_RECHECK)
		return; /* begun by the previous manager */
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us +
					s->plan.def->start_limit_us);
	if (command && supervisor_spawn(s, ROLE_CONTROL, command, &error))
		return;
	supervisor_event(s, PROCESS_RESTART_FAILED,
			 error ? error->message : "it has no RestartCommand= any more");
	look_at_what_is_left(s, LEFT_KILLED);
}

/*
 * The "restart" of many scripts does not wait for the end of the old daemon, and fails because the
 * old daemon still runs. If that daemon ends, the script is started once more, and the result of
 * that start is the result of the restart.
 */
static bool recheck_restart(Supervisor *s, const struct MessageExited *exit)
{
	if (exit->code != CLD_EXITED || s->rows[ROLE_CONTROL].problem || !has_daemon(s))
		return false;
	if (s->rows[ROLE_MAIN].in_use) {
		supervisor_stay(s, STEP_RESTART, RESTART_RECHECK + (unsigned)exit->status);
		supervisor_set_limit(s, loop_now() + RESTART_RECHECK_US);
		return true;
	}
	if (is_populated(s))
		return false;
	supervisor_event(s, PROCESS_RESTARTED, NULL);
	look_at_what_is_left(s, (unsigned)exit->status);
	return true;
}

/*
 * A script may succeed without replacing the process, for example because a maintainer script has
 * removed its PID file. A restart must give a new process, so the old one gets SIGTERM. A second
 * SIGTERM does no harm to a process that is ending.
 */
void script_restart_ended(Supervisor *s, const struct MessageExited *exit)
{
	const bool success = !s->rows[ROLE_CONTROL].problem &&
			     outcome_script_is_success(&s->plan, s->plan.latest->restart_command,
						       exit->code, exit->status);
	g_autofree char *text = step_describe_action(s, ROLE_CONTROL, exit);

	if (s->index == 0 && !success && recheck_restart(s, exit))
		return;
	if (s->index == 0)
		supervisor_event(s, success ? PROCESS_RESTARTED : PROCESS_RESTART_FAILED, text);
	if (success && s->index == 0 && s->rows[ROLE_MAIN].in_use)
		supervisor_signal(s, ROLE_MAIN, SIGTERM);
	look_at_what_is_left(s, exit->code == CLD_EXITED ? (unsigned)exit->status : LEFT_KILLED);
}

void script_restart_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	step_stray_exit(s, exit);
	if (s->index < RESTART_RECHECK)
		return;
	supervisor_event(s, PROCESS_RESTARTED, NULL);
	look_at_what_is_left(s, s->index - RESTART_RECHECK);
}

void script_restart_limit(Supervisor *s)
{
	g_autofree char *limit =
		text_format_duration(s->plan.latest->stop_limit_us + s->plan.def->start_limit_us);
	g_autofree char *text = s->index >= RESTART_RECHECK ?
					describe_left(s->index - RESTART_RECHECK) :
					g_strdup_printf("not finished after %s", limit);

	supervisor_event(s, PROCESS_RESTART_FAILED, text);
	if (s->index >= RESTART_RECHECK) {
		look_at_what_is_left(s, s->index - RESTART_RECHECK);
		return;
	}
	supervisor_stay(s, STEP_RESTART, 1);
	supervisor_set_limit(s, 0);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
}

/* clang-format off */
const StepRow script_rows[STEP_COUNT] = {
	/*                on entry             main ended              control ended         limit               look again         asked to stop      main found */
	[STEP_MAIN]   = { step_main_enter,     script_start_ended,     step_stray_exit,      script_start_limit, step_nothing,      script_start_stop },
	[STEP_ADOPT]  = { step_adopt_enter,    step_stray_exit,        step_stray_exit,      step_nothing,       step_nothing,      step_ready_stop },
	[STEP_READY]  = { script_ready_enter,  script_main_ended,      step_stray_exit,      script_settled,     script_ready_look, step_ready_stop, script_ready_found },
	[STEP_RELOAD] = { script_reload_enter, step_stray_exit,        script_reload_ended,  step_reload_limit,  step_nothing,      step_ready_stop },
	[STEP_DONE]   = { script_done_enter,   step_stray_exit,        step_stray_exit,      script_settled,     script_done_look,  step_ready_stop, script_done_found },
	[STEP_TERM]   = { step_term_enter,     script_term_main_ended, step_stray_exit,      step_stop_limit,    step_nothing,      step_nothing },
};
/* clang-format on */
