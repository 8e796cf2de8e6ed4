/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps: common functions, the steps of a service that is up, the steps from stop to
 * gone, and the table of all steps. The steps up to readiness are in supervise-start.c.
 * docs/processes.md has a diagram.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/supervise-private.h"

static void step_cleanup_look(Supervisor *s);

/* The first delay before a PID file is read again. It doubles each time. */
#define POLL_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)
#define POLL_MAX_US (500 * G_TIME_SPAN_MILLISECOND)

/*
 * The first delay before cgroup.kill is repeated. It doubles each time. Only a process in an
 * uninterruptible wait survives a kill.
 */
#define KILL_AGAIN_US G_USEC_PER_SEC
#define KILL_AGAIN_MAX_US (32 * G_USEC_PER_SEC)

bool step_has_others(const Supervisor *s)
{
	return s->plan.latest->kill_mode == KILL_MODE_CONTROL_GROUP &&
	       cgroup_population(s->cgroup) == CGROUP_POPULATED;
}

static bool step_has_processes(const Supervisor *s)
{
	return s->rows[ROLE_MAIN].in_use || s->rows[ROLE_CONTROL].in_use || probes_are_alive(s) ||
	       step_has_others(s);
}

void step_poll_again(Supervisor *s)
{
	s->poll_us = s->poll_us ? MIN(s->poll_us * 2, POLL_MAX_US) : POLL_FIRST_US;
	supervisor_set_poll(s, loop_now() + s->poll_us);
}

/*
 * Was this process killed for lack of memory? If not, another process of the service was killed,
 * with or without an effect on this one. Only the kernel log answers this, if it is readable.
 */
static KernelAnswer is_victim(const Supervisor *s, const struct MessageExited *exit)
{
	const int *machine = s->context->machine;

	if (exit->code != CLD_KILLED || exit->status != SIGKILL)
		return KERNEL_ANSWER_NO;
	return resources_kernel_killed(machine ? machine[MACHINE_KERNEL_LOG] : -1, exit->pid);
}

/*
 * The reason if the kernel has killed a process of this run because memory was short; NULL: it has
 * not. If no controller counts the service's kills, the service has no memory limit of its own, so
 * only the machine can have been short of memory. Processes that we may have killed are then not
 * looked up.
 */
static const char *describe_lack(const Supervisor *s, const struct MessageExited *exit)
{
	static const char of_machine[] = "out of memory: the machine had none left";
	const OutOfMemory now = resources_out_of_memory(cgroup_path(s->cgroup));

	if (!now.is_counted)
		return !s->is_stopping && is_victim(s, exit) == KERNEL_ANSWER_YES ? of_machine :
										    NULL;
	if (now.n_kills <= s->memory.n_kills)
		return NULL;
	return now.n_limit_reached > s->memory.n_limit_reached ?
		       "out of memory: its own limit was reached (MemoryMax=)" :
		       of_machine;
}

char *step_describe_exit(const Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *end = outcome_describe(exit->code, exit->status, 0);
	const char *lack;

	if (exit->code == CLD_EXITED && exit->status == 0)
		return outcome_describe(exit->code, exit->status, s->errnum);
	lack = describe_lack(s, exit);
	/* Without an answer from the kernel log, the likely reason is assumed. */
	if (lack && is_victim(s, exit) != KERNEL_ANSWER_NO)
		return g_strdup_printf("%s: %s", end, lack);
	if (lack)
		return g_strdup_printf("%s, after one of its processes was killed: %s", end, lack);
	if (resources_task_refusals(cgroup_path(s->cgroup)) > s->n_task_refusals)
		return g_strdup_printf(
			"%s, after it was refused further processes or threads: its limit was "
			"reached (TasksMax=)",
			end);
	return outcome_describe(exit->code, exit->status, s->errnum);
}

/* The reason if the control command could not be executed, otherwise how it ended. */
char *step_describe_control(const Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_CONTROL].problem;

	return problem ? g_strdup(problem) : outcome_describe(exit->code, exit->status, 0);
}

char *step_describe_action(const Supervisor *s, enum ProcessRole role,
			   const struct MessageExited *exit)
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
	supervisor_set_poll(s,
			    loop_now() + MIN(KILL_AGAIN_US << MIN(attempt, 8u), KILL_AGAIN_MAX_US));
}

void step_end_by_itself(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);
	bool success = outcome_is_success(&s->plan, exit->code, exit->status);

	supervisor_report_exit(s, exit, success, text);
	supervisor_go(s, success ? STEP_DONE : STEP_REST, 0);
}

