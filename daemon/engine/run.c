/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run: the present or last run of a service, with its requests and its end. When no process is
 * left, a table selects the event (transitions.h). Only this file writes ServicePrivate.run.
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"
#include "engine/transitions.h"

/* --- it begins, and enters another state --- */

bool engine_is_spent(const Service *s)
{
	return s->priv->run.end == RUN_END_SPENT;
}

void run_forget_end(Service *s)
{
	if (engine_is_spent(s))
		s->priv->run.end = RUN_END_ORDINARY;
}

void run_give_chance(Service *s, char *cause)
{
	run_forget_end(s);
	service_apply(s, EVENT_NEW_CHANCE, cause);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

void run_set_cause(Service *s, char *cause)
{
	g_free(s->priv->run.cause_next);
	s->priv->run.cause_next = cause;
}

char *run_take_cause(Service *s)
{
	return g_steal_pointer(&s->priv->run.cause_next);
}

void run_set_was_false(Service *s, bool was_false)
{
	s->priv->run.was_false = was_false;
}

/*
 * A group ends when any of its terms is false, and any other service when a While= term is false.
 */
static void set_type(Service *s, ServiceType type)
{
	s->priv->run.type = type;
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind == TERM_WHEN || subscription->kind == TERM_WHILE)
			slot_set_kind(subscription, subscription->is_while || type == TYPE_GROUP ?
							    TERM_WHILE :
							    TERM_WHEN);
	}
}

static void enter_starting(Service *s)
{
	s->invocation++;
	set_type(s, s->def->type);
	s->priv->run.mark = s->def->mark;
	s->started_us = s->priv->engine->now_us;
	s->main_pid = 0;
	s->is_failed_for_good = false;
	g_clear_pointer(&s->status_text, g_free);
	s->priv->run.was_false = false;
	s->priv->run.is_restart_requested = false;
	s->priv->run.is_stop_ordered = false;
	lapse_end(s);
	g_clear_pointer(&s->restart_problem, g_free);
	g_clear_pointer(&s->stop_problem, g_free);
	g_clear_pointer(&s->reload_problem, g_free);
}

static void enter_up(Service *s)
{
	const bool was_up = s->ready_us > 0 && s->ready_us >= s->started_us;

	if (s->stop_problem || (was_up && s->priv->run.type == TYPE_SCRIPT))
		return; /* the start had ended before; a script moves between done and ready */
	s->ready_us = s->since_us;
	if (s->start_duration_us == 0 || s->state == STATE_READY || s->priv->run.type == TYPE_TASK)
		s->start_duration_us = MAX(s->since_us - s->started_us, 0);
}

static void enter_down(Service *s)
{
	s->main_pid = 0;
	s->priv->run.is_stop_ordered = false;
	s->priv->run.is_restart_requested = false;
	g_clear_pointer(&s->stop_problem, g_free);
	lapse_end(s);
}

/* The service stopped or ended during its reload. */
static void break_off_reload(Service *s)
{
	if (s->priv->run.reload == COMMAND_NONE)
		return;
	s->priv->run.reload = COMMAND_NONE;
	g_free(s->reload_problem);
	s->reload_problem = g_strdup("it stopped or ended before its reload was over");
}

void run_enter_state(Service *s)
{
	switch (s->state) {
	case STATE_STARTING:
		enter_starting(s);
		break;
	case STATE_READY:
	case STATE_DONE:
		enter_up(s);
		break;
	case STATE_IDLE:
	case STATE_WAITING:
	case STATE_BACKOFF:
	case STATE_FAILED:
		enter_down(s);
		break;
	case STATE_STOPPING:
	case STATE_COUNT:
		break;
	}
	if (!service_is_up(s)) {
		s->health = HEALTH_UNKNOWN;
		g_clear_pointer(&s->health_text, g_free);
		s->priv->run.restart = COMMAND_NONE; /* it stopped or ended first */
		break_off_reload(s);
	}
	if (s->state != STATE_IDLE)
		run_forget_end(s); /* FAILED by an error in its file: a corrected file starts it */
	if (s->state != STATE_BACKOFF)
		s->backoff_until_us = 0;
	engine_arm(s, ENGINE_TIMER_BACKOFF, s->backoff_until_us);
	if (s->state != STATE_WAITING)
		engine_arm(s, ENGINE_TIMER_UNKNOWN, 0);
	if (s->state != STATE_WAITING)
		wait_limit_update(s);
}

