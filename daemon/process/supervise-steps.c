/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps: what each does on entry, and what follows from what happens in it. The table is at the end;
 * the picture of it is in docs/processes.md.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/pidfile.h"
#include "process/supervise-private.h"

/* A pid file or a path is looked for again after this, then after twice as much ... */
#define POLL_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)
#define POLL_MAX_US (500 * G_TIME_SPAN_MILLISECOND)

/* cgroup.kill is repeated after this, then after twice as much ...: only a process in an uninterruptible wait survives one. */
#define KILL_AGAIN_US G_USEC_PER_SEC
#define KILL_AGAIN_MAX_US (32 * G_USEC_PER_SEC)

static bool has_processes(const Supervisor *s)
{
	return s->rows[ROLE_MAIN].in_use || s->rows[ROLE_CONTROL].in_use ||
	       cgroup_population(s->cgroup) == CGROUP_POPULATED;
}

static void poll_again(Supervisor *s)
{
	s->poll_us = s->poll_us ? MIN(s->poll_us * 2, POLL_MAX_US) : POLL_FIRST_US;
	timer_arm(s->poll, loop_now() + s->poll_us);
}

static char *describe_exit(const Supervisor *s, const struct MessageExited *exit)
{
	return outcome_describe(exit->code, exit->status, s->errnum);
}

/* The control command's own words if it could not be executed. */
static char *describe_control(const Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_CONTROL].problem;

	return problem ? g_strdup(problem) : outcome_describe(exit->code, exit->status, 0);
}

static bool control_failed(const Command *command, const struct MessageExited *exit)
{
	return !command->may_fail && (exit->code != CLD_EXITED || exit->status != 0);
}

static const Command *command_at(const GPtrArray *commands, unsigned index)
{
	return index < commands->len ? g_ptr_array_index(commands, index) : NULL;
}

/* --- events that mean nothing in a step --- */

static void nothing(Supervisor *s)
{
	(void)s;
}

static void stray_exit(Supervisor *s, const struct MessageExited *exit)
{
	log_debug(s->plan->name, "process %d ended in step %s", exit->pid, step_name(s->step));
}

/* --- new, clear --- */

static void kill_all(Supervisor *s, unsigned attempt)
{
	g_autoptr(GError) error = NULL;

	supervisor_signal(s, ROLE_MAIN, SIGKILL);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
	if (!cgroup_kill(s->cgroup, &error))
		log_warning(s->plan->name, "%s", error->message);
	cgroup_watch(s->cgroup, true);
	timer_arm(s->poll, loop_now() + MIN(KILL_AGAIN_US << MIN(attempt, 8u), KILL_AGAIN_MAX_US));
}

static void clear_look(Supervisor *s)
{
	if (cgroup_population(s->cgroup) == CGROUP_POPULATED) {
		if (!timer_is_armed(s->poll))
			kill_all(s, s->index++);
		return;
	}
	cgroup_watch(s->cgroup, false);
	supervisor_go(s, STEP_PREPARE, 0);
}

static void new_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	supervisor_set_limit(s, loop_now() + s->plan->start_limit_us);
	if (!cgroup_create(s->cgroup, &error))
		supervisor_fail_start(s, STEP_SWEEP, "%s", error->message);
	else
		supervisor_go(s, STEP_CLEAR, 0);
}

static void new_stop(Supervisor *s)
{
	supervisor_go(s, STEP_SWEEP, 0);
}

static void clear_enter(Supervisor *s)
{
	if (cgroup_population(s->cgroup) == CGROUP_POPULATED)
		log_notice(s->plan->name, "killing processes that an earlier run left behind");
	clear_look(s);
}

static void clear_limit(Supervisor *s)
{
	supervisor_fail_start(s, STEP_SWEEP, "processes of an earlier run cannot be killed");
}

/* --- prepare --- */

