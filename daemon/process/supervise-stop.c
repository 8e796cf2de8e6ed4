/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps of stopping: the Stop= command, the main process, the rest, kill, clean-up, gone.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/supervise-private.h"

/* At this attempt, some seconds after the first, it is no longer a matter of time. */
#define UNKILLABLE_ATTEMPT 3

/* --- stopping: command, main process, the rest, kill --- */

bool supervisor_stays_done(const Supervisor *s)
{
	const ServiceDef *latest = s->plan.latest;
	const bool is_done = s->exited_told && !s->failed_told && !s->rows[ROLE_MAIN].in_use;
	const bool is_ending = s->context->is_ending && s->context->is_ending(s->context->data);

	return s->plan.def->type == TYPE_TASK && is_done && latest->done_while->len > 0 && latest->stop.kind == ACTION_COMMAND &&
	       !latest->stop.command->may_fail && !is_ending;
}

/* Nothing else is ended: what the work has left behind, as the daemon of a FUSE mount, is part of it. */
static void stop_failed(Supervisor *s, const char *text)
{
	ProcessEvent event = { .kind = PROCESS_STOP_FAILED, .text = text, .at_us = loop_now() };

	if (s->stop_output) {
		capture_drain(s->stop_output);
		event.output = capture_last_line(s->stop_output);
	}
	s->is_stopping = false;
	supervisor_go(s, STEP_DONE, 0);
	supervisor_emit(s, &event);
	g_clear_pointer(&s->stop_output, capture_free);
}

/* One limit for all of it, from the moment in which stopping began. */
void step_begin_stopping(Supervisor *s)
{
	if (s->is_stopping)
		return;
	s->is_stopping = true;
	supervisor_set_poll(s, 0);
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
}

void step_stop_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	step_begin_stopping(s);
	if (s->rows[ROLE_CONTROL].in_use) {
		/*
		 * A reload is of no use any more; its end brings us here again. A script's command is let go on: it may be
		 * between its stop and its start, and what it is about to start would be started after our Stop=.
		 */
		if (!plan_is_script(&s->plan))
			supervisor_signal(s, ROLE_CONTROL, SIGKILL);
		return;
	}
	if (s->plan.latest->stop.kind != ACTION_COMMAND) {
		supervisor_go(s, STEP_TERM, 0);
		return;
	}
	supervisor_stay(s, STEP_STOP, 1);
	if (supervisor_spawn(s, ROLE_CONTROL, s->plan.latest->stop.command, &error))
		return;
	if (supervisor_stays_done(s)) {
		stop_failed(s, error->message);
		return;
	}
	log_warning(s->plan.def->name, "Stop= command: %s", error->message);
	supervisor_go(s, STEP_TERM, 0);
}

/* Only the command is killed. It is killed again, because it may wait for a disk that does not answer. */
void step_stop_command_limit(Supervisor *s)
{
	if (s->index == 0 || !supervisor_stays_done(s)) {
		supervisor_go(s, STEP_KILL, 0);
		return;
	}
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
	supervisor_stay(s, STEP_STOP, s->index + 1);
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
}

/* @text: how it ended, taken. A new string. */
static char *describe_stop(const Supervisor *s, char *text)
{
	g_autofree char *own = text;
	g_autofree char *limit = text_format_duration(s->plan.latest->stop_limit_us);

	return s->index > 1 ? g_strdup_printf("%s: not finished after %s", own, limit) : g_steal_pointer(&own);
}

void step_stop_control_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = s->plan.latest->stop.command;
	g_autofree char *text = describe_stop(s, step_describe_action(s, ROLE_CONTROL, exit));

	if (s->index == 0) {
		supervisor_go(s, STEP_STOP, 0);
		return;
	}
	if (step_control_failed(command, exit) && supervisor_stays_done(s)) {
		stop_failed(s, text);
		return;
	}
	if (step_control_failed(command, exit))
		log_warning(s->plan.def->name, "Stop= command: %s: %s", command ? command->argv[0] : "not in its file any more", text);
	supervisor_go(s, STEP_TERM, 0);
}

