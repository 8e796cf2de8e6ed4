/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Step: what follows for one service from its terms, its state, and whether it is wanted. These are
 * the events of the table that the engine raises itself. Events from processes are in
 * process-event.c. The effects of events are in transitions.c.
 */
#include "config.h"

#include "engine/engine-private.h"

typedef enum StopReason {
	STOP_NOT,
	STOP_UNWANTED,
	STOP_CONFLICT,
	STOP_RESTART,
	STOP_LAPSE,
	STOP_AGAIN, /* a task is done, and its When= terms were false and are true again */
} StopReason;

/* --- terms that were false and are true again --- */

static bool are_terms_true(const Service *s, bool with_while)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->level != LEVEL_TRUE &&
		    (subscription->kind == TERM_WHEN ||
		     (with_while && subscription->kind == TERM_WHILE)))
			return false;
	}
	return true;
}

static bool has_flipped(Service *s, bool with_while)
{
	if (s->priv->terms.n_when_false > 0 || (with_while && s->priv->terms.n_while_false > 0)) {
		run_set_was_false(s, true);
		return false;
	}
	return s->priv->run.was_false && are_terms_true(s, with_while);
}

static void give_chance_after_flip(Service *s)
{
	if (!has_flipped(s, true))
		return;
	run_set_was_false(s, false);
	run_give_chance(s, g_strdup("its conditions were false and are true again"));
}

/* --- one step in each state --- */

static StopReason find_stop_reason(Service *s)
{
	if (!service_is_wanted(s))
		return STOP_UNWANTED;
	if (s->priv->loses_to)
		return STOP_CONFLICT;
	if (s->priv->run.is_restart_requested)
		return STOP_RESTART;
	if (s->priv->lapse.is_over && engine_on_lapse(s) == ON_LAPSE_STOP)
		return STOP_LAPSE;
	if (s->state == STATE_DONE && !s->def->once && !s->def->problem && has_flipped(s, false))
		return STOP_AGAIN;
	return STOP_NOT;
}

static char *stop_text(Service *s)
{
	switch (find_stop_reason(s)) {
	case STOP_UNWANTED:
		return want_describe(s);
	case STOP_CONFLICT:
		return g_strdup_printf("conflicts with %s", s->priv->loses_to->def->name);
	case STOP_RESTART:
		return g_strdup(s->priv->run.cause_next ? s->priv->run.cause_next : "restart");
	case STOP_LAPSE:
		return lapse_text(s);
	case STOP_AGAIN:
		return g_strdup("its conditions were false and are true again");
	case STOP_NOT:
		break;
	}
	return g_strdup("stopped");
}

static void step_active(Service *s)
{
	bool is_leaving;

	lapse_update(s);
	is_leaving = find_stop_reason(s) != STOP_NOT;
	if (!is_leaving || engine_is_shutting_down(s->priv->engine))
		service_retry_stop(s);
	is_leaving = is_leaving && !s->stop_problem;
	stop_order_set_leaving(s, is_leaving);
	if (!is_leaving)
		run_send_commands(s);
	if (!is_leaving && s->state == STATE_STARTING && service_is_group(s))
		service_apply(s, EVENT_READY, g_strdup("all its conditions are true"));
}

static void arm_unknown(Service *s)
{
	int64_t at_us = 0;

	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		for (unsigned j = 0; j < term_length(subscription->term); j++) {
			const Condition *c = subscription->conditions[j];
			const int64_t stale_us = condition_stale_at(s->priv->engine, c);

			if (c->level == LEVEL_UNKNOWN && !c->is_stale &&
			    (!at_us || stale_us < at_us))
				at_us = stale_us;
		}
	}
	engine_arm(s, ENGINE_TIMER_UNKNOWN, at_us);
}

static bool step_may_start(const Service *s)
{
	return s->priv->engine->is_acting && s->state == STATE_WAITING && s->n_false == 0 &&
	       conflict_lets_run(s) && !s->def->problem && !s->priv->file.is_gone &&
	       !engine_waits_for_login_screen(s);
}

static void step_towards_start(Service *s)
{
	start_lock_join(s);
	engine_queue(s,
		     engine_class(s) == SERVICE_CLASS_LOGIN_SCREEN ? WORK_START_FIRST : WORK_START);
}

