/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Step: what follows for one service from its want, its terms and its state: the events of the table that the engine
 * itself raises, and those that processes raise. What an event does is in transitions.c.
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"

typedef enum StopReason {
	STOP_NOT,
	STOP_UNWANTED,
	STOP_CONFLICT,
	STOP_RESTART,
	STOP_LAPSE,
	STOP_AGAIN, /* a task that is done, and whose When terms were false and are true again */
} StopReason;

OnLapse engine_on_lapse(const Service *s)
{
	const PolicyService *extra = policy_service(s->priv->engine->policy, s->def->name);

	return extra && extra->has_on_lapse ? extra->on_lapse : s->def->on_lapse;
}

/* --- While terms that are false --- */

static const Slot *find_false_hold(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind == SLOT_HOLD && slot->level == LEVEL_FALSE)
			return slot;
	}
	return NULL;
}

char *step_lapse_text(const Service *s)
{
	const Slot *slot = find_false_hold(s);

	return slot ? g_strdup_printf("%s is false", slot->term->text) : g_strdup("a condition is false");
}

/* The service it stands on is to be down for good, so that waiting out Settle= would only delay that one's stop. */
static bool is_lapse_final(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind != SLOT_HOLD || slot->level != LEVEL_FALSE)
			continue;
		for (unsigned j = 0; j < term_length(slot->term); j++) {
			const Condition *c = slot->conditions[j];

			if ((c->prefix == KEY_SERVICE || c->prefix == KEY_HEALTHY) && c->subject && !conflict_lets_run(c->subject))
				return true;
		}
	}
	return false;
}

static void reload_on_lapse(Service *s, const char *text)
{
	Engine *engine = s->priv->engine;

	if (s->def->reload.kind == ACTION_NONE || !request_reload_fits(s)) {
		service_remark(s, g_strdup_printf("%s; kept, for it cannot be reloaded now (OnLapse=reload)", text));
		return;
	}
	service_remark(s, g_strdup_printf("%s; reloaded (OnLapse=reload)", text));
	engine->ops->reload(engine->data, s);
}

static void act_on_lapse(Service *s)
{
	g_autofree char *text = step_lapse_text(s);

	switch (engine_on_lapse(s)) {
	case ON_LAPSE_STOP:
	case ON_LAPSE_COUNT:
		break;
	case ON_LAPSE_KEEP:
		service_remark(s, g_strdup_printf("%s; kept (OnLapse=keep)", text));
		break;
	case ON_LAPSE_RELOAD:
		reload_on_lapse(s, text);
		break;
	}
}

static void update_lapse(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const int64_t now_us = priv->engine->now_us;

	if (priv->n_hold_false == 0) {
		priv->lapse_since_us = 0;
		priv->is_lapsed = false;
		engine_arm(s, ENGINE_TIMER_SETTLE, 0);
		return;
	}
	if (priv->is_lapsed)
		return;
	if (!priv->lapse_since_us)
		priv->lapse_since_us = MAX(now_us, 1);
	if (now_us < priv->lapse_since_us + s->def->settle_us && !is_lapse_final(s)) {
		engine_arm(s, ENGINE_TIMER_SETTLE, priv->lapse_since_us + s->def->settle_us);
		return;
	}
	engine_arm(s, ENGINE_TIMER_SETTLE, 0);
	priv->is_lapsed = true;
	act_on_lapse(s);
}

/* --- terms that were false and are true again --- */

static bool are_terms_true(const Service *s, bool with_hold)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->level != LEVEL_TRUE &&
		    (slot->kind == SLOT_WHEN || (with_hold && slot->kind == SLOT_HOLD)))
			return false;
	}
	return true;
}

static bool has_flipped(Service *s, bool with_hold)
{
	if (s->priv->n_when_false > 0 || (with_hold && s->priv->n_hold_false > 0)) {
		s->priv->was_false = true;
		return false;
	}
	return s->priv->was_false && are_terms_true(s, with_hold);
}

