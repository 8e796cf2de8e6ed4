/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise: one invocation of a service. This file has its life cycle, the input from the keeper,
 * the timers and the engine, and the note of its phase. The table of steps in supervise-steps.c
 * decides what follows from an event.
 */
#include "config.h"

#include "process/supervise.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/errors.h"
#include "base/log.h"
#include "process/supervise-private.h"

/* --- the phase: the text from which the next manager resumes --- */

/* The phase contains tenths of a second, so that a day has five hexadecimal digits. */
#define WATCHDOG_UNIT_US (G_USEC_PER_SEC / 10)

/* Flags of the run, one letter each, in the order in which they are written. */
static const struct {
	char letter;
	size_t offset; /* of a bool in Supervisor */
} flags[] = {
	{ 'r', offsetof(Supervisor, was_ready) },
	{ 'f', offsetof(Supervisor, failure_reported) },
	{ 'x', offsetof(Supervisor, exit_reported) },
	{ 's', offsetof(Supervisor, is_stopping) },
	{ 'u', offsetof(Supervisor, has_run) },
};

void supervisor_phase(const Supervisor *s, char *text, size_t size)
{
	/* Rounded up, so that the interval is never too short. */
	const int64_t watchdog = (s->watchdog_us + WATCHDOG_UNIT_US - 1) / WATCHDOG_UNIT_US;
	char letters[G_N_ELEMENTS(flags) + 2] = "-";
	char *end = letters + 1;
	int length;

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
		if (*(const bool *)((const char *)s + flags[i].offset))
			*end++ = flags[i].letter;
	}
	*end = '\0';
	length = snprintf(text, size, "%s:%u:%" PRId64 ":%s", step_name(s->step), s->index,
			  timer_deadline(s->limit), letters);
	if ((watchdog > 0 || s->next_main_pid > 0) && length > 0 && (size_t)length < size)
		length += snprintf(text + length, size - (size_t)length, ":%x", (unsigned)watchdog);
	if (s->next_main_pid > 0 && length > 0 && (size_t)length < size)
		(void)snprintf(text + length, size - (size_t)length, ":%x",
			       (unsigned)s->next_main_pid);
}

/* Restores the state that the text @phase describes. Returns: false if it cannot be parsed. */
static bool supervisor_parse_phase(Supervisor *s, const char *phase)
{
	unsigned watchdog = 0;
	unsigned next_main_pid = 0;
	char name[16];
	char letters[8];
	unsigned index;
	int64_t deadline_us;
	Step step;

	if (sscanf(phase, "%15[a-z]:%u:%" SCNd64 ":%7[-a-z]:%x:%x", name, &index, &deadline_us,
		   letters, &watchdog, &next_main_pid) < 4 ||
	    !step_from_name(name, &step))
		return false;
	s->step = step;
	s->index = index;
	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		*(bool *)((char *)s + flags[i].offset) = strchr(letters, flags[i].letter) != NULL;
	s->watchdog_us = MIN((int64_t)watchdog * WATCHDOG_UNIT_US, WATCHDOG_MAX_US);
	s->next_main_pid = (pid_t)MIN(next_main_pid, (unsigned)G_MAXINT);
	supervisor_set_limit(s, deadline_us > 0 ? deadline_us : 0);
	g_strlcpy(s->noted, phase, sizeof s->noted);
	return true;
}

/* Sends a changed phase that no other message has carried to the keeper yet. */
static void supervisor_note_phase(Supervisor *s)
{
	char phase[sizeof s->noted];

	supervisor_phase(s, phase, sizeof phase);
	if (s->step == STEP_GONE || strcmp(phase, s->noted) == 0)
		return;
	g_strlcpy(s->noted, phase, sizeof s->noted);
	supervisor_event(s, PROCESS_PHASE, NULL);
}

/* --- steps --- */

void supervisor_go(Supervisor *s, Step step, unsigned index)
{
	s->step = step;
	s->index = index;
	s->is_entering = true;
}

void supervisor_stay(Supervisor *s, Step step, unsigned index)
{
	s->step = step;
	s->index = index;
	s->is_entering = false;
}

/*
 * Is the service up, but its process about to be replaced or identified? Requested commands then
 * wait.
 */
static bool is_up_but_busy(const Supervisor *s)
{
	return s->step == STEP_RELOAD || s->step == STEP_RESTART || s->step == STEP_LEFT ||
	       s->step == STEP_SEEK || (s->step == STEP_ADOPT && s->was_ready);
}