static void prepare_enter(Supervisor *s)
{
	const Command *command = command_at(s->plan->prepare, s->index);
	g_autoptr(GError) error = NULL;

	if (!command)
		supervisor_go(s, STEP_MAIN, 0);
	else if (!supervisor_spawn(s, ROLE_CONTROL, command, &error))
		supervisor_fail_start(s, STEP_REST, "%s: %s", command->argv[0], error->message);
}

static void prepare_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = command_at(s->plan->prepare, s->index);
	g_autofree char *text = describe_control(s, exit);

	if (command && control_failed(command, exit))
		supervisor_fail_start(s, STEP_REST, "preparation failed: %s: %s", command->argv[0], text);
	else
		supervisor_go(s, STEP_PREPARE, s->index + 1);
}

static void prepare_limit(Supervisor *s)
{
	const Command *command = command_at(s->plan->prepare, s->index);
	g_autofree char *limit = text_format_duration(s->plan->start_limit_us);

	supervisor_fail_start(s, STEP_REST, "preparation not finished after %s: %s", limit,
			      command ? command->argv[0] : "?");
}

static void prepare_stop(Supervisor *s)
{
	supervisor_go(s, STEP_REST, 0);
}

/* --- main: from the spawn to readiness --- */

static void main_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	if (!supervisor_spawn(s, ROLE_MAIN, s->plan->exec, &error))
		supervisor_fail_start(s, STEP_REST, "%s", error->message);
}

void supervisor_is_ready(Supervisor *s)
{
	if (s->step != STEP_MAIN && s->step != STEP_FORKED && s->step != STEP_ADOPT)
		return; /* READY=1 again, or too late */
	s->was_ready = true;
	timer_disarm(s->poll);
	supervisor_go(s, STEP_READY, 0);
	supervisor_event(s, PROCESS_READY, NULL);
}

static void main_look(Supervisor *s)
{
	if (s->plan->ready != READY_PATH)
		return;
	if (access(s->plan->ready_path, F_OK) == 0)
		supervisor_is_ready(s);
	else
		poll_again(s);
}

void step_main_executed(Supervisor *s)
{
	if (s->step != STEP_MAIN)
		return;
	if (s->plan->ready == READY_EXEC)
		supervisor_is_ready(s);
	else
		main_look(s);
}

/* A task, or any other service whose work ends with its process: success keeps it up. */
static void end_by_itself(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = describe_exit(s, exit);
	bool success = outcome_is_success(s->plan, exit->code, exit->status);

	supervisor_tell_exit(s, exit, success, text);
	supervisor_go(s, success ? STEP_DONE : STEP_REST, 0);
}

static void main_ended(Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_MAIN].problem;
	g_autofree char *text = describe_exit(s, exit);
	bool success = outcome_is_success(s->plan, exit->code, exit->status);

	if (problem)
		supervisor_fail_start(s, STEP_REST, "%s", problem);
	else if (s->next_main_pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)s->next_main_pid);
	else if (s->plan->ready == READY_FORK && success)
		supervisor_go(s, STEP_FORKED, 0);
	else if (plan_ends_by_itself(s->plan))
		end_by_itself(s, exit);
	else
		supervisor_fail_start(s, STEP_REST, "ended before it was ready: %s", text);
}

static void main_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan->start_limit_us);

	supervisor_fail_start(s, STEP_TERM, plan_ends_by_itself(s->plan) ? "not finished after %s" : "not ready after %s",
			      limit);
}

static void main_stop(Supervisor *s)
{
	supervisor_go(s, STEP_TERM, 0);
}

/* --- forked: the daemon behind a process that ended with success --- */

static void forked_problem(Supervisor *s, const char *problem)
{
	g_free(s->forked_problem);
	s->forked_problem = g_strdup(problem);
}

static void forked_look_at_file(Supervisor *s)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *stranger = NULL;
	pid_t pid;

	if (!pidfile_read(s->plan->pid_file, &pid, &error)) {
		forked_problem(s, error->message);
		poll_again(s);
		return;
	}
	if (!cgroup_path(s->cgroup) || cgroup_contains(s->cgroup, pid)) {
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
		return;
	}
	stranger = g_strdup_printf("process %d in %s is not one of this service's", (int)pid, s->plan->pid_file);
	forked_problem(s, stranger);
	poll_again(s);
}