/* --- events without a meaning in a step --- */

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
	supervisor_report_exit(s, &unknown, true, "its last process ended");
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
	supervisor_report_exit(s, exit, outcome_is_success(&s->plan, exit->code, exit->status),
			       text);
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
		reload_over(s, step_control_failed(s->plan.latest->reload.command, exit) ? text :
											   NULL);
	else
		/* the reload took too long, which was reported */
		supervisor_stay(s, STEP_READY, 0);
}

void step_reload_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);
	const Command *command = s->plan.latest->reload.command;
	g_autofree char *text = g_strdup_printf("%s not finished after %s",
						command ? command->argv[0] : "its command", limit);

	reload_over(s, text);
	supervisor_stay(s, STEP_RELOAD, 1);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
}

static void step_done_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
}

/* From this attempt on, some seconds after the first, waiting longer will not help. */
#define UNKILLABLE_ATTEMPT 3

/* --- stopping: command, main process, the rest, kill --- */

bool supervisor_stays_done(const Supervisor *s)
{
	const ServiceDef *latest = s->plan.latest;
	const bool is_done = s->exit_reported && !s->failure_reported && !s->rows[ROLE_MAIN].in_use;
	const bool is_ending = s->context->is_ending && s->context->is_ending(s->context->data);

	return s->plan.def->type == TYPE_TASK && is_done && latest->done_while->len > 0 &&
	       latest->stop.kind == ACTION_COMMAND && !latest->stop.command->may_fail && !is_ending;
}

/*
 * No other process is ended: the result of the work may be processes, such as the daemon of a FUSE
 * mount.
 */
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

/* One limit covers all steps of the stop, from its beginning. */
void step_begin_stopping(Supervisor *s)
{
	if (s->is_stopping)
		return;
	s->is_stopping = true;
	supervisor_set_poll(s, 0);
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
}

static void step_stop_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	step_begin_stopping(s);
	if (s->rows[ROLE_CONTROL].in_use) {
		/*
		 * A reload is killed, because it is of no use now, and its exit leads here again. A
		 * script's restart or reload goes on: it may be between its stop and its start, and
		 * would then start its daemon after our Stop=.
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

/*
 * Only the command is killed. The kill is repeated, because the command may wait for a disk that
 * does not answer.
 */
static void step_stop_command_limit(Supervisor *s)
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

	return s->index > 1 ? g_strdup_printf("%s: not finished after %s", own, limit) :
			      g_steal_pointer(&own);
}

static void step_stop_control_ended(Supervisor *s, const struct MessageExited *exit)
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
		log_warning(s->plan.def->name, "Stop= command: %s: %s",
			    command ? command->argv[0] : "no longer in its file", text);
	supervisor_go(s, STEP_TERM, 0);
}

void step_term_enter(Supervisor *s)
{
	step_begin_stopping(s);
	if (!s->rows[ROLE_MAIN].in_use) {
		supervisor_go(s, STEP_REST, 0);
		return;
	}
	supervisor_signal(s, ROLE_MAIN,
			  s->plan.latest->stop.kind == ACTION_SIGNAL ? s->plan.latest->stop.signal :
								       SIGTERM);
	supervisor_signal(s, ROLE_MAIN, SIGCONT); /* a stopped process handles no other signal */
}

static void is_requested_to_end(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);
	bool requested = exit->code == CLD_KILLED &&
			 (exit->status == SIGTERM || exit->status == s->plan.latest->stop.signal);

	supervisor_report_exit(
		s, exit, requested || outcome_is_success(&s->plan, exit->code, exit->status), text);
}

void step_term_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	is_requested_to_end(s, exit);
	supervisor_go(s, STEP_REST, 0);
}

/* The Stop= command goes on after the main process has ended, because it may have more to do. */
static void step_stop_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	is_requested_to_end(s, exit);
}

static void step_over_look(Supervisor *s)
{
	if (step_has_processes(s))
		return;
	cgroup_watch(s->cgroup, false);
	supervisor_set_poll(s, 0);
	supervisor_go(s, STEP_CLEANUP, 0);
}

static void step_rest_enter(Supervisor *s)
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

static void step_rest_ended(Supervisor *s, const struct MessageExited *exit)
{
	step_stray_exit(s, exit);
	step_over_look(s);
}

static void step_rest_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	is_requested_to_end(s, exit);
	step_over_look(s);
}

void step_stop_limit(Supervisor *s)
{
	supervisor_go(s, STEP_KILL, 0);
}