static void reload(Supervisor *s)
{
	const Action *action = &s->plan.latest->reload;

	if (action->kind == ACTION_NONE) {
		supervisor_event(s, PROCESS_RELOAD_FAILED, "it has no Reload=");
	} else if (s->step != STEP_READY && !(s->step == STEP_DONE && plan_is_script(&s->plan))) {
		supervisor_event(s, PROCESS_RELOAD_FAILED, "it is not ready");
	} else if (action->kind == ACTION_COMMAND) {
		supervisor_go(s, STEP_RELOAD, 0);
	} else if (!s->rows[ROLE_MAIN].in_use) {
		supervisor_event(s, PROCESS_RELOAD_FAILED, "its main process is not known");
	} else {
		supervisor_signal(s, ROLE_MAIN, action->signal);
		supervisor_event(s, PROCESS_RELOADED, NULL);
	}
}

static bool begin_reload(Supervisor *s)
{
	if (!s->reload_wanted || is_up_but_busy(s))
		return false;
	s->reload_wanted = false;
	reload(s);
	return s->is_entering;
}

/* A requested restart also waits for a reload. */
static bool begin_restart(Supervisor *s)
{
	if (!s->restart_wanted || (s->step != STEP_READY && s->step != STEP_DONE))
		return false;
	s->restart_wanted = false;
	supervisor_go(s, STEP_RESTART, 0);
	return true;
}

void supervisor_settle(Supervisor *s)
{
	if (!s->has_begun)
		return;
	while (s->is_entering || begin_reload(s) || begin_restart(s)) {
		s->is_entering = false;
		supervisor_set_poll(s, 0);
		g_clear_pointer(&s->search, worker_job_free);
		g_clear_pointer(&s->successor_question, worker_job_free);
		supervisor_row(s)->enter(s);
	}
	if (s->step != STEP_MAIN && s->step != STEP_ADOPT)
		supervisor_unwatch(s);
	watchdog_update(s);
	probes_update(s);
	supervisor_note_phase(s);
}

const char *supervisor_note(Supervisor *s)
{
	supervisor_phase(s, s->noted, sizeof s->noted);
	return s->context->note(s->context->data, s->plan.def->name);
}

void supervisor_signal(Supervisor *s, enum ProcessRole role, int signo)
{
	struct ProcessId id;

	if (!s->rows[role].in_use)
		return;
	process_id_init(&id, s->plan.def->name, role, s->invocation);
	keeper_link_signal(s->context->link, &id, signo);
}

/* --- reports to the engine --- */

void supervisor_emit(Supervisor *s, ProcessEvent *event)
{
	s->context->event(s->context->data, s->plan.def->name, s->invocation, event);
}

void supervisor_event(Supervisor *s, ProcessEventKind kind, const char *text)
{
	ProcessEvent event = {
		.kind = kind, .pid = s->rows[ROLE_MAIN].pid, .text = text, .at_us = loop_now()
	};

	supervisor_emit(s, &event);
}

/* The end of a run is reported once. A failed start has already been reported. */
static void report_end(Supervisor *s, ProcessEvent *event)
{
	if (s->failure_reported || s->exit_reported)
		return;
	s->exit_reported = true;
	supervisor_emit(s, event);
}

void supervisor_report_exit(Supervisor *s, const struct MessageExited *exit, bool success,
			    const char *text)
{
	ProcessEvent event = { .kind = PROCESS_EXITED,
			       .pid = exit->pid,
			       .success = success,
			       .code = exit->code,
			       .status = exit->status,
			       .text = text,
			       .at_us = (int64_t)exit->at_us };

	report_end(s, &event);
}

void supervisor_report_restart_end(Supervisor *s, const struct MessageExited *exit,
				   const char *text)
{
	ProcessEvent event = { .kind = PROCESS_EXITED,
			       .pid = exit->pid,
			       .is_restart = true,
			       .code = exit->code,
			       .status = exit->status,
			       .text = text,
			       .at_us = (int64_t)exit->at_us };

	report_end(s, &event);
}

void supervisor_report_done(Supervisor *s, const char *text)
{
	ProcessEvent event = { .kind = PROCESS_EXITED,
			       .success = true,
			       .is_done = true,
			       .code = CLD_EXITED,
			       .text = text,
			       .at_us = loop_now() };

	report_end(s, &event);
}

void supervisor_fail_start(Supervisor *s, Step next, const char *format, ...)
{
	ProcessEvent event = { .kind = PROCESS_START_FAILED,
			       .pid = s->rows[ROLE_MAIN].pid,
			       .at_us = loop_now() };
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	supervisor_go(s, next, 0);
	if (s->failure_reported || s->exit_reported)
		return;
	s->failure_reported = true;
	event.is_refused = s->is_refused;
	event.text = text;
	supervisor_emit(s, &event);
}