static pid_t parent_of(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autoptr(GBytes) bytes = file_read_bounded(path, 4096, NULL);
	const char *text = bytes ? g_bytes_get_data(bytes, NULL) : NULL;
	/* "pid (name) state ppid": a name may hold anything, so from its last ")" on (proc(5)). */
	const char *end = text ? g_strrstr_len(text, (gssize)g_bytes_get_size(bytes), ")") : NULL;
	int parent;

	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Without a pid file: the one process that has become the keeper's child, if there is exactly one. */
static void forked_guess(Supervisor *s)
{
	g_autoptr(GArray) pids = cgroup_pids(s->cgroup);
	pid_t found = 0;
	unsigned n = 0;

	for (guint i = 0; i < pids->len; i++) {
		if (pids->len > 1 && parent_of(g_array_index(pids, pid_t, i)) != getppid())
			continue;
		found = g_array_index(pids, pid_t, i);
		n++;
	}
	if (pids->len == 0)
		supervisor_fail_start(s, STEP_REST, "its first process ended and left none behind");
	else if (n == 1)
		supervisor_go(s, STEP_ADOPT, (unsigned)found);
	else
		supervisor_is_ready(s); /* without a main process: it lives as long as its cgroup */
}

static void forked_enter(Supervisor *s)
{
	if (s->plan->pid_file)
		forked_look_at_file(s);
	else if (cgroup_path(s->cgroup))
		forked_guess(s);
	else
		supervisor_fail_start(s, STEP_REST, "Ready=fork without PidFile= needs cgroup v2, which this machine has not");
}

static void forked_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan->start_limit_us);

	supervisor_fail_start(s, STEP_REST, "not ready after %s: %s", limit,
			      s->forked_problem ? s->forked_problem : "its daemon was not found");
}

static void forked_stop(Supervisor *s)
{
	supervisor_go(s, STEP_REST, 0);
}

/* --- adopt --- */

static void adopt_enter(Supervisor *s)
{
	struct ProcessId id;

	process_id_init(&id, s->plan->name, ROLE_MAIN, s->invocation);
	s->next_main_pid = 0;
	s->rows[ROLE_MAIN] = (ProcessRow){ .in_use = true }; /* until the answer says that it is not */
	keeper_link_adopt(s->context->link, &id, (pid_t)s->index);
}

/* The process that was to follow is gone: then the end of the one before was the end. */
static void adopt_failed(Supervisor *s, pid_t pid, int error)
{
	g_autofree char *text = g_strdup_printf("process %d: %s", (int)pid, g_strerror(error));

	if (s->plan->ready == READY_FORK && !s->was_ready) {
		forked_problem(s, text); /* the process in between may not be gone yet (ECHILD): look again */
		supervisor_stay(s, STEP_FORKED, 0);
		poll_again(s);
		return;
	}
	log_warning(s->plan->name, "MAINPID= cannot be followed: %s", text);
	supervisor_stay(s, s->was_ready ? STEP_READY : STEP_MAIN, 0);
	step_rows[s->step].main_ended(s, &s->last_exit);
}

static void adopt_succeeded(Supervisor *s)
{
	if (s->plan->ready == READY_FORK && !s->was_ready)
		supervisor_is_ready(s);
	else if (s->was_ready)
		supervisor_go(s, STEP_READY, 0);
	else
		supervisor_stay(s, STEP_MAIN, 0);
}

void step_adopted(Supervisor *s, pid_t pid, int error)
{
	const bool is_awaited = s->step == STEP_ADOPT && (pid_t)s->index == pid;

	s->rows[ROLE_MAIN].in_use = error == 0;
	s->rows[ROLE_MAIN].pid = error == 0 ? pid : 0;
	if (error == 0)
		supervisor_event(s, PROCESS_MAIN_PID, NULL);
	if (is_awaited && error)
		adopt_failed(s, pid, error);
	else if (is_awaited)
		adopt_succeeded(s);
	else if (s->step == STEP_TERM || s->step == STEP_REST || s->step == STEP_KILL)
		supervisor_go(s, s->step, s->index); /* a stop came first, and has now one process more, or less, to wait for */
}

