/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the steps up to readiness: clearing, preparation, the main process, the daemon that a
 * forking process leaves.
 */
#include "config.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/outcome.h"
#include "process/supervise-private.h"

/*
 * The maximum number of tries to renew the cgroup, and the delay between them. After that the old
 * cgroup is used.
 */
#define RENEWALS_MAX 50
#define RENEW_AGAIN_US (20 * G_TIME_SPAN_MILLISECOND)

/* --- new, clear --- */

void step_clear_look(Supervisor *s)
{
	if (step_has_others(s)) {
		if (!timer_is_armed(s->poll))
			step_kill_all(s, s->index++);
		return;
	}
	cgroup_watch(s->cgroup, false);
	if (step_renew_cgroup(s))
		supervisor_go(s, STEP_PREPARE, 0);
}

void step_apply_resources(Supervisor *s)
{
	g_autofree char *problem = NULL;

	if (!s->plan.def->resources)
		return;
	s->context->counting = COUNTING_UNKNOWN; /* this may enable the controller */
	problem = resources_apply(s->plan.def->resources, s->context->machine,
				  s->context->cgroup_root, cgroup_path(s->cgroup));
	supervisor_event(s, PROCESS_RESOURCES, problem);
}

/* Looking for a file that does not exist takes the kernel as long as several steps of a start. */
static bool is_counting(ProcessContext *context)
{
	if (context->counting == COUNTING_UNKNOWN)
		context->counting = resources_is_enabled(context->cgroup_root,
							 resource_controller(RESOURCE_TASKS_MAX)) ?
					    COUNTING_ON :
					    COUNTING_OFF;
	return context->counting == COUNTING_ON;
}

static void limit_tasks(Supervisor *s)
{
	ProcessContext *context = s->context;
	const ResourceDef *own = s->plan.def->resources;
	const char *group = cgroup_path(s->cgroup);

	if (group && context->tasks_max && !(own && own->values[RESOURCE_TASKS_MAX]) &&
	    is_counting(context))
		resources_limit_tasks(context->tasks_max(context->data), context->machine, group);
}

/* Applies all settings that a new cgroup needs. The counters of such a cgroup are 0. */
static void step_apply_to_cgroup(Supervisor *s)
{
	const char *group = cgroup_path(s->cgroup);

	limit_tasks(s);
	step_apply_resources(s);
	if (group && s->plan.def->execution->scheduling.cpu_policy == CPU_POLICY_IDLE)
		resources_make_idle(group);
	s->memory = (OutOfMemory){ 0 };
	s->n_task_refusals = 0;
}

void step_count_events(Supervisor *s)
{
	s->memory = resources_out_of_memory(cgroup_path(s->cgroup));
	s->n_task_refusals = resources_task_refusals(cgroup_path(s->cgroup));
}

/* The kernel may refuse the removal for a moment, until the killed processes are gone. */
bool step_renew_cgroup(Supervisor *s)
{
	const bool has_survivors = s->plan.latest->kill_mode != KILL_MODE_CONTROL_GROUP &&
				   cgroup_population(s->cgroup) == CGROUP_POPULATED;

	if (cgroup_renew(s->cgroup)) {
		step_apply_to_cgroup(s);
	} else if (cgroup_may_be_killed(s->cgroup) && !has_survivors &&
		   s->n_renewals < RENEWALS_MAX) {
		s->n_renewals++;
		supervisor_set_poll(s, loop_now() + RENEW_AGAIN_US);
		return false;
	}
	s->n_renewals = 0;
	return true;
}

bool step_clear_groups(Supervisor *s)
{
	if (cgroup_population(s->cgroup) == CGROUP_POPULATED || cgroup_clear(s->cgroup) ||
	    s->n_renewals >= RENEWALS_MAX) {
		s->n_renewals = 0;
		return true;
	}
	s->n_renewals++;
	supervisor_set_poll(s, loop_now() + RENEW_AGAIN_US);
	return false;
}

void step_new_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	supervisor_set_limit(s, loop_now() + s->plan.def->start_limit_us);
	if (cgroup_create(s->cgroup, &error)) {
		supervisor_go(s, STEP_CLEAR, 0);
	} else {
		s->is_refused = g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_EXHAUSTED);
		supervisor_fail_start(s, STEP_SWEEP, "%s", error->message);
	}
	step_apply_to_cgroup(s);
	if (!cgroup_is_new(s->cgroup))
		step_count_events(s);
}

void step_new_stop(Supervisor *s)
{
	supervisor_go(s, STEP_SWEEP, 0);
}

void step_clear_enter(Supervisor *s)
{
	if (step_has_others(s))
		log_notice(s->plan.def->name, "killing processes that an earlier run left behind");
	step_clear_look(s);
}

void step_clear_limit(Supervisor *s)
{
	supervisor_fail_start(s, STEP_SWEEP, "processes of an earlier run cannot be killed");
}

/* --- prepare --- */