static void give_chance_after_flip(Service *s)
{
	if (!has_flipped(s, true))
		return;
	s->priv->was_false = false;
	s->priv->is_spent = false;
	service_apply(s, EVENT_NEW_CHANCE, g_strdup("its conditions were false and are true again"));
}

/* --- one step in each state --- */

static StopReason find_stop_reason(Service *s)
{
	if (!service_is_wanted(s))
		return STOP_UNWANTED;
	if (s->priv->is_suppressed)
		return STOP_CONFLICT;
	if (s->priv->is_restart_asked)
		return STOP_RESTART;
	if (s->priv->is_lapsed && engine_on_lapse(s) == ON_LAPSE_STOP)
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
		return g_strdup(s->priv->cause_next ? s->priv->cause_next : "restart");
	case STOP_LAPSE:
		return step_lapse_text(s);
	case STOP_AGAIN:
		return g_strdup("its conditions were false and are true again");
	case STOP_NOT:
		break;
	}
	return g_strdup("stopped");
}

/* Also when a manager before us was asked, and did not live to tell. */
static void tell_restart(Service *s)
{
	Engine *engine = s->priv->engine;

	if (!s->is_restarting || s->priv->is_restart_told || !service_is_up(s))
		return;
	s->priv->is_restart_told = true;
	engine->ops->restart(engine->data, s);
}

static void step_active(Service *s)
{
	bool is_leaving;

	update_lapse(s);
	is_leaving = find_stop_reason(s) != STOP_NOT;
	stop_order_set_leaving(s, is_leaving);
	if (!is_leaving)
		tell_restart(s);
	if (!is_leaving && s->state == STATE_STARTING && service_is_group(s))
		service_apply(s, EVENT_READY, g_strdup("all its conditions are true"));
}

static void arm_unknown(Service *s)
{
	int64_t at_us = 0;

	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		for (unsigned j = 0; j < term_length(slot->term); j++) {
			const Condition *c = slot->conditions[j];
			const int64_t stale_us = c->since_us + UNKNOWN_LIMIT_US;

			if (c->level == LEVEL_UNKNOWN && !c->is_stale && (!at_us || stale_us < at_us))
				at_us = stale_us;
		}
	}
	engine_arm(s, ENGINE_TIMER_UNKNOWN, at_us);
}

bool step_may_start(const Service *s)
{
	return s->priv->engine->is_acting && s->state == STATE_WAITING && s->n_false == 0 && conflict_lets_run(s) &&
	       !s->def->problem && !s->priv->is_file_gone;
}

static void step_towards_start(Service *s)
{
	start_lock_join(s);
	engine_queue(s, WORK_START);
}

