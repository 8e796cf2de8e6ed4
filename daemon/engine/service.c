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
	s->hold = list_new();
	s->priv = g_new0(struct ServicePrivate, 1);
	s->priv->engine = engine;
	s->priv->slots = list_new();
	s->priv->done_slots = list_new();
	s->priv->shown_slots = list_new();
	s->priv->needs = list_new();
	s->priv->needers = list_new();
	s->priv->conflicts = list_new();
	s->priv->stops_after = list_new();
	s->priv->facilities = list_new();
	s->priv->mounted = list_new();
	return s;
}

void service_free(Service *s)
{
	if (!s)
		return;
	list_free(s->priv->slots);
	list_free(s->priv->done_slots);
	list_free(s->priv->shown_slots);
	list_free(s->priv->needs);
	list_free(s->priv->needers);
	list_free(s->priv->conflicts);
	list_free(s->priv->stops_after);
	list_free(s->priv->facilities);
	list_free(s->priv->mounted);
	boot_record_forget(s);
	backoff_clear(&s->priv->backoff);
	g_free(s->priv->cause_next);
	g_free(s->priv->note_extra);
	g_free(s->priv->file_problem);
	g_free(s->priv);
	list_free(s->when);
	list_free(s->hold);
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

static void record_cause(Service *s, CauseKind kind, ServiceState from, ServiceState to, int64_t at_us, const char *text)
{
	const size_t size = strlen(text) + 1;
	CauseRecord *record = g_malloc(sizeof(CauseRecord) + size);

	*record = (CauseRecord){ .older = s->newest_cause, .at_us = at_us, .from = from, .to = to, .kind = kind };
	memcpy(record->text, text, size);
	s->newest_cause = record;
	forget_causes(&s->newest_cause, LIMIT_CAUSES);
}

static void remark(Service *s, CauseKind kind, char *text)
{
	Engine *engine = s->priv->engine;

	record_cause(s, kind, s->state, s->state, engine->now_us, text);
	g_free(text);
	engine->ops->changed(engine->data, s);
}

void service_remark(Service *s, char *text)
{
	remark(s, CAUSE_EVENT, text);
}

void service_remark_refusal(Service *s, CauseKind kind, char *text)
{
	const bool is_never_started = s->policy.activation == ACTIVATION_NEVER;
	CauseRecord *newest = s->newest_cause;

	if (newest && newest->kind != CAUSE_EVENT && (is_never_started || (kind == CAUSE_REFUSED_DEMAND && newest->kind == kind))) {
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

/*
 * A former group may run as another type now. None of its terms is false, so the counts stay valid.
 */
static void set_slot_kinds(Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind == SLOT_WHEN || slot->kind == SLOT_HOLD)
			slot->kind = slot->is_while || s->priv->run_type == TYPE_GROUP ? SLOT_HOLD : SLOT_WHEN;
	}
}

static void enter_starting(Service *s)
{
	s->invocation++;
	s->priv->run_type = s->def->type;
	set_slot_kinds(s);
	s->started_us = s->priv->engine->now_us;
	s->main_pid = 0;
	s->is_failed_for_good = false;
	g_clear_pointer(&s->status_text, g_free);
	s->priv->was_false = false;
	s->priv->is_lapsed = false;
	s->priv->lapse_since_us = 0;
	s->priv->is_restart_asked = false;
	s->priv->is_stop_ordered = false;
	g_clear_pointer(&s->restart_problem, g_free);
	g_clear_pointer(&s->stop_problem, g_free);
	g_clear_pointer(&s->reload_problem, g_free);
}

static void enter_up(Service *s)
{
	const bool was_up = s->ready_us > 0 && s->ready_us >= s->started_us;

	if (s->stop_problem || (was_up && s->priv->run_type == TYPE_SCRIPT))
		return; /* its start was over before; a script moved between done and ready */
	s->ready_us = s->since_us;
	if (s->start_duration_us == 0 || s->state == STATE_READY || s->priv->run_type == TYPE_TASK)
		s->start_duration_us = MAX(s->since_us - s->started_us, 0);
}

static void enter_down(Service *s)
{
	s->main_pid = 0;
	s->priv->is_lapsed = false;
	s->priv->lapse_since_us = 0;
	s->priv->is_stop_ordered = false;
	s->priv->is_restart_asked = false;
	g_clear_pointer(&s->stop_problem, g_free);
	engine_arm(s, ENGINE_TIMER_SETTLE, 0);
}

/* The service stopped or ended during its reload. */
static void break_off_reload(Service *s)
{
	if (!s->is_reloading)
		return;
	s->is_reloading = s->priv->is_reload_told = s->priv->is_reload_asked_again = false;
	g_free(s->reload_problem);
	s->reload_problem = g_strdup("it stopped or ended before its reload was over");
}

static void enter_state(Service *s)
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
		s->is_restarting = false; /* it stopped or ended first */
		s->priv->is_restart_told = false;
		break_off_reload(s);
	}
	if (s->state != STATE_IDLE)
		s->priv->is_spent = false; /* once its file is corrected, it is retried */
	if (s->state != STATE_BACKOFF && s->backoff_until_us) {
		s->backoff_until_us = 0;
		engine_arm(s, ENGINE_TIMER_BACKOFF, 0);
	}
	if (s->state != STATE_WAITING)
		engine_arm(s, ENGINE_TIMER_UNKNOWN, 0);
	if (s->state != STATE_WAITING)
		wait_limit_update(s);
}