static void adopt_stop(Supervisor *s)
{
	supervisor_go(s, s->was_ready ? STEP_STOP : STEP_TERM, 0);
}

/* --- ready, reload, done --- */

static void ready_look(Supervisor *s)
{
	struct MessageExited unknown = { .at_us = (uint64_t)loop_now() };

	if (s->rows[ROLE_MAIN].in_use || cgroup_population(s->cgroup) == CGROUP_POPULATED)
		return;
	cgroup_watch(s->cgroup, false);
	supervisor_tell_exit(s, &unknown, true, "its last process ended");
	supervisor_go(s, STEP_REST, 0);
}

static void ready_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
	if (s->rows[ROLE_MAIN].in_use)
		return;
	cgroup_watch(s->cgroup, true);
	ready_look(s);
}

static void ready_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = describe_exit(s, exit);

	if (s->next_main_pid > 0 && supervisor_owns(s, s->next_main_pid)) {
		supervisor_go(s, STEP_ADOPT, (unsigned)s->next_main_pid);
		return;
	}
	if (s->plan->type == TYPE_TASK) {
		end_by_itself(s, exit);
		return;
	}
	supervisor_tell_exit(s, exit, outcome_is_success(s->plan, exit->code, exit->status), text);
	supervisor_go(s, STEP_REST, 0);
}

static void ready_stop(Supervisor *s)
{
	supervisor_go(s, STEP_STOP, 0);
}

static void reload_over(Supervisor *s, const char *problem)
{
	supervisor_stay(s, STEP_READY, 0);
	supervisor_set_limit(s, 0);
	supervisor_event(s, problem ? PROCESS_RELOAD_FAILED : PROCESS_RELOADED, problem);
}

static void reload_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	if (!supervisor_spawn(s, ROLE_CONTROL, s->plan->reload.command, &error))
		reload_over(s, error->message);
	else
		supervisor_set_limit(s, loop_now() + s->plan->start_limit_us);
}

static void reload_control_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = describe_control(s, exit);

	if (s->index == 0)
		reload_over(s, control_failed(s->plan->reload.command, exit) ? text : NULL);
	else
		supervisor_stay(s, STEP_READY, 0); /* its time was up, and that has been told */
}

static void reload_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan->start_limit_us);
	g_autofree char *text = g_strdup_printf("%s not finished after %s", s->plan->reload.command->argv[0], limit);

	reload_over(s, text);
	supervisor_stay(s, STEP_RELOAD, 1);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
}

static void done_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
}

/* --- stopping: command, main process, the rest, kill --- */

/* One limit for all of it, from the moment in which stopping began. */
static void begin_stopping(Supervisor *s)
{
	if (s->is_stopping)
		return;
	s->is_stopping = true;
	timer_disarm(s->poll);
	supervisor_set_limit(s, loop_now() + s->plan->stop_limit_us);
}

static void stop_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	begin_stopping(s);
	if (s->rows[ROLE_CONTROL].in_use) {
		supervisor_signal(s, ROLE_CONTROL, SIGKILL); /* a reload is of no use any more; its end brings us here again */
		return;
	}
	if (s->plan->stop.kind != ACTION_COMMAND) {
		supervisor_go(s, STEP_TERM, 0);
		return;
	}
	supervisor_stay(s, STEP_STOP, 1);
	if (supervisor_spawn(s, ROLE_CONTROL, s->plan->stop.command, &error))
		return;
	log_warning(s->plan->name, "Stop= command: %s", error->message);
	supervisor_go(s, STEP_TERM, 0);
}

static void stop_control_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = describe_control(s, exit);

	if (s->index == 0) {
		supervisor_go(s, STEP_STOP, 0);
		return;
	}
	if (control_failed(s->plan->stop.command, exit))
		log_warning(s->plan->name, "Stop= command: %s: %s", s->plan->stop.command->argv[0], text);
	supervisor_go(s, STEP_TERM, 0);
}