/* --- from the keeper: processes that were started, adopted or ended --- */

/* Clears the status of a process that is gone. */
static void supervisor_clear_row(Supervisor *s, enum ProcessRole role)
{
	ProcessRow *row = &s->rows[role];

	g_clear_pointer(&row->status, ready_fd_free);
	g_clear_pointer(&row->problem, g_free);
}

/*
 * An unknown role comes from another version of svcd. It is then only known that the process runs
 * beside the main process.
 */
static enum ProcessRole role_of(const struct ProcessId *id)
{
	return id->role < ROLE_COUNT ? (enum ProcessRole)id->role : ROLE_CONTROL;
}

static void spawn_failed(Supervisor *s, enum ProcessRole role, int error)
{
	struct MessageExited exit = { .code = CLD_EXITED,
				      .status = 127,
				      .at_us = (uint64_t)loop_now() };
	ProcessRow *row = &s->rows[role];

	row->in_use = false;
	g_free(row->problem);
	/* A row is busy if a probe of an earlier run cannot be killed. */
	row->problem = role_is_probe(role) && error == EBUSY ?
			       g_strdup("a process of an earlier run cannot be killed") :
			       g_strdup_printf("cannot start a process: %s", g_strerror(error));
	if (role_is_probe(role))
		probe_ended(s, role, &exit);
	else if (role == ROLE_CONTROL)
		supervisor_row(s)->control_ended(s, &exit);
	else if (s->is_stopping)
		supervisor_row(s)->main_ended(s, &exit);
	else
		supervisor_fail_start(s, STEP_REST, "%s", row->problem);
	supervisor_clear_row(s, role);
}

void supervisor_on_spawned(Supervisor *s, const struct MessageSpawned *message)
{
	enum ProcessRole role = role_of(&message->id);
	ProcessRow *row = &s->rows[role];
	ProcessEvent started = { .kind = PROCESS_STARTED,
				 .pid = message->pid,
				 .at_us = (int64_t)message->at_us };

	if (!row->in_use || row->pid > 0)
		return; /* reported again by a replay */
	if (!role_is_probe(role))
		s->is_refused = errnum_is_passing((int)message->error);
	if (message->error) {
		spawn_failed(s, role, message->error);
	} else {
		row->pid = message->pid;
		if (role == ROLE_MAIN)
			supervisor_emit(s, &started);
		supervisor_arm(s);
	}
	supervisor_settle(s);
}

static void handle_exit(Supervisor *s, const struct MessageExited *message)
{
	enum ProcessRole role = role_of(&message->id);
	ProcessRow *row = &s->rows[role];

	supervisor_drain(s, role);
	row->in_use = false;
	row->pid = 0;
	if (role == ROLE_MAIN) {
		g_free(s->last_exit);
		s->last_exit = g_memdup2(message, sizeof(*message));
		supervisor_row(s)->main_ended(s, message);
	} else if (role_is_probe(role)) {
		probe_ended(s, role, message);
	} else {
		supervisor_row(s)->control_ended(s, message);
	}
	supervisor_clear_row(s, role);
	/*
	 * The row is free only now. The note contains the next step, and the first message of that
	 * step may need the row.
	 */
	keeper_link_ack(s->context->link, &message->id, supervisor_note(s));
	supervisor_settle(s);
}

void supervisor_on_exited(Supervisor *s, const struct MessageExited *message)
{
	enum ProcessRole role = role_of(&message->id);

	if (!s->has_begun) {
		g_free(s->early_exits[role]);
		s->early_exits[role] = g_memdup2(message, sizeof(*message));
		return;
	}
	handle_exit(s, message);
}

/* Exits that were reported before a resumed supervisor had begun. */
static void supervisor_take_early_exits(Supervisor *s)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		if (s->early_exits[role])
			handle_exit(s, s->early_exits[role]);
	}
}

void supervisor_on_adopted(Supervisor *s, const struct MessageAdopted *message)
{
	if (!s->has_begun)
		return; /* requested by the previous manager; the request is repeated */
	step_adopted(s, message->pid, message->error);
	supervisor_settle(s);
}

/* --- from the main loop --- */

void supervisor_on_level(Supervisor *s, const char *key, Level level, const char *why)
{
	if (!s->is_watching || key != s->plan.def->ready_key)
		return;
	step_main_level(s, level, why);
	supervisor_settle(s);
}