/*
 * A process that waits for a disk or server that does not answer cannot be killed. The service then
 * stays in the state stopping and is not started again. A shutdown leaves it behind, so that
 * services that stop later do not wait for ever.
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

static void step_kill_enter(Supervisor *s)
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
			cgroup_signal(s->cgroup, s->plan.latest->kill_signal,
				      s->rows[ROLE_MAIN].pid);
		cgroup_watch(s->cgroup, true);
		supervisor_set_poll(s, loop_now() + s->plan.latest->stop_limit_us);
	} else {
		step_kill_all(s, s->index);
	}
	step_over_look(s);
}

/* Called by the cgroup event, or by the timer, which means that a process survived. */
static void step_kill_look(Supervisor *s)
{
	step_over_look(s);
	if (s->step == STEP_KILL && !s->is_entering && !timer_is_armed(s->poll))
		supervisor_go(s, STEP_KILL, s->index + 1);
}

static void step_kill_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *limit = text_format_duration(s->plan.latest->stop_limit_us);
	g_autofree char *end = step_describe_exit(s, exit);
	g_autofree char *text =
		g_strdup_printf("%s: still running %s after it was asked to stop", end, limit);

	supervisor_report_exit(s, exit, false, text);
	step_over_look(s);
}

/* --- clean-up --- */

static void step_cleanup_enter(Supervisor *s)
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

static void step_cleanup_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = step_command_at(s->plan.latest->cleanup, s->index);
	g_autofree char *text = step_describe_control(s, exit);

	if (command && step_control_failed(command, exit))
		log_warning(s->plan.def->name, "clean-up: %s: %s", command->argv[0], text);
	supervisor_go(s, STEP_CLEANUP, s->index + 1);
}

static void step_cleanup_limit(Supervisor *s)
{
	log_warning(s->plan.def->name, "clean-up: not finished in time, killing it");
	step_kill_all(s, 0);
}

static void step_cleanup_look(Supervisor *s)
{
	if (!s->rows[ROLE_CONTROL].in_use)
		supervisor_go(s, STEP_CLEANUP, s->index);
	else if (!timer_is_armed(s->limit))
		step_kill_all(s, 1);
}

static void step_sweep_look(Supervisor *s)
{
	if (step_has_processes(s)) {
		if (!timer_is_armed(s->poll))
			supervisor_go(s, STEP_SWEEP, s->index + 1);
		return;
	}
	if (step_clear_groups(s))
		supervisor_go(s, STEP_TIDY, 0);
}

static void step_sweep_enter(Supervisor *s)
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

static void step_sweep_ended(Supervisor *s, const struct MessageExited *exit)
{
	step_stray_exit(s, exit);
	step_sweep_look(s);
}

/* --- removal of directories --- */

bool supervisor_ends_runtime(const Supervisor *s)
{
	const ExecDef *e = s->plan.def->execution;

	if (!sandbox_requests(e->sandbox, SANDBOX_RUNTIME_DIRECTORY))
		return false; /* most services have none */
	return exec_def_runtime_ends(e,
				     s->context->starts_again(s->context->data, s->plan.def->name));
}

/* A separate process does this, because there may be many files and a slow disk. */
static void step_tidy_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;
	const bool has_private_tmp =
		sandbox_requests(s->plan.def->execution->sandbox, SANDBOX_PRIVATE_TMP);

	supervisor_set_limit(s, 0);
	if (!has_private_tmp && !supervisor_ends_runtime(s)) {
		supervisor_go(s, STEP_GONE, 0);
		return;
	}
	supervisor_set_limit(s, loop_now() + s->plan.latest->stop_limit_us);
	if (supervisor_spawn(s, ROLE_CONTROL, NULL, &error))
		return;
	log_warning(s->plan.def->name, "its runtime files are not removed: %s", error->message);
	supervisor_go(s, STEP_GONE, 0);
}

static void step_tidy_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_control(s, exit);

	if (step_control_failed(NULL, exit))
		log_warning(s->plan.def->name, "its runtime files are not removed: %s", text);
	supervisor_go(s, STEP_GONE, 0);
}

static void step_tidy_limit(Supervisor *s)
{
	log_warning(s->plan.def->name, "removing its runtime files takes too long");
	step_kill_all(s, 0);
}

static void step_tidy_look(Supervisor *s)
{
	if (s->rows[ROLE_CONTROL].in_use && !timer_is_armed(s->limit))
		step_kill_all(s, 1);
}

static void step_gone_enter(Supervisor *s)
{
	supervisor_set_poll(s, 0);
	supervisor_set_limit(s, 0);
	supervisor_forget_fds(s);
	cgroup_watch(s->cgroup, false);
	cgroup_remove(s->cgroup);
	supervisor_event(s, PROCESS_GONE, NULL);
}

/* --- the table --- */

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
	[STEP_RESTART] = { script_restart_enter, script_restart_main_ended, script_restart_ended,      script_restart_limit, step_nothing,      step_ready_stop },
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
	return plan_is_script(&s->plan) && script_rows[s->step].enter ? &script_rows[s->step] :
									&step_rows[s->step];
}
