/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service: the run-time record. Only service_apply() changes a state, and it records the cause and
 * time.
 *
 * Consequences are put on the work lists. step.c makes the decisions.
 */
#include "config.h"

#include <string.h>

#include "engine/engine-private.h"

#include "base/list.h"

/* Frees all but the newest @n_left records of the list at *@causes. */
static void forget_causes(CauseRecord **causes, unsigned n_left)
{
	while (*causes && n_left-- > 0)
		causes = &(*causes)->older;
	while (*causes) {
		CauseRecord *record = *causes;

		*causes = record->older;
		g_free(record);
	}
}

Service *service_new(Engine *engine, ServiceDef *def)
{
	Service *s = g_new0(Service, 1);

	s->def = def;
	s->when = list_new();
	s->while_terms = list_new();
	s->priv = g_new0(struct ServicePrivate, 1);
	s->priv->engine = engine;
	s->priv->subscriptions = list_new();
	s->priv->done_subscriptions = list_new();
	s->priv->shown_subscriptions = list_new();
	s->priv->needs = list_new();
	s->priv->needers = list_new();
	s->priv->conflicts = list_new();
	s->priv->stop.after = list_new();
	s->priv->facilities = list_new();
	s->priv->mounted = list_new();
	return s;
}

void service_free(Service *s)
{
	const Engine *engine = s ? s->priv->engine : NULL;

	if (!s)
		return;
	if (engine->observer)
		engine->observer->removed(engine->observer_data, s);
	list_free(s->priv->subscriptions);
	list_free(s->priv->done_subscriptions);
	list_free(s->priv->shown_subscriptions);
	list_free(s->priv->needs);
	list_free(s->priv->needers);
	list_free(s->priv->conflicts);
	list_free(s->priv->stop.after);
	list_free(s->priv->facilities);
	list_free(s->priv->mounted);
	backoff_clear(&s->priv->backoff);
	g_free(s->priv->run.cause_next);
	g_free(s->priv->note_unknown);
	g_free(s->priv->file.problem);
	g_free(s->priv);
	list_free(s->when);
	list_free(s->while_terms);
	refusals_clear(&s->refusals);
	forget_causes(&s->newest_cause, 0);
	g_free(s->result);
	g_free(s->restart_problem);
	g_free(s->stop_problem);
	g_free(s->reload_problem);
	g_free(s->status_text);
	g_free(s->health_text);
	g_free(s->resource_problem);
	g_free(s);
}

bool state_is_active(ServiceState state)
{
	switch (state) {
	case STATE_STARTING:
	case STATE_READY:
	case STATE_DONE:
	case STATE_STOPPING:
		return true;
	case STATE_IDLE:
	case STATE_WAITING:
	case STATE_BACKOFF:
	case STATE_FAILED:
	case STATE_COUNT:
		break;
	}
	return false;
}

bool service_is_active(const Service *s)
{
	return state_is_active(s->state);
}

static void record_cause(Service *s, CauseKind kind, ServiceState from, ServiceState to,
			 int64_t at_us, const char *text)
{
	const size_t size = strlen(text) + 1;
	CauseRecord *record = g_malloc(sizeof(CauseRecord) + size);

	*record = (CauseRecord){
		.older = s->newest_cause, .at_us = at_us, .from = from, .to = to, .kind = kind
	};
	memcpy(record->text, text, size);
	s->newest_cause = record;
	forget_causes(&s->newest_cause, LIMIT_CAUSES);
}

static void remark(Service *s, CauseKind kind, char *text)
{
	Engine *engine = s->priv->engine;

	record_cause(s, kind, s->state, s->state, engine->now_us, text);
	g_free(text);
	engine->ops.changed(engine->data, s);
}

void service_remark(Service *s, char *text)
{
	remark(s, CAUSE_EVENT, text);
}

void service_remark_refusal(Service *s, CauseKind kind, char *text)
{
	const bool is_never_started = s->policy.activation == ACTIVATION_NEVER;
	CauseRecord *newest = s->newest_cause;

	if (newest && newest->kind != CAUSE_EVENT &&
	    (is_never_started || (kind == CAUSE_REFUSED_DEMAND && newest->kind == kind))) {
		s->newest_cause = newest->older;
		g_free(newest);
	}
	remark(s, kind, text);
}

/* Changes the state and all that depends on it: counters, stop order, levels. */
static void set_state(Service *s, ServiceState to, int64_t at_us)
{
	Engine *engine = s->priv->engine;

	engine->n_stopping -= s->state == STATE_STOPPING;
	s->state = to;
	s->since_us = at_us;
	engine->n_stopping += to == STATE_STOPPING;
	if (!service_is_active(s) || to == STATE_STOPPING)
		stop_order_set_leaving(s, false);
	stop_order_state_changed(s);
	start_lock_state_changed(s);
	conflict_look_again(s);
	engine_queue(s, WORK_LEVEL);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

/* A group has no processes. */
static void act(const Service *s)
{
	Engine *engine = s->priv->engine;

	if (s->state == STATE_STARTING && !service_is_group(s))
		engine->ops.start(engine->data, s);
	else if (s->state == STATE_STOPPING && !service_is_group(s))
		engine->ops.stop(engine->data, s);
}

void service_observe(Service *s, ServiceState from)
{
	Engine *engine = s->priv->engine;
	const bool is_left = !service_is_wanted(s) && service_is_active(s) && !s->stop_problem;

	if (is_left != s->priv->is_left)
		engine->n_left += is_left ? 1 : -1u;
	s->priv->is_left = is_left;
	if (engine->observer)
		engine->observer->changed(engine->observer_data, s, from);
}

void service_apply(Service *s, ServiceEvent event, char *cause)
{
	Engine *engine = s->priv->engine;
	const ServiceState from = s->state;
	const int to = transition_find(from, event);
	const int64_t at_us = MAX(engine->happened_us, from == STATE_IDLE ? 0 : s->since_us);

	g_assert(to != TRANSITION_NEVER); /* only the engine itself sends these events */
	if (to == TRANSITION_NONE) {
		g_free(cause);
		return;
	}
	set_state(s, (ServiceState)to, at_us);
	run_enter_state(s);
	record_cause(s, CAUSE_EVENT, from, s->state, at_us,
		     cause ? cause : service_event_name(event));
	g_free(cause);
	service_observe(s, from);
	act(s);
	engine->ops.entered(engine->data, s);
	engine->ops.changed(engine->data, s);
}

void service_retry_stop(Service *s)
{
	if (!s->stop_problem)
		return;
	g_clear_pointer(&s->stop_problem, g_free);
	service_observe(s, s->state);
	engine_queue(s, WORK_STEP);
	s->priv->engine->ops.changed(s->priv->engine->data, s);
}

void service_restore(Service *s, ServiceState state, int64_t since_us, const char *cause)
{
	const ServiceState from = s->state;

	set_state(s, state, since_us);
	record_cause(s, CAUSE_EVENT, from, state, since_us, cause);
	service_observe(s, s->state);
}

const char *service_cause(const Service *s)
{
	return s->newest_cause ? s->newest_cause->text : "never started";
}