static void on_limit(void *data)
{
	Supervisor *s = data;

	supervisor_row(s)->limit(s);
	supervisor_settle(s);
}

static void look_again(void *data)
{
	Supervisor *s = data;

	supervisor_row(s)->changed(s);
	supervisor_settle(s);
}

void supervisor_set_limit(Supervisor *s, int64_t at_us)
{
	timer_set(&s->limit, at_us, on_limit, s);
}

void supervisor_set_poll(Supervisor *s, int64_t at_us)
{
	timer_set(&s->poll, at_us, look_again, s);
}

/* Does the process that the step waits for exist? Then an earlier manager has entered the step. */
static bool step_is_under_way(const Supervisor *s)
{
	const bool has_main = s->rows[ROLE_MAIN].in_use;
	const bool has_control = s->rows[ROLE_CONTROL].in_use;

	switch (s->step) {
	case STEP_PREPARE:
	case STEP_RELOAD:
	case STEP_RESTART:
	case STEP_STOP:
	case STEP_CLEANUP:
	case STEP_TIDY:
		return has_control;
	case STEP_MAIN:
	case STEP_ADOPT:
		return has_main;
	case STEP_NEW:
	case STEP_CLEAR:
	case STEP_FORKED:
	case STEP_LEFT:
	case STEP_READY:
	case STEP_SEEK:
	case STEP_DONE:
	case STEP_ABORT:
	case STEP_TERM:
	case STEP_REST:
	case STEP_KILL:
	case STEP_SWEEP:
	case STEP_GONE:
	case STEP_COUNT:
		return false;
	}
	return false;
}

static bool may_live_without_main(const Supervisor *s)
{
	return s->plan.def->ready == READY_FORK || plan_is_script(&s->plan);
}

/* A ready service with an unknown main process: only its cgroup shows whether it still runs. */
static void resume_ready(Supervisor *s)
{
	struct MessageExited unknown = { .at_us = (uint64_t)loop_now() };

	if (s->rows[ROLE_MAIN].in_use || may_live_without_main(s))
		return;
	supervisor_report_exit(s, &unknown, false, "its main process ended while no manager ran");
	supervisor_go(s, STEP_REST, 0);
}

static void resume(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	s->is_entering = !step_is_under_way(s);
	if (!supervisor_open_notify(s, &error))
		log_warning(s->plan.def->name, "%s", error->message);
	supervisor_arm(s);
	if (supervisor_is_up(s))
		step_apply_resources(s);
	/* otherwise the group was made for this run, and counts only this run */
	if (s->plan.latest->kill_mode == KILL_MODE_PROCESS)
		step_count_events(s);
	probes_resume(s);
	if (s->step == STEP_READY || s->step == STEP_RELOAD)
		resume_ready(s);
	if (s->step == STEP_ADOPT && s->rows[ROLE_MAIN].in_use)
		step_adopted(s, s->rows[ROLE_MAIN].pid, 0);
	if (s->step == STEP_MAIN && s->rows[ROLE_MAIN].in_use && !s->rows[ROLE_MAIN].status)
		/* the keeper has no exec status channel any more: it was read to its end */
		step_main_executed(s);
	supervisor_take_early_exits(s);
}

static void on_turn(void *data)
{
	Supervisor *s = data;
	bool is_first = !s->has_begun;

	s->is_in_line = is_first && !s->is_resumed && keeper_link_wait(s->context->link, s->turn);
	if (s->is_in_line)
		return;
	g_clear_pointer(&s->turn, timer_free);
	s->has_begun = true;
	if (is_first && s->is_resumed)
		resume(s);
	if (s->stop_wanted)
		supervisor_row(s)->stop(s);
	s->stop_wanted = false;
	supervisor_settle(s);
}

static void take_turn(Supervisor *s)
{
	if (!s->is_in_line)
		timer_set(&s->turn, loop_now(), on_turn, s);
}

/*
 * A resumed supervisor has no turn before it has all its descriptors: supervisor_resumed() gives it
 * one.
 */
static void request_turn(Supervisor *s)
{
	if (s->has_begun || !s->is_resumed)
		take_turn(s);
}

/* --- life --- */

