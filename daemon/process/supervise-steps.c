/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps: what they share, those of a service that is up, and the table of all. The others are in
 * supervise-start.c and supervise-stop.c; the picture of it is in docs/processes.md.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/supervise-private.h"

/* A pid file is looked for again after this, then after twice as much ... */
#define POLL_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)
#define POLL_MAX_US (500 * G_TIME_SPAN_MILLISECOND)

/* cgroup.kill is repeated after this, then after twice as much ...: only a process in an uninterruptible wait survives one. */
#define KILL_AGAIN_US G_USEC_PER_SEC
#define KILL_AGAIN_MAX_US (32 * G_USEC_PER_SEC)

bool step_has_others(const Supervisor *s)
{
	return s->plan->kill_mode == KILL_MODE_CONTROL_GROUP && cgroup_population(s->cgroup) == CGROUP_POPULATED;
}

bool step_has_processes(const Supervisor *s)
{
	return s->rows[ROLE_MAIN].in_use || s->rows[ROLE_CONTROL].in_use || step_has_others(s);
}

void step_poll_again(Supervisor *s)
{
	s->poll_us = s->poll_us ? MIN(s->poll_us * 2, POLL_MAX_US) : POLL_FIRST_US;
	timer_arm(s->poll, loop_now() + s->poll_us);
}

char *step_describe_exit(const Supervisor *s, const struct MessageExited *exit)
{
	return outcome_describe(exit->code, exit->status, s->errnum);
}

/* The control command's own words if it could not be executed. */
char *step_describe_control(const Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_CONTROL].problem;

	return problem ? g_strdup(problem) : outcome_describe(exit->code, exit->status, 0);
}

bool step_control_failed(const Command *command, const struct MessageExited *exit)
{
	return !command->may_fail && (exit->code != CLD_EXITED || exit->status != 0);
}

const Command *step_command_at(const GPtrArray *commands, unsigned index)
{
	return index < commands->len ? g_ptr_array_index(commands, index) : NULL;
}

void step_kill_all(Supervisor *s, unsigned attempt)
{
	g_autoptr(GError) error = NULL;

	supervisor_signal(s, ROLE_MAIN, SIGKILL);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
	if (s->plan->kill_mode == KILL_MODE_CONTROL_GROUP && !cgroup_kill(s->cgroup, &error))
		log_warning(s->plan->name, "%s", error->message);
	cgroup_watch(s->cgroup, true);
	timer_arm(s->poll, loop_now() + MIN(KILL_AGAIN_US << MIN(attempt, 8u), KILL_AGAIN_MAX_US));
}

/* A task, or any other service whose work ends with its process: success keeps it up. */
void step_end_by_itself(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);
	bool success = outcome_is_success(s->plan, exit->code, exit->status);

	supervisor_tell_exit(s, exit, success, text);
	supervisor_go(s, success ? STEP_DONE : STEP_REST, 0);
}

/* --- events that mean nothing in a step --- */

static void nothing(Supervisor *s)
{
	(void)s;
}

void step_stray_exit(Supervisor *s, const struct MessageExited *exit)
{
	log_debug(s->plan->name, "process %d ended in step %s", exit->pid, step_name(s->step));
}

/* --- ready, reload, done --- */

static void step_ready_look(Supervisor *s)
{
	struct MessageExited unknown = { .at_us = (uint64_t)loop_now() };

	if (s->rows[ROLE_MAIN].in_use || cgroup_population(s->cgroup) == CGROUP_POPULATED)
		return;
	cgroup_watch(s->cgroup, false);
	supervisor_tell_exit(s, &unknown, true, "its last process ended");
	supervisor_go(s, STEP_REST, 0);
}

static void step_ready_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
	if (s->rows[ROLE_MAIN].in_use)
		return;
	cgroup_watch(s->cgroup, true);
	step_ready_look(s);
}

static void step_ready_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);

	if (s->next_main_pid > 0 && supervisor_owns(s, s->next_main_pid)) {
		supervisor_go(s, STEP_ADOPT, (unsigned)s->next_main_pid);
		return;
	}
	if (s->plan->type == TYPE_TASK) {
		step_end_by_itself(s, exit);
		return;
	}
	supervisor_tell_exit(s, exit, outcome_is_success(s->plan, exit->code, exit->status), text);
	supervisor_go(s, STEP_REST, 0);
}