void step_term_enter(Supervisor *s)
{
	step_begin_stopping(s);
	if (!s->rows[ROLE_MAIN].in_use) {
		supervisor_go(s, STEP_REST, 0);
		return;
	}
	supervisor_signal(s, ROLE_MAIN, s->plan.latest->stop.kind == ACTION_SIGNAL ? s->plan.latest->stop.signal : SIGTERM);
	supervisor_signal(s, ROLE_MAIN, SIGCONT); /* a stopped process gets no other signal */
}

static void told_to_end(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);
	bool asked = exit->code == CLD_KILLED && (exit->status == SIGTERM || exit->status == s->plan.latest->stop.signal);

	supervisor_tell_exit(s, exit, asked || outcome_is_success(&s->plan, exit->code, exit->status), text);
}

void step_term_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
	supervisor_go(s, STEP_REST, 0);
}

/* The Stop= command goes on after the main process: it may have more to do. */
void step_stop_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
}

void step_over_look(Supervisor *s)
{
	if (step_has_processes(s))
		return;
	cgroup_watch(s->cgroup, false);
	supervisor_set_poll(s, 0);
	supervisor_go(s, STEP_CLEANUP, 0);
}

void step_rest_enter(Supervisor *s)
{
	if (!step_has_processes(s)) {
		step_over_look(s);
		return;
	}
	step_begin_stopping(s);
	supervisor_signal(s, ROLE_CONTROL, SIGTERM);
	if (step_has_others(s)) {
		cgroup_signal(s->cgroup, SIGTERM, s->rows[ROLE_CONTROL].pid);
		cgroup_signal(s->cgroup, SIGCONT, 0);
	}
	cgroup_watch(s->cgroup, true);
	step_over_look(s);
}

void step_rest_ended(Supervisor *s, const struct MessageExited *exit)
{
	step_stray_exit(s, exit);
	step_over_look(s);
}

void step_rest_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
	step_over_look(s);
}

void step_stop_limit(Supervisor *s)
{
	supervisor_go(s, STEP_KILL, 0);
}

/*
 * Who waits for a disk or a server that does not answer cannot be killed. The service is not stopped, and nothing of it is
 * started again; but when all is to end, those that are to stop after it do not wait for ever.
 */
static bool is_left_behind(const Supervisor *s)
{
	const bool is_ending = s->context->is_ending && s->context->is_ending(s->context->data);

	if (s->index < UNKILLABLE_ATTEMPT || !step_has_processes(s))
		return false;
	if (s->index == UNKILLABLE_ATTEMPT || is_ending)
		supervisor_report_remains(s, is_ending);
	return is_ending;
}

void step_kill_enter(Supervisor *s)
{
	bool gently = s->index == 0 && s->plan.latest->kill_signal != SIGKILL;

	if (is_left_behind(s)) {
		supervisor_go(s, STEP_GONE, 0);
		return;
	}
	if (s->index == 0)
		log_notice(s->plan.def->name, "still running after its stop limit: killing it");
	if (gently) {
		supervisor_signal(s, ROLE_MAIN, s->plan.latest->kill_signal);
		if (s->plan.latest->kill_mode == KILL_MODE_CONTROL_GROUP)
			cgroup_signal(s->cgroup, s->plan.latest->kill_signal, s->rows[ROLE_MAIN].pid);
		cgroup_watch(s->cgroup, true);
		supervisor_set_poll(s, loop_now() + s->plan.latest->stop_limit_us);
	} else {
		step_kill_all(s, s->index);
	}
	step_over_look(s);
}

/* Woken by the cgroup, or by the timer, which means that somebody survived. */
void step_kill_look(Supervisor *s)
{
	step_over_look(s);
	if (s->step == STEP_KILL && !s->is_entering && !timer_is_armed(s->poll))
		supervisor_go(s, STEP_KILL, s->index + 1);
}

void step_kill_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *limit = text_format_duration(s->plan.latest->stop_limit_us);
	g_autofree char *end = step_describe_exit(s, exit);
	g_autofree char *text = g_strdup_printf("%s: still running %s after it was told to stop", end, limit);

	supervisor_tell_exit(s, exit, false, text);
	step_over_look(s);
}

/* --- clean-up --- */