static Supervisor *supervisor_new(ProcessContext *context, const ServiceDef *def,
				  uint64_t invocation)
{
	Supervisor *s = g_new0(Supervisor, 1);

	s->context = context;
	plan_init(&s->plan, def);
	s->invocation = invocation;
	s->is_entering = true;
	s->known_us = loop_now();
	s->cgroup = cgroup_new(context->cgroup_root, def->name, look_again, s);
	cgroup_use_workers(s->cgroup, context->workers);
	if (context->has_marks)
		cgroup_use_marks(s->cgroup, keeper_link_keeper_pid(context->link));
	if (plan_notifies(&s->plan))
		s->notify_path = notify_socket_path(context->runtime_dir, def->name);
	return s;
}

Supervisor *supervisor_start(ProcessContext *context, const ServiceDef *def, uint64_t invocation)
{
	Supervisor *s = supervisor_new(context, def, invocation);

	s->watchdog_us = s->plan.def->watchdog_us;
	take_turn(s);
	return s;
}

/*
 * Without a note: a living main process means ready; other remaining processes are being stopped.
 */
static void guess_step(Supervisor *s)
{
	if (s->rows[ROLE_MAIN].in_use || may_live_without_main(s))
		supervisor_go(s, STEP_READY, 0);
	else
		supervisor_go(s, STEP_REST, 0);
	s->was_ready = true;
}

Supervisor *supervisor_resume(ProcessContext *context, const ServiceDef *def, uint64_t invocation,
			      const char *phase, const pid_t pids[ROLE_COUNT])
{
	Supervisor *s = supervisor_new(context, def, invocation);

	s->is_resumed = true;
	for (int role = 0; role < ROLE_COUNT; role++)
		s->rows[role] = (ProcessRow){ .in_use = pids[role] > 0, .pid = pids[role] };
	if (!supervisor_parse_phase(s, phase))
		guess_step(s);
	return s;
}

void supervisor_resumed(Supervisor *s)
{
	take_turn(s);
}

void supervisor_redefine(Supervisor *s, const ServiceDef *def)
{
	if (s->has_begun && supervisor_is_up(s))
		plan_refresh(&s->plan, def);
}

void supervisor_stop(Supervisor *s)
{
	s->stop_wanted = true;
	request_turn(s);
}

void supervisor_reload(Supervisor *s)
{
	s->reload_wanted = true;
	request_turn(s);
}

void supervisor_restart(Supervisor *s)
{
	if (s->step == STEP_RESTART && s->index == 0)
		return; /* otherwise the restart took too long, which was reported */
	s->restart_wanted = true;
	request_turn(s);
}

bool supervisor_send_signal(Supervisor *s, int signo, bool to_all, GError **error)
{
	if (to_all && !cgroup_is_known(s->cgroup))
		return fail(error, SVCD_ERROR_NOT_SUPPORTED,
			    "%s: without cgroup v2 only its main process is known",
			    s->plan.def->name);
	if (!to_all && !s->rows[ROLE_MAIN].in_use)
		return fail(error, SVCD_ERROR_NOT_SUPPORTED, "%s: its main process is not known",
			    s->plan.def->name);
	if (to_all)
		cgroup_signal(s->cgroup, signo, 0);
	else
		supervisor_signal(s, ROLE_MAIN, signo);
	return true;
}

void supervisor_check(Supervisor *s)
{
	s->check_wanted = true;
	request_turn(s);
}

pid_t supervisor_main_pid(const Supervisor *s)
{
	return s->rows[ROLE_MAIN].pid;
}

uint64_t supervisor_invocation(const Supervisor *s)
{
	return s->invocation;
}

const char *supervisor_cgroup(const Supervisor *s)
{
	return cgroup_path(s->cgroup);
}

void supervisor_free(Supervisor *s)
{
	if (!s)
		return;
	supervisor_unwatch(s);
	keeper_link_wait_no_more(s->context->link, s->turn);
	timer_free(s->turn);
	timer_free(s->limit);
	timer_free(s->poll);
	timer_free(s->watchdog);
	for (int role = 0; role < ROLE_COUNT; role++)
		supervisor_clear_row(s, (enum ProcessRole)role);
	probes_free(s);
	capture_free(s->stop_output);
	ready_fd_free(s->ready);
	worker_job_free(s->search);
	worker_job_free(s->sender_question);
	worker_job_free(s->successor_question);
	notify_eater_free(s->eater);
	notify_socket_free(s->notify);
	g_free(s->notify_path);
	g_free(s->status_text);
	g_free(s->forked_problem);
	g_free(s->unready_why);
	for (int role = 0; role < ROLE_COUNT; role++)
		g_free(s->early_exits[role]);
	g_free(s->last_exit);
	cgroup_free(s->cgroup);
	plan_clear(&s->plan);
	g_free(s);
}