static void step_ready_stop(Supervisor *s)
{
	supervisor_go(s, STEP_STOP, 0);
}

static void reload_over(Supervisor *s, const char *problem)
{
	supervisor_stay(s, STEP_READY, 0);
	supervisor_set_limit(s, 0);
	supervisor_event(s, problem ? PROCESS_RELOAD_FAILED : PROCESS_RELOADED, problem);
}

static void step_reload_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	if (!supervisor_spawn(s, ROLE_CONTROL, s->plan->reload.command, &error))
		reload_over(s, error->message);
	else
		supervisor_set_limit(s, loop_now() + s->plan->start_limit_us);
}

static void step_reload_control_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_control(s, exit);

	if (s->index == 0)
		reload_over(s, step_control_failed(s->plan->reload.command, exit) ? text : NULL);
	else
		supervisor_stay(s, STEP_READY, 0); /* its time was up, and that has been told */
}

static void step_reload_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan->start_limit_us);
	g_autofree char *text = g_strdup_printf("%s not finished after %s", s->plan->reload.command->argv[0], limit);

	reload_over(s, text);
	supervisor_stay(s, STEP_RELOAD, 1);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
}

static void step_done_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
}

/* clang-format off */
const StepRow step_rows[STEP_COUNT] = {
	/*                 on entry            main ended            control ended              limit               look again         asked to stop */
	[STEP_NEW]     = { step_new_enter,     step_stray_exit,      step_stray_exit,           nothing,            nothing,           step_new_stop },
	[STEP_CLEAR]   = { step_clear_enter,   step_stray_exit,      step_stray_exit,           step_clear_limit,   step_clear_look,   step_new_stop },
	[STEP_PREPARE] = { step_prepare_enter, step_stray_exit,      step_prepare_ended,        step_prepare_limit, nothing,           step_prepare_stop },
	[STEP_MAIN]    = { step_main_enter,    step_main_ended,      step_stray_exit,           step_main_limit,    nothing,           step_main_stop },
	[STEP_FORKED]  = { step_forked_enter,  step_stray_exit,      step_stray_exit,           step_forked_limit,  step_forked_enter, step_forked_stop },
	[STEP_ADOPT]   = { step_adopt_enter,   step_stray_exit,      step_stray_exit,           step_forked_limit,  nothing,           step_adopt_stop },
	[STEP_READY]   = { step_ready_enter,   step_ready_ended,     step_stray_exit,           nothing,            step_ready_look,   step_ready_stop },
	[STEP_RELOAD]  = { step_reload_enter,  step_ready_ended,     step_reload_control_ended, step_reload_limit,  nothing,           step_ready_stop },
	[STEP_DONE]    = { step_done_enter,    step_stray_exit,      step_stray_exit,           nothing,            nothing,           step_ready_stop },
	[STEP_STOP]    = { step_stop_enter,    step_stop_main_ended, step_stop_control_ended,   step_stop_limit,    nothing,           nothing },
	[STEP_TERM]    = { step_term_enter,    step_term_main_ended, step_stray_exit,           step_stop_limit,    nothing,           nothing },
	[STEP_REST]    = { step_rest_enter,    step_rest_main_ended, step_rest_ended,           step_stop_limit,    step_over_look,    nothing },
	[STEP_KILL]    = { step_kill_enter,    step_kill_main_ended, step_rest_ended,           nothing,            step_kill_look,    nothing },
	[STEP_CLEANUP] = { step_cleanup_enter, step_stray_exit,      step_cleanup_ended,        step_cleanup_limit, step_cleanup_look, nothing },
	[STEP_SWEEP]   = { step_sweep_enter,   step_sweep_ended,     step_sweep_ended,          nothing,            step_sweep_look,   nothing },
	[STEP_GONE]    = { step_gone_enter,    step_stray_exit,      step_stray_exit,           nothing,            nothing,           nothing },
};
/* clang-format on */