void step_prepare_enter(Supervisor *s)
{
	const Command *command = step_command_at(s->plan.def->prepare, s->index);
	g_autoptr(GError) error = NULL;

	if (!command)
		supervisor_go(s, STEP_MAIN, 0);
	else if (!supervisor_spawn(s, ROLE_CONTROL, command, &error))
		supervisor_fail_start(s, STEP_REST, "%s: %s", command->argv[0], error->message);
}

void step_prepare_ended(Supervisor *s, const struct MessageExited *exit)
{
	const Command *command = step_command_at(s->plan.def->prepare, s->index);
	g_autofree char *text = step_describe_control(s, exit);

	if (command && step_control_failed(command, exit))
		supervisor_fail_start(s, STEP_REST, "preparation failed: %s: %s", command->argv[0],
				      text);
	else
		supervisor_go(s, STEP_PREPARE, s->index + 1);
}

void step_prepare_limit(Supervisor *s)
{
	const Command *command = step_command_at(s->plan.def->prepare, s->index);
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);

	supervisor_fail_start(s, STEP_REST, "preparation not finished after %s: %s", limit,
			      command ? command->argv[0] : "?");
}

void step_prepare_stop(Supervisor *s)
{
	supervisor_go(s, STEP_REST, 0);
}

/* --- main: from the spawn to readiness --- */

void step_main_enter(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	if (!supervisor_spawn(s, ROLE_MAIN, s->plan.def->exec, &error))
		supervisor_fail_start(s, STEP_REST, "%s", error->message);
}

void supervisor_is_ready(Supervisor *s)
{
	if (s->step != STEP_MAIN && s->step != STEP_FORKED && s->step != STEP_ADOPT)
		return; /* a repeated or late READY=1 */
	s->was_ready = true;
	supervisor_set_poll(s, 0);
	supervisor_go(s, STEP_READY, 0);
	supervisor_event(s, PROCESS_READY, NULL);
}

/* Not before the program is executed: until then this run cannot have made the condition true. */
static void watch_readiness(Supervisor *s)
{
	if (s->is_watching || !s->plan.def->ready_key)
		return;
	s->is_watching = true;
	s->context->watch(s->context->data, s->plan.def->name, s->plan.def->ready_prefix,
			  s->plan.def->ready_key);
}

void supervisor_unwatch(Supervisor *s)
{
	if (!s->is_watching)
		return;
	s->is_watching = false;
	s->context->unwatch(s->context->data, s->plan.def->name, s->plan.def->ready_prefix,
			    s->plan.def->ready_key);
}

/* Unknown is not ready: the start waits up to StartTimeout=. */
void step_main_level(Supervisor *s, Level level, const char *why)
{
	g_free(s->unready_why);
	s->unready_why = g_strdup(why);
	if (level == LEVEL_TRUE)
		supervisor_is_ready(s);
}

void step_main_executed(Supervisor *s)
{
	if (s->step != STEP_MAIN)
		return;
	if (s->plan.def->ready == READY_EXEC)
		supervisor_is_ready(s);
	else
		watch_readiness(s);
}

void step_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	const char *problem = s->rows[ROLE_MAIN].problem;
	g_autofree char *text = step_describe_exit(s, exit);
	bool success = outcome_is_success(&s->plan, exit->code, exit->status);

	if (problem)
		supervisor_fail_start(s, STEP_REST, "%s", problem);
	else if (s->next_main_pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)s->next_main_pid);
	else if (s->plan.def->ready == READY_FORK && success)
		supervisor_go(s, STEP_FORKED, 0);
	else if (plan_ends_by_itself(&s->plan))
		step_end_by_itself(s, exit);
	else
		supervisor_fail_start(s, STEP_REST, "ended before it was ready: %s", text);
}

void step_main_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);

	if (plan_ends_by_itself(&s->plan))
		supervisor_fail_start(s, STEP_TERM, "not finished after %s", limit);
	else if (s->is_watching && s->unready_why)
		supervisor_fail_start(s, STEP_TERM, "not ready after %s: %s: %s", limit,
				      s->plan.def->ready_key, s->unready_why);
	else
		supervisor_fail_start(s, STEP_TERM, "not ready after %s", limit);
}

void step_main_stop(Supervisor *s)
{
	supervisor_go(s, STEP_TERM, 0);
}

/* --- forked: the daemon left by a process that ended with success --- */

static void forked_problem(Supervisor *s, const char *problem)
{
	g_free(s->forked_problem);
	s->forked_problem = g_strdup(problem);
}

/*
 * The daemon is not found by its PID file yet. If no process is left that could write that file,
 * the wait ends.
 */
static void forked_look_again(Supervisor *s, const char *problem)
{
	if (cgroup_population(s->cgroup) == CGROUP_EMPTY) {
		supervisor_fail_start(s, STEP_REST,
				      "its first process ended and left none behind: %s", problem);
		return;
	}
	forked_problem(s, problem);
	step_poll_again(s);
}

