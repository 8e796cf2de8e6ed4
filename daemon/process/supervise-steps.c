/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps: what they share, those of a service that is up, and the table of all. The others are in
 * supervise-start.c and supervise-stop.c; the picture of it is in docs/processes.md.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/fd.h"
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
	return s->plan.latest->kill_mode == KILL_MODE_CONTROL_GROUP && cgroup_population(s->cgroup) == CGROUP_POPULATED;
}

bool step_has_processes(const Supervisor *s)
{
	return s->rows[ROLE_MAIN].in_use || s->rows[ROLE_CONTROL].in_use || probes_are_alive(s) || step_has_others(s);
}

void step_poll_again(Supervisor *s)
{
	s->poll_us = s->poll_us ? MIN(s->poll_us * 2, POLL_MAX_US) : POLL_FIRST_US;
	supervisor_set_poll(s, loop_now() + s->poll_us);
}

/*
 * Did the lack of memory kill this one? Else it killed another process of it, which this one then failed without, or which is
 * long forgotten. Only the kernel's log tells, where it can be had.
 */
static KernelWord is_victim(const Supervisor *s, const struct MessageExited *exit)
{
	const int *machine = s->context->machine;

	if (exit->code != CLD_KILLED || exit->status != SIGKILL)
		return KERNEL_WORD_NO;
	return resources_kernel_killed(machine ? machine[MACHINE_KERNEL_LOG] : -1, exit->pid);
}

/*
 * Why the kernel has killed a process of this run, for the machine or the service had no memory left; NULL: it has not. Where
 * nobody counts for the service it can only have been the machine that had none, and only what we did not kill is looked for.
 */
static const char *describe_lack(const Supervisor *s, const struct MessageExited *exit)
{
	static const char of_machine[] = "out of memory: the machine had none left";
	const OutOfMemory now = resources_out_of_memory(cgroup_path(s->cgroup));

	if (!now.is_counted)
		return !s->is_stopping && is_victim(s, exit) == KERNEL_WORD_YES ? of_machine : NULL;
	if (now.n_kills <= s->memory.n_kills)
		return NULL;
	return now.n_limit_reached > s->memory.n_limit_reached ? "out of memory: its own limit was reached (MemoryMax=)" : of_machine;
}

char *step_describe_exit(const Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *end = outcome_describe(exit->code, exit->status, 0);
	const char *lack;

	if (exit->code == CLD_EXITED && exit->status == 0)
		return outcome_describe(exit->code, exit->status, s->errnum);
	lack = describe_lack(s, exit);
	/* Without the kernel's word, what is likely is taken for it. */
	if (lack && is_victim(s, exit) != KERNEL_WORD_NO)
		return g_strdup_printf("%s: %s", end, lack);
	if (lack)
		return g_strdup_printf("%s, after a process of it was killed: %s", end, lack);
	if (resources_task_refusals(cgroup_path(s->cgroup)) > s->n_task_refusals)
		return g_strdup_printf("%s, after it was refused further processes or threads: its limit was reached (TasksMax=)", end);
	return outcome_describe(exit->code, exit->status, s->errnum);
}

/* The control command's own words if it could not be executed. */
char *step_describe_control(const Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_CONTROL].problem;

	return problem ? g_strdup(problem) : outcome_describe(exit->code, exit->status, 0);
}

char *step_describe_action(const Supervisor *s, enum ProcessRole role, const struct MessageExited *exit)
{
	const char *problem = s->rows[role].problem;

	if (problem)
		return g_strdup(problem);
	return plan_is_script(&s->plan) ? outcome_describe_script(exit->code, exit->status) :
					 outcome_describe(exit->code, exit->status, 0);
}

bool step_control_failed(const Command *command, const struct MessageExited *exit)
{
	const bool may_fail = command && command->may_fail;

	return !may_fail && (exit->code != CLD_EXITED || exit->status != 0);
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
	supervisor_signal(s, ROLE_CHECK, SIGKILL);
	supervisor_signal(s, ROLE_HEALTH, SIGKILL);
	if (s->plan.latest->kill_mode == KILL_MODE_CONTROL_GROUP && !cgroup_kill(s->cgroup, &error))
		log_warning(s->plan.def->name, "%s", error->message);
	cgroup_watch(s->cgroup, true);
	supervisor_set_poll(s, loop_now() + MIN(KILL_AGAIN_US << MIN(attempt, 8u), KILL_AGAIN_MAX_US));
}

/* A task, or any other service whose work ends with its process: success keeps it up. */
void step_end_by_itself(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);
	bool success = outcome_is_success(&s->plan, exit->code, exit->status);

	supervisor_tell_exit(s, exit, success, text);
	supervisor_go(s, success ? STEP_DONE : STEP_REST, 0);
}

/* --- events that mean nothing in a step --- */

void step_nothing(Supervisor *s)
{
	(void)s;
}

void step_stray_exit(Supervisor *s, const struct MessageExited *exit)
{
	log_debug(s->plan.def->name, "process %d ended in step %s", exit->pid, step_name(s->step));
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

	if (s->next_main_pid > 0) {
		supervisor_go(s, STEP_ADOPT, (unsigned)s->next_main_pid);
		return;
	}
	if (s->plan.def->type == TYPE_TASK) {
		step_end_by_itself(s, exit);
		return;
	}
	supervisor_tell_exit(s, exit, outcome_is_success(&s->plan, exit->code, exit->status), text);
	supervisor_go(s, STEP_REST, 0);
}