static void term_enter(Supervisor *s)
{
	begin_stopping(s);
	if (!s->rows[ROLE_MAIN].in_use) {
		supervisor_go(s, STEP_REST, 0);
		return;
	}
	supervisor_signal(s, ROLE_MAIN, s->plan->stop.kind == ACTION_SIGNAL ? s->plan->stop.signal : SIGTERM);
	supervisor_signal(s, ROLE_MAIN, SIGCONT); /* a stopped process gets no other signal */
}

static void told_to_end(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = describe_exit(s, exit);
	bool asked = exit->code == CLD_KILLED && (exit->status == SIGTERM || exit->status == s->plan->stop.signal);

	supervisor_tell_exit(s, exit, asked || outcome_is_success(s->plan, exit->code, exit->status), text);
}

static void term_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
	supervisor_go(s, STEP_REST, 0);
}

/* The Stop= command goes on after the main process: it may have more to do. */
static void stop_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
}

static void over_look(Supervisor *s)
{
	if (has_processes(s))
		return;
	cgroup_watch(s->cgroup, false);
	timer_disarm(s->poll);
	supervisor_go(s, STEP_CLEANUP, 0);
}

static void rest_enter(Supervisor *s)
{
	if (!has_processes(s)) {
		over_look(s);
		return;
	}
	begin_stopping(s);
	supervisor_signal(s, ROLE_CONTROL, SIGTERM);
	cgroup_signal(s->cgroup, SIGTERM, s->rows[ROLE_CONTROL].pid);
	cgroup_signal(s->cgroup, SIGCONT, 0);
	cgroup_watch(s->cgroup, true);
	over_look(s);
}

static void rest_ended(Supervisor *s, const struct MessageExited *exit)
{
	stray_exit(s, exit);
	over_look(s);
}

static void rest_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	told_to_end(s, exit);
	over_look(s);
}

static void stop_limit(Supervisor *s)
{
	supervisor_go(s, STEP_KILL, 0);
}

static void kill_enter(Supervisor *s)
{
	bool gently = s->index == 0 && s->plan->kill_signal != SIGKILL;

	if (s->index == 0)
		log_notice(s->plan->name, "still running after its stop limit: killing it");
	if (gently) {
		supervisor_signal(s, ROLE_MAIN, s->plan->kill_signal);
		cgroup_signal(s->cgroup, s->plan->kill_signal, s->rows[ROLE_MAIN].pid);
		cgroup_watch(s->cgroup, true);
		timer_arm(s->poll, loop_now() + s->plan->stop_limit_us);
	} else {
		kill_all(s, s->index);
	}
	over_look(s);
}

/* Woken by the cgroup, or by the timer, which means that somebody survived. */
static void kill_look(Supervisor *s)
{
	over_look(s);
	if (s->step == STEP_KILL && !s->is_entering && !timer_is_armed(s->poll))
		supervisor_go(s, STEP_KILL, s->index + 1);
}

static void kill_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *limit = text_format_duration(s->plan->stop_limit_us);
	g_autofree char *end = describe_exit(s, exit);
	g_autofree char *text = g_strdup_printf("%s: still running %s after it was told to stop", end, limit);

	supervisor_tell_exit(s, exit, false, text);
	over_look(s);
}

/* --- clean-up --- */

static void cleanup_enter(Supervisor *s)
{
	const Command *command = command_at(s->plan->cleanup, s->index);
	g_autoptr(GError) error = NULL;

	supervisor_set_limit(s, 0);
	if (!command) {
		supervisor_go(s, STEP_SWEEP, 0);
		return;
	}
	supervisor_set_limit(s, loop_now() + s->plan->stop_limit_us);
	if (supervisor_spawn(s, ROLE_CONTROL, command, &error))
		return;
	log_warning(s->plan->name, "clean-up: %s: %s", command->argv[0], error->message);
	supervisor_go(s, STEP_CLEANUP, s->index + 1);
}