/* --- requests --- */

void run_set_stop_ordered(Service *s, bool is_ordered)
{
	s->priv->run.is_stop_ordered = is_ordered;
}

void run_set_restart_asked(Service *s, bool is_asked)
{
	s->priv->run.is_restart_requested = is_asked;
}

bool engine_is_restarting(const Service *s)
{
	return s->priv->run.restart != COMMAND_NONE;
}

void run_begin_restart(Service *s)
{
	g_clear_pointer(&s->restart_problem, g_free);
	if (!engine_is_restarting(s)) /* a restart under way answers this request too */
		s->priv->run.restart = COMMAND_PENDING;
	engine_queue(s, WORK_STEP);
}

void run_begin_reload(Service *s)
{
	RunState *run = &s->priv->run;

	run->reload = run->reload == COMMAND_NONE || run->reload == COMMAND_PENDING ?
			      COMMAND_PENDING :
			      COMMAND_AGAIN;
	g_clear_pointer(&s->reload_problem, g_free);
	engine_queue(s, WORK_STEP);
}

/* Also called for requests that an earlier manager did not complete. */
void run_send_commands(Service *s)
{
	Engine *engine = s->priv->engine;
	RunState *run = &s->priv->run;

	if (!service_is_up(s))
		return;
	if (run->restart == COMMAND_PENDING) {
		run->restart = COMMAND_RUNNING;
		engine->ops.restart(engine->data, s);
	}
	if (run->reload == COMMAND_PENDING) {
		run->reload = COMMAND_RUNNING;
		engine->ops.reload(engine->data, s);
	}
}

void run_end_restart(Service *s, const char *problem)
{
	s->priv->run.restart = COMMAND_NONE;
	if (!problem)
		s->priv->run.mark = s->def->mark;
	g_free(s->restart_problem);
	s->restart_problem = g_strdup(problem);
	service_remark(s, problem ? g_strdup_printf("restart failed: %s", problem) :
				    g_strdup("restarted"));
}

/* Requests during a reload cause one more reload, and its result applies to all of them. */
void run_end_reload(Service *s, const char *problem)
{
	RunState *run = &s->priv->run;

	run->reload = run->reload == COMMAND_AGAIN ? COMMAND_PENDING : COMMAND_NONE;
	if (run->reload == COMMAND_NONE) {
		g_free(s->reload_problem);
		s->reload_problem = g_strdup(problem);
	}
	service_remark(s, problem ? g_strdup_printf("reload failed: %s", problem) :
				    g_strdup("reloaded"));
	engine_queue(s, WORK_STEP);
}

/* --- its end --- */

void run_set_result(Service *s, bool is_success, bool is_refused, char *result)
{
	s->last_success = is_success;
	if (is_refused)
		s->priv->run.end = RUN_END_REFUSED;
	else if (s->priv->run.end == RUN_END_REFUSED)
		s->priv->run.end = RUN_END_ORDINARY;
	g_free(s->result);
	s->result = result;
}

/* Returns: the time for which it was ready. */
static int64_t time_up(const Service *s)
{
	if (s->ready_us < s->started_us || s->ready_us == 0)
		return 0;
	return (s->state == STATE_STOPPING ? s->since_us : s->priv->engine->now_us) - s->ready_us;
}

static char *give_up_text(const Service *s)
{
	g_autofree char *window = text_format_duration(s->def->restart_window_us);

	return g_strdup_printf(
		"%s; it ended %u times within %s, and is not started again (RestartLimit=)",
		s->result, s->priv->backoff.n_failures, window);
}

/*
 * A start that timed out has the effect of several failures, because other services have waited for
 * the whole limit.
 */
static bool has_used_up_its_start(const Service *s)
{
	return s->state == STATE_STOPPING && s->ready_us < s->started_us &&
	       s->since_us - s->started_us >= s->def->start_limit_us;
}