void step_ready_stop(Supervisor *s)
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
	const Command *command = s->plan.latest->reload.command;
	g_autoptr(GError) error = NULL;

	if (!command || !supervisor_spawn(s, ROLE_CONTROL, command, &error))
		reload_over(s, error ? error->message : "it has no Reload= command any more");
	else
		supervisor_set_limit(s, loop_now() + s->plan.def->start_limit_us);
}

static void step_reload_control_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_action(s, ROLE_CONTROL, exit);

	if (s->index == 0)
		reload_over(s, step_control_failed(s->plan.latest->reload.command, exit) ? text : NULL);
	else
		supervisor_stay(s, STEP_READY, 0); /* its time was up, and that has been told */
}

void step_reload_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);
	const Command *command = s->plan.latest->reload.command;
	g_autofree char *text = g_strdup_printf("%s not finished after %s", command ? command->argv[0] : "its command", limit);

	reload_over(s, text);
	supervisor_stay(s, STEP_RELOAD, 1);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
}

static void step_done_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
}

/* clang-format off */
static const StepRow step_rows[STEP_COUNT] = {
	/*                 on entry              main ended            control ended              limit                 look again         asked to stop      main found */
	[STEP_NEW]     = { step_new_enter,       step_stray_exit,      step_stray_exit,           step_nothing,         step_nothing,      step_new_stop },
	[STEP_CLEAR]   = { step_clear_enter,     step_stray_exit,      step_stray_exit,           step_clear_limit,     step_clear_look,   step_new_stop },
	[STEP_PREPARE] = { step_prepare_enter,   step_stray_exit,      step_prepare_ended,        step_prepare_limit,   step_nothing,      step_prepare_stop },
	[STEP_MAIN]    = { step_main_enter,      step_main_ended,      step_stray_exit,           step_main_limit,      step_nothing,      step_main_stop },
	[STEP_FORKED]  = { step_forked_enter,    step_stray_exit,      step_stray_exit,           step_forked_limit,    step_forked_enter, step_forked_stop, step_forked_found },
	[STEP_ADOPT]   = { step_adopt_enter,     step_stray_exit,      step_stray_exit,           step_forked_limit,    step_nothing,      step_adopt_stop },
	[STEP_LEFT]    = { script_left_enter,    step_stray_exit,      step_stray_exit,           step_nothing,         step_nothing,      step_ready_stop },
	[STEP_READY]   = { step_ready_enter,     step_ready_ended,     step_stray_exit,           step_nothing,         step_ready_look,   step_ready_stop },
	[STEP_RELOAD]  = { step_reload_enter,    step_ready_ended,     step_reload_control_ended, step_reload_limit,    step_nothing,      step_ready_stop },
	[STEP_RESTART] = { script_restart_enter, step_stray_exit,      script_restart_ended,      script_restart_limit, step_nothing,      step_ready_stop },
	[STEP_SEEK]    = { script_seek_enter,    step_stray_exit,      step_stray_exit,           step_nothing,         step_nothing,      step_ready_stop, script_seek_found },
	[STEP_DONE]    = { step_done_enter,      step_stray_exit,      step_stray_exit,           step_nothing,         step_nothing,      step_ready_stop },
	[STEP_ABORT]   = { step_abort_enter,     step_abort_main_ended, step_stray_exit,          step_stop_limit,      step_nothing,      step_nothing },
	[STEP_STOP]    = { step_stop_enter,      step_stop_main_ended, step_stop_control_ended,   step_stop_command_limit, step_nothing,      step_nothing },
	[STEP_TERM]    = { step_term_enter,      step_term_main_ended, step_stray_exit,           step_stop_limit,      step_nothing,      step_nothing },
	[STEP_REST]    = { step_rest_enter,      step_rest_main_ended, step_rest_ended,           step_stop_limit,      step_over_look,    step_nothing },
	[STEP_KILL]    = { step_kill_enter,      step_kill_main_ended, step_rest_ended,           step_nothing,         step_kill_look,    step_nothing },
	[STEP_CLEANUP] = { step_cleanup_enter,   step_stray_exit,      step_cleanup_ended,        step_cleanup_limit,   step_cleanup_look, step_nothing },
	[STEP_SWEEP]   = { step_sweep_enter,     step_sweep_ended,     step_sweep_ended,          step_nothing,         step_sweep_look,   step_nothing },
	[STEP_TIDY]    = { step_tidy_enter,      step_stray_exit,      step_tidy_ended,           step_tidy_limit,      step_tidy_look,    step_nothing },
	[STEP_GONE]    = { step_gone_enter,      step_stray_exit,      step_stray_exit,           step_nothing,         step_nothing,      step_nothing },
};
/* clang-format on */

const StepRow *supervisor_row(const Supervisor *s)
{
	return plan_is_script(&s->plan) && script_rows[s->step].enter ? &script_rows[s->step] : &step_rows[s->step];
}