static void cleanup_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = command_at(s->plan->cleanup, s->index);
	g_autofree char *text = describe_control(s, exit);

	if (command && control_failed(command, exit))
		log_warning(s->plan->name, "clean-up: %s: %s", command->argv[0], text);
	supervisor_go(s, STEP_CLEANUP, s->index + 1);
}

static void cleanup_limit(Supervisor *s)
{
	log_warning(s->plan->name, "clean-up: not finished in time, killing it");
	kill_all(s, 0);
}

static void cleanup_look(Supervisor *s)
{
	if (!timer_is_armed(s->limit) && s->rows[ROLE_CONTROL].in_use)
		kill_all(s, 1);
}

static void sweep_look(Supervisor *s)
{
	if (has_processes(s)) {
		if (!timer_is_armed(s->poll))
			supervisor_go(s, STEP_SWEEP, s->index + 1);
		return;
	}
	supervisor_go(s, STEP_GONE, 0);
}

static void sweep_enter(Supervisor *s)
{
	supervisor_set_limit(s, 0);
	timer_disarm(s->poll);
	if (has_processes(s))
		kill_all(s, s->index);
	sweep_look(s);
}

static void sweep_ended(Supervisor *s, const struct MessageExited *exit)
{
	stray_exit(s, exit);
	sweep_look(s);
}

static void gone_enter(Supervisor *s)
{
	timer_disarm(s->poll);
	supervisor_set_limit(s, 0);
	supervisor_forget_fds(s);
	fd_close(&s->output_fd);
	cgroup_watch(s->cgroup, false);
	cgroup_remove(s->cgroup);
	supervisor_event(s, PROCESS_GONE, NULL);
}

/* clang-format off */
const StepRow step_rows[STEP_COUNT] = {
	/*                 on entry        main ended        control ended         limit          look again     asked to stop */
	[STEP_NEW]     = { new_enter,      stray_exit,       stray_exit,           nothing,       nothing,       new_stop },
	[STEP_CLEAR]   = { clear_enter,    stray_exit,       stray_exit,           clear_limit,   clear_look,    new_stop },
	[STEP_PREPARE] = { prepare_enter,  stray_exit,       prepare_ended,        prepare_limit, nothing,       prepare_stop },
	[STEP_MAIN]    = { main_enter,     main_ended,       stray_exit,           main_limit,    main_look,     main_stop },
	[STEP_FORKED]  = { forked_enter,   stray_exit,       stray_exit,           forked_limit,  forked_enter,  forked_stop },
	[STEP_ADOPT]   = { adopt_enter,    stray_exit,       stray_exit,           forked_limit,  nothing,       adopt_stop },
	[STEP_READY]   = { ready_enter,    ready_ended,      stray_exit,           nothing,       ready_look,    ready_stop },
	[STEP_RELOAD]  = { reload_enter,   ready_ended,      reload_control_ended, reload_limit,  nothing,       ready_stop },
	[STEP_DONE]    = { done_enter,     stray_exit,       stray_exit,           nothing,       nothing,       ready_stop },
	[STEP_STOP]    = { stop_enter,     stop_main_ended,  stop_control_ended,   stop_limit,    nothing,       nothing },
	[STEP_TERM]    = { term_enter,     term_main_ended,  stray_exit,           stop_limit,    nothing,       nothing },
	[STEP_REST]    = { rest_enter,     rest_main_ended,  rest_ended,           stop_limit,    over_look,     nothing },
	[STEP_KILL]    = { kill_enter,     kill_main_ended,  rest_ended,           nothing,       kill_look,     nothing },
	[STEP_CLEANUP] = { cleanup_enter,  stray_exit,       cleanup_ended,        cleanup_limit, cleanup_look,  nothing },
	[STEP_SWEEP]   = { sweep_enter,    sweep_ended,      sweep_ended,          nothing,       sweep_look,    nothing },
	[STEP_GONE]    = { gone_enter,     stray_exit,       stray_exit,           nothing,       nothing,       nothing },
};
/* clang-format on */