void step_cleanup_enter(Supervisor *s)
{
	const Command *command = step_command_at(s->plan.latest->cleanup, s->index);
	g_autoptr(GError) error = NULL;

	supervisor_set_limit(s, 0);
	if (!command) {
		supervisor_go(s, STEP_SWEEP, 0);
		return;
	}
	if (!step_renew_cgroup(s))
		return; /* step_cleanup_look() enters it again */
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
	if (supervisor_spawn(s, ROLE_CONTROL, command, &error))
		return;
	log_warning(s->plan.def->name, "clean-up: %s: %s", command->argv[0], error->message);
	supervisor_go(s, STEP_CLEANUP, s->index + 1);
}

void step_cleanup_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = step_command_at(s->plan.latest->cleanup, s->index);
	g_autofree char *text = step_describe_control(s, exit);

	if (command && step_control_failed(command, exit))
		log_warning(s->plan.def->name, "clean-up: %s: %s", command->argv[0], text);
	supervisor_go(s, STEP_CLEANUP, s->index + 1);
}

void step_cleanup_limit(Supervisor *s)
{
	log_warning(s->plan.def->name, "clean-up: not finished in time, killing it");
	step_kill_all(s, 0);
}

void step_cleanup_look(Supervisor *s)
{
	if (!s->rows[ROLE_CONTROL].in_use)
		supervisor_go(s, STEP_CLEANUP, s->index);
	else if (!timer_is_armed(s->limit))
		step_kill_all(s, 1);
}

void step_sweep_look(Supervisor *s)
{
	if (step_has_processes(s)) {
		if (!timer_is_armed(s->poll))
			supervisor_go(s, STEP_SWEEP, s->index + 1);
		return;
	}
	if (step_clear_groups(s))
		supervisor_go(s, STEP_TIDY, 0);
}

void step_sweep_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
	supervisor_set_poll(s, 0);
	if (is_left_behind(s)) {
		supervisor_go(s, STEP_GONE, 0);
		return;
	}
	if (step_has_processes(s))
		step_kill_all(s, s->index);
	step_sweep_look(s);
}

void step_sweep_ended(Supervisor *s, const struct MessageExited *exit)
{
	step_stray_exit(s, exit);
	step_sweep_look(s);
}

/* --- what it leaves --- */

bool supervisor_ends_runtime(const Supervisor *s)
{
	const ExecDef *e = s->plan.def->execution;

	if (e->directories[DIRECTORY_RUNTIME].names->len == 0)
		return false; /* most have none */
	return exec_def_runtime_ends(e, s->context->starts_again(s->context->data, s->plan.def->name));
}

/* A process of its own does it: there may be much to remove, and it may be slow. */
void step_tidy_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;
	const bool has_private_tmp = sandbox_asks(s->plan.def->execution->sandbox, SANDBOX_PRIVATE_TMP);

	supervisor_set_limit(s, 0);
	if (!has_private_tmp && !supervisor_ends_runtime(s)) {
		supervisor_go(s, STEP_GONE, 0);
		return;
	}
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
	if (supervisor_spawn(s, ROLE_CONTROL, NULL, &error))
		return;
	log_warning(s->plan.def->name, "what it leaves is not removed: %s", error->message);
	supervisor_go(s, STEP_GONE, 0);
}

void step_tidy_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_control(s, exit);

	if (step_control_failed(NULL, exit))
		log_warning(s->plan.def->name, "what it leaves is not removed: %s", text);
	supervisor_go(s, STEP_GONE, 0);
}

void step_tidy_limit(Supervisor *s)
{
	log_warning(s->plan.def->name, "removing what it leaves takes too long");
	step_kill_all(s, 0);
}

void step_tidy_look(Supervisor *s)
{
	if (s->rows[ROLE_CONTROL].in_use && !timer_is_armed(s->limit))
		step_kill_all(s, 1);
}

void step_gone_enter(Supervisor *s)
{
	supervisor_set_poll(s, 0);
	supervisor_set_limit(s, 0);
	supervisor_forget_fds(s);
	cgroup_watch(s->cgroup, false);
	cgroup_remove(s->cgroup);
	supervisor_event(s, PROCESS_GONE, NULL);
}