/* The result of a search without a PID file. */
static void forked_guessed(Supervisor *s, pid_t pid, unsigned n_processes)
{
	if (n_processes == 0 && cgroup_population(s->cgroup) == CGROUP_EMPTY)
		supervisor_fail_start(s, STEP_REST, "its first process ended and left none behind");
	else if (n_processes == 0)
		step_poll_again(s); /* a process in exec cannot be assigned yet */
	else if (pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
	else
		supervisor_is_ready(s); /* no main process: the service ends with its cgroup */
}

void step_forked_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	if (!s->plan.def->pid_file)
		forked_guessed(s, pid, n_processes);
	else if (pid > 0)
		supervisor_go(s, STEP_ADOPT, (unsigned)pid);
	else
		forked_look_again(s, problem);
}

void step_forked_enter(Supervisor *s)
{
	if (s->plan.def->pid_file || cgroup_is_known(s->cgroup))
		supervisor_search_main(s, !s->plan.def->pid_file);
	else
		supervisor_fail_start(
			s, STEP_REST,
			"Ready=fork without PidFile= needs cgroup v2, which this machine does not "
			"have");
}

void step_forked_limit(Supervisor *s)
{
	g_autofree char *limit = text_format_duration(s->plan.def->start_limit_us);

	supervisor_fail_start(s, STEP_REST, "not ready after %s: %s", limit,
			      s->forked_problem ? s->forked_problem : "its daemon was not found");
}

void step_forked_stop(Supervisor *s)
{
	supervisor_go(s, STEP_REST, 0);
}

/* --- adopt --- */

static void adopt(Supervisor *s)
{
	struct ProcessId id;

	process_id_init(&id, s->plan.def->name, ROLE_MAIN, s->invocation);
	s->rows[ROLE_MAIN] = (ProcessRow){ .in_use = true }; /* cleared if the answer is an error */
	keeper_link_adopt(s->context->link, &id, (pid_t)s->index);
}

static void successor_is(Supervisor *s, bool is_ours)
{
	s->successor_question = NULL;
	if (is_ours)
		adopt(s);
	else
		step_adopted(s, (pid_t)s->index, ESRCH);
	supervisor_settle(s);
}

static void on_successor(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	fd_close(&fd);
	successor_is(data, supervisor_is_yes(fields, n_fields));
}

static void on_successor_lost(void *data, const char *why)
{
	(void)why; /* the pool has logged it */
	successor_is(data, false);
}

/* MAINPID= may be old, and the PID may belong to another process by now. */
void step_adopt_enter(Supervisor *s)
{
	static const WorkerListener listener = { .answer = on_successor,
						 .lost = on_successor_lost };
	const pid_t pid = (pid_t)s->index;
	const NotifyTrust trust = pid == s->next_main_pid ? supervisor_trust(s, pid) :
							    NOTIFY_BELIEVED;

	s->next_main_pid = 0;
	if (trust == NOTIFY_BELIEVED)
		adopt(s);
	else if (trust == NOTIFY_LOOKED_UP)
		s->successor_question = supervisor_query_process(s, pid, &listener);
	else
		step_adopted(s, pid, ESRCH);
}

/* The errors in PID 1's MESSAGE_ADOPTED. */
static char *describe_adopt_error(pid_t pid, int error)
{
	switch (error) {
	case EBUSY:
		return g_strdup_printf("process %d belongs to another service", (int)pid);
	case ECHILD:
		return g_strdup_printf("process %d is not a child of PID 1", (int)pid);
	case ESRCH:
		return g_strdup_printf("process %d does not exist", (int)pid);
	}
	return g_strdup_printf("process %d: %s", (int)pid, g_strerror(error));
}

/* The process to adopt is gone, so the service has ended with its previous main process. */
static void adopt_failed(Supervisor *s, pid_t pid, int error)
{
	static const struct MessageExited unknown; /* an earlier manager has reported the exit */
	g_autofree char *text = describe_adopt_error(pid, error);

	if (plan_is_script(&s->plan)) {
		script_adopt_failed(s);
		return;
	}
	if (s->plan.def->ready == READY_FORK && !s->was_ready) {
		/* the intermediate process may still exist (ECHILD): look again */
		forked_problem(s, text);
		supervisor_stay(s, STEP_FORKED, 0);
		step_poll_again(s);
		return;
	}
	log_warning(s->plan.def->name, "MAINPID= cannot be followed: %s", text);
	supervisor_stay(s, s->was_ready ? STEP_READY : STEP_MAIN, 0);
	supervisor_row(s)->main_ended(s, s->last_exit ? s->last_exit : &unknown);
}

static void adopt_succeeded(Supervisor *s)
{
	if (plan_is_script(&s->plan)) {
		/* this process is newer than any restart or reload: its end is an exit */
		s->has_run = false;
		script_is_up(s);
	} else if (s->plan.def->ready == READY_FORK && !s->was_ready) {
		supervisor_is_ready(s);
	} else if (s->was_ready) {
		supervisor_go(s, STEP_READY, 0);
	} else {
		supervisor_stay(s, STEP_MAIN, 0);
	}
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
		/* a stop came first, and now has one process more or less to wait for */
		supervisor_go(s, s->step, s->index);
}

void step_adopt_stop(Supervisor *s)
{
	supervisor_go(s, s->was_ready ? STEP_STOP : STEP_TERM, 0);
}