static int64_t next_start(Service *s)
{
	Backoff *backoff = &s->priv->backoff;
	const int64_t now_us = s->priv->engine->now_us;

	if (has_used_up_its_start(s))
		backoff->level = MAX(backoff->level, BACKOFF_FAILING - 1);
	return s->priv->run.end == RUN_END_REFUSED ? backoff_next_try(backoff, s->def, now_us) :
						     backoff_next_start(backoff, s->def, now_us);
}

static void retry_or_give_up(Service *s)
{
	const int64_t next_us = next_start(s);
	g_autofree char *delay = NULL;

	if (next_us == BACKOFF_GIVE_UP) {
		service_apply(s, EVENT_GIVE_UP, give_up_text(s));
		s->is_failed_for_good = true;
		return;
	}
	delay = text_format_duration(next_us - s->priv->engine->now_us);
	s->n_restarts++;
	s->backoff_until_us = next_us;
	service_apply(s, EVENT_RETRY, g_strdup_printf("%s; next start in %s", s->result, delay));
}

/* A demand ends with the run, because many bus-activated daemons exit when idle. */
static void end_demand(Service *s)
{
	if (s->admin != ADMIN_DEMAND && s->admin != ADMIN_CONNECTION)
		return;
	s->admin = ADMIN_NONE;
	engine_queue(s, WORK_WANT);
}

static RunResult result_of_run(const Service *s)
{
	if (s->priv->run.end == RUN_END_REFUSED)
		return RUN_REFUSED;
	return s->last_success ? RUN_SUCCEEDED : RUN_FAILED;
}

static bool is_still_wanted(const Service *s)
{
	return service_is_wanted(s) && s->want_reason != WANT_LINGER && !s->priv->file.is_gone;
}

static ServiceEvent event_of_end(const Service *s, bool is_wanted)
{
	return run_end_event(is_wanted, s->priv->run.is_stop_ordered || service_is_group(s),
			     result_of_run(s), s->def->restart);
}

bool engine_starts_again(const Service *s)
{
	const ServiceEvent event = event_of_end(s, is_still_wanted(s));

	return event == EVENT_GONE_WANTED || event == EVENT_RETRY;
}

static void rest(Service *s)
{
	s->priv->run.end = RUN_END_SPENT;
	end_demand(s);
	service_apply(s, EVENT_SPENT, g_strdup_printf("it ended by itself: %s", s->result));
}

/* If a socket stays open, the next client can start @s. */
static void give_up(Service *s)
{
	const bool listens = listen_after_failure(s);

	service_apply(s, EVENT_GIVE_UP, listens ? g_strdup(s->result) : give_up_text(s));
	s->is_failed_for_good = !listens;
}

void run_end(Service *s)
{
	const bool is_wanted = is_still_wanted(s); /* read before its lingering ends */
	ServiceEvent event;

	want_end_lingering(s);
	if (s->priv->run.end == RUN_END_UNSEEN)
		s->priv->run.end = RUN_END_ORDINARY;
	backoff_run_ended(&s->priv->backoff, s->def, time_up(s));
	if (s->state != STATE_STOPPING && !service_is_group(s))
		run_set_result(s, false, false, g_strdup("its processes are gone"));
	if (!s->result)
		s->result = g_strdup("stopped");
	event = event_of_end(s, is_wanted);
	if (event == EVENT_GONE)
		service_apply(s, event, want_describe(s));
	else if (event == EVENT_GONE_WANTED)
		service_apply(s, event, g_strdup("stopped"));
	else if (event == EVENT_RETRY)
		retry_or_give_up(s);
	else if (event == EVENT_SPENT)
		rest(s);
	else
		give_up(s);
}

/* --- recovery --- */

void run_restore(Service *s, const RunState *noted)
{
	g_free(s->priv->run.cause_next);
	s->priv->run = *noted;
}

void run_resume(Service *s, ServiceState state, ServiceType type, bool is_unexplained)
{
	RunState *run = &s->priv->run;

	run->is_unexplained = is_unexplained;
	set_type(s, type);
	if (state != STATE_READY && state != STATE_DONE)
		run->restart = run->reload = COMMAND_NONE;
}

void run_ended_unseen(Service *s, ServiceState noted)
{
	if (noted != STATE_STOPPING) {
		s->priv->run.is_stop_ordered = false;
		run_set_result(s, false, false, g_strdup("ended while no manager ran"));
	}
	s->priv->run.end = RUN_END_UNSEEN;
}