static void check_unknown(Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		for (unsigned j = 0; j < term_length(subscription->term); j++)
			condition_check_stale(s->priv->engine, subscription->conditions[j]);
	}
}

static void step_held(Service *s)
{
	start_lock_leave(s);
	check_unknown(s);
	arm_unknown(s);
}

static void step_waiting(Service *s)
{
	if (s->def->problem)
		service_apply(s, EVENT_BROKEN, g_strdup(s->def->problem));
	else if (!service_is_wanted(s))
		service_apply(s, EVENT_UNWANTED, want_describe(s));
	else if (step_may_start(s))
		step_towards_start(s);
	else
		step_held(s);
	wait_limit_update(s);
}

static void step_idle(Service *s)
{
	if (s->def->problem)
		service_apply(s, EVENT_BROKEN, g_strdup(s->def->problem));
	else if (engine_is_spent(s))
		give_chance_after_flip(s);
	if (s->state == STATE_IDLE && service_is_wanted(s) && !engine_is_spent(s))
		service_apply(s, EVENT_WANTED, want_describe(s));
}

static void step_failed(Service *s)
{
	if (s->def->problem)
		return;
	if (!service_is_wanted(s))
		service_apply(s, EVENT_UNWANTED, want_describe(s));
	else
		give_chance_after_flip(s);
}

void step_service(Service *s)
{
	if (!s->priv->engine->is_acting)
		return;
	if (s->priv->file.is_gone && !service_is_active(s)) {
		engine_queue(s, WORK_FORGET);
		return;
	}
	switch (s->state) {
	case STATE_IDLE:
		step_idle(s);
		break;
	case STATE_WAITING:
		step_waiting(s);
		break;
	case STATE_STARTING:
	case STATE_READY:
	case STATE_DONE:
		step_active(s);
		break;
	case STATE_STOPPING:
		if (service_is_group(s))
			run_end(s);
		break;
	case STATE_BACKOFF:
		if (!service_is_wanted(s))
			service_apply(s, EVENT_UNWANTED, want_describe(s));
		break;
	case STATE_FAILED:
		step_failed(s);
		break;
	case STATE_COUNT:
		break;
	}
}

void step_level(Service *s)
{
	condition_publish(s);
	for (unsigned i = 0; i < s->priv->facilities->len; i++)
		facility_publish(s->priv->engine, g_ptr_array_index(s->priv->facilities, i));
}

void step_stop_now(Service *s)
{
	run_set_stop_ordered(s, true);
	service_apply(s, EVENT_STOP, stop_text(s));
}

void step_stop(Service *s)
{
	if (s->priv->stop.is_leaving && s->priv->stop.n_blockers == 0)
		step_stop_now(s);
}

static void start(Service *s)
{
	const Engine *engine = s->priv->engine;
	char *cause = run_take_cause(s);

	if (!cause && s->priv->terms.last_true)
		cause = g_strdup_printf("%s is true", s->priv->terms.last_true->text);
	else if (!cause)
		cause = want_describe(s);
	if (engine->observer)
		engine->observer->starting(engine->observer_data, s);
	service_apply(s, EVENT_ALLOWED, cause);
}

void step_start(Service *s)
{
	Service *next = s;

	if (!step_may_start(s)) {
		start_lock_leave(s); /* for example, another login screen was selected */
		return;
	}
	if (s->priv->turn.lock)
		next = start_lock_next(s);
	if (next && step_may_start(next))
		start(next);
	else if (next)
		engine_queue(next, WORK_START);
	if (next != s)
		start_lock_notify(s);
}

/* --- timers --- */

void step_timer(Service *s, EngineTimer kind)
{
	switch (kind) {
	case ENGINE_TIMER_BACKOFF:
		service_apply(s, EVENT_BACKOFF_OVER, g_strdup("the backoff is over"));
		break;
	case ENGINE_TIMER_LINGER:
		want_end_lingering(s);
		break;
	case ENGINE_TIMER_WAIT:
		wait_limit_over(s);
		break;
	case ENGINE_TIMER_UNKNOWN:
	case ENGINE_TIMER_SETTLE:
	case ENGINE_TIMER_LISTEN:
	case ENGINE_TIMER_LOGIN_SCREEN:
	case ENGINE_TIMER_COUNT:
		break;
	}
	engine_queue(s, WORK_STEP);
}