static void step_held(Service *s)
{
	start_lock_leave(s);
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
	else if (s->priv->is_spent)
		give_chance_after_flip(s);
	if (s->state == STATE_IDLE && service_is_wanted(s) && !s->priv->is_spent)
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
	if (s->priv->is_file_gone && !service_is_active(s)) {
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
			step_end_of_run(s);
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
	s->priv->is_stop_ordered = true;
	service_apply(s, EVENT_STOP, stop_text(s));
}

void step_stop(Service *s)
{
	if (s->priv->is_leaving && s->priv->n_blockers == 0)
		step_stop_now(s);
}

static void start(Service *s)
{
	char *cause;

	if (s->priv->cause_next)
		cause = g_steal_pointer(&s->priv->cause_next);
	else if (s->priv->last_true)
		cause = g_strdup_printf("%s is true", s->priv->last_true->text);
	else
		cause = want_describe(s);
	boot_record_start(s);
	service_apply(s, EVENT_ALLOWED, cause);
}

void step_start(Service *s)
{
	Service *next = s;

	if (!step_may_start(s))
		return;
	if (s->priv->lock)
		next = start_lock_next(s);
	if (next && step_may_start(next))
		start(next);
	if (next != s)
		start_lock_tell(s);
}

/* --- the end of a run --- */

/* How long it had been ready when it ended. */
static int64_t time_up(const Service *s)
{
	if (s->ready_us < s->started_us || s->ready_us == 0)
		return 0;
	return (s->state == STATE_STOPPING ? s->since_us : s->priv->engine->now_us) - s->ready_us;
}

static char *give_up_text(const Service *s)
{
	g_autofree char *window = text_format_duration(s->def->restart_window_us);

	return g_strdup_printf("%s; it ended %u times within %s, and is not started again (RestartLimit=)", s->result,
			       s->priv->backoff.n_failures, window);
}

static void retry_or_give_up(Service *s)
{
	const int64_t next_us =
		backoff_next_start(&s->priv->backoff, s->def, time_up(s), s->priv->engine->now_us);
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

/* Many daemons that the bus starts end when nobody has asked them anything for a while. */
static void end_demand(Service *s)
{
	if (s->admin != ADMIN_DEMAND && s->admin != ADMIN_CONNECTION)
		return;
	s->admin = ADMIN_NONE;
	engine_queue(s, WORK_WANT);
}

static bool restarts_by_itself(const Service *s)
{
	const RestartPolicy restart = s->def->restart;

	return restart == RESTART_ALWAYS || (restart == RESTART_ON_FAILURE && !s->last_success);
}

static bool is_still_wanted(const Service *s)
{
	return service_is_wanted(s) && s->want_reason != WANT_LINGER && !s->priv->is_file_gone;
}

bool engine_starts_again(const Service *s)
{
	return is_still_wanted(s) && (s->priv->is_stop_ordered || restarts_by_itself(s));
}

static void end_by_itself(Service *s)
{
	if (restarts_by_itself(s)) {
		retry_or_give_up(s);
	} else if (s->last_success) {
		s->priv->is_spent = true;
		end_demand(s);
		service_apply(s, EVENT_SPENT, g_strdup_printf("it ended by itself: %s", s->result));
	} else if (listen_after_failure(s, time_up(s))) {
		service_apply(s, EVENT_GIVE_UP, g_strdup(s->result));
	} else {
		service_apply(s, EVENT_GIVE_UP, give_up_text(s));
		s->is_failed_for_good = true;
	}
}

static void stop_lingering(Service *s)
{
	if (!s->priv->is_lingering)
		return;
	s->priv->is_lingering = false;
	engine_arm(s, ENGINE_TIMER_LINGER, 0);
	engine_queue(s, WORK_WANT);
}

void step_end_of_run(Service *s)
{
	const bool is_wanted = is_still_wanted(s);

	stop_lingering(s);
	if (s->state != STATE_STOPPING && !service_is_group(s)) {
		s->last_success = false;
		g_free(s->result);
		s->result = g_strdup("its processes are gone");
	}
	if (!s->result)
		s->result = g_strdup("stopped");
	if (!is_wanted)
		service_apply(s, EVENT_GONE, want_describe(s));
	else if (s->priv->is_stop_ordered || service_is_group(s))
		service_apply(s, EVENT_GONE_WANTED, g_strdup("stopped"));
	else
		end_by_itself(s);
}

static void check_unknown(Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		for (unsigned j = 0; j < term_length(slot->term); j++)
			condition_check_stale(s->priv->engine, slot->conditions[j]);
	}
}

void step_timer(Service *s, EngineTimer kind)
{
	switch (kind) {
	case ENGINE_TIMER_BACKOFF:
		service_apply(s, EVENT_BACKOFF_OVER, g_strdup("the back-off is over"));
		break;
	case ENGINE_TIMER_LINGER:
		stop_lingering(s);
		break;
	case ENGINE_TIMER_UNKNOWN:
		check_unknown(s);
		break;
	case ENGINE_TIMER_WAIT:
		wait_limit_over(s);
		break;
	case ENGINE_TIMER_SETTLE:
	case ENGINE_TIMER_LISTEN:
	case ENGINE_TIMER_COUNT:
		break;
	}
	engine_queue(s, WORK_STEP);
}

/* --- processes --- */

static void set_result(Service *s, const ProcessEvent *event)
{
	/* A stop that follows a failure does not change what failed. */
	if (s->state == STATE_STOPPING && !s->priv->is_stop_ordered && s->result)
		return;
	s->last_success = event->kind == PROCESS_EXITED && event->success;
	g_free(s->result);
	s->result = event->text ? g_strdup(event->text) : g_strdup_printf("exit status %d", event->status);
}

/* Its work is done, and there is nothing that should run on. */
static bool has_done_its_work(const Service *s, const ProcessEvent *event)
{
	if (service_type(s) != TYPE_SCRIPT)
		return service_type(s) == TYPE_TASK && event->success;
	return event->is_done && (s->state == STATE_STARTING || s->def->restart != RESTART_ALWAYS);
}

static void end_restart(Service *s, const char *problem)
{
	s->is_restarting = false;
	s->priv->is_restart_told = false;
	g_free(s->restart_problem);
	s->restart_problem = g_strdup(problem);
	service_remark(s, problem ? g_strdup_printf("restart failed: %s", problem) : g_strdup("restarted"));
}

static void on_health(Service *s, const ProcessEvent *event)
{
	const Health before = s->health;

	if (!service_is_up(s))
		return; /* its last word came too late */
	s->health = event->success ? HEALTH_HEALTHY : HEALTH_UNHEALTHY;
	g_free(s->health_text);
	s->health_text = event->success ? NULL : g_strdup(event->text ? event->text : "no reason given");
	if (s->health == HEALTH_UNHEALTHY)
		service_remark(s, g_strdup_printf("unhealthy: %s", s->health_text));
	else if (before == HEALTH_UNHEALTHY)
		service_remark(s, g_strdup("healthy again"));
	engine_queue(s, WORK_LEVEL);
}

static void on_exited(Service *s, const ProcessEvent *event)
{
	set_result(s, event);
	s->main_pid = 0;
	if (has_done_its_work(s, event))
		service_apply(s, EVENT_SUCCEEDED, g_strdup(s->result));
	else
		service_apply(s, EVENT_EXITED, g_strdup(s->result));
}

void step_process_event(Service *s, const ProcessEvent *event)
{
	Engine *engine = s->priv->engine;

	switch (event->kind) {
	case PROCESS_STARTED:
	case PROCESS_MAIN_PID:
		s->main_pid = service_is_active(s) ? event->pid : 0;
		break;
	case PROCESS_READY:
		service_apply(s, EVENT_READY, g_strdup("it is ready"));
		break;
	case PROCESS_START_FAILED:
		set_result(s, event);
		service_apply(s, EVENT_START_FAILED, g_strdup(s->result));
		break;
	case PROCESS_EXITED:
		on_exited(s, event);
		break;
	case PROCESS_STOPPING:
		service_apply(s, EVENT_STOPS_ITSELF, g_strdup("it stops by itself"));
		break;
	case PROCESS_RELOADED:
		service_remark(s, g_strdup("reloaded"));
		break;
	case PROCESS_RELOAD_FAILED:
		service_remark(s, g_strdup_printf("reload failed: %s", event->text ? event->text : "no reason given"));
		break;
	case PROCESS_RESTARTED:
		end_restart(s, NULL);
		break;
	case PROCESS_RESTART_FAILED:
		end_restart(s, event->text ? event->text : "no reason given");
		break;
	case PROCESS_STATUS:
		g_free(s->status_text);
		s->status_text = g_strdup(event->text);
		break;
	case PROCESS_RESOURCES:
		g_free(s->resource_problem);
		s->resource_problem = g_strdup(event->text);
		break;
	case PROCESS_HEALTH:
		on_health(s, event);
		break;
	case PROCESS_CHECKED:
	case PROCESS_PHASE:
	case PROCESS_COUNT:
		break;
	case PROCESS_GONE:
		if (service_is_active(s) && s->state != STATE_DONE)
			step_end_of_run(s);
		return;
	}
	engine->ops->changed(engine->data, s);
}