static void act(Service *s, TransitionAction action)
{
	Engine *engine = s->priv->engine;

	switch (action) {
	case DO_START:
		s->priv->run_mark = s->def->mark;
		if (!service_is_group(s))
			engine->ops->start(engine->data, s);
		break;
	case DO_STOP:
		if (!service_is_group(s))
			engine->ops->stop(engine->data, s);
		break;
	case DO_WAIT:
		engine_arm(s, ENGINE_TIMER_BACKOFF, s->backoff_until_us);
		break;
	case DO_STRAY:
		s->priv->n_strays++;
		break;
	case DO_NEVER:
		/* The engine chooses its own events, and never sends this one here. */
		g_assert_not_reached();
	case DO_NOTHING:
	case DO_IGNORE:
	case DO_COUNT:
		break;
	}
}

bool service_apply(Service *s, ServiceEvent event, char *cause)
{
	Engine *engine = s->priv->engine;
	const Transition row = transition_find(s->state, event);
	const ServiceState from = s->state;
	const int64_t at_us = MAX(engine->happened_us, from == STATE_IDLE ? 0 : s->since_us);

	if (row.to == from) {
		g_free(cause);
		act(s, row.action);
		return false;
	}
	set_state(s, row.to, at_us);
	enter_state(s);
	record_cause(s, CAUSE_EVENT, from, row.to, at_us, cause ? cause : service_event_name(event));
	g_free(cause);
	boot_record_state_changed(s, from);
	progress_count(s);
	act(s, row.action);
	engine->ops->entered(engine->data, s);
	engine->ops->changed(engine->data, s);
	return true;
}

void service_retry_stop(Service *s)
{
	if (!s->stop_problem)
		return;
	g_clear_pointer(&s->stop_problem, g_free);
	progress_count(s);
	engine_queue(s, WORK_STEP);
	s->priv->engine->ops->changed(s->priv->engine->data, s);
}

void service_restore(Service *s, ServiceState state, int64_t since_us, const char *cause)
{
	const ServiceState from = s->state;

	set_state(s, state, since_us);
	record_cause(s, CAUSE_EVENT, from, state, since_us, cause);
	progress_count(s);
}

const char *service_cause(const Service *s)
{
	return s->newest_cause ? s->newest_cause->text : "never started";
}
