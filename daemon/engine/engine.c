/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engine: the public interface, and the work lists. An event changes a level or a state, and queues
 * the affected services. engine_run() takes one at a time, always from the first list that is not
 * empty, until no work is left.
 *
 * Loading is in load.c, an admin's requests in request.c, notes in note.c, and the consequences for
 * one service in step.c.
 */
#include "config.h"

#include <string.h>

#include "engine/engine-private.h"

static void ignore_service(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

static void ignore_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	(void)data;
	(void)s;
	(void)kind;
	(void)at_us;
}

static void ignore_engine(void *data)
{
	(void)data;
}

/*
 * Replaces some operations that are NULL by functions that do nothing, because the engine calls
 * them without a check.
 */
static EngineOps complete(EngineOps ops)
{
	ops.reload = ops.reload ? ops.reload : ignore_service;
	ops.restart = ops.restart ? ops.restart : ignore_service;
	ops.arm_timer = ops.arm_timer ? ops.arm_timer : ignore_timer;
	ops.entered = ops.entered ? ops.entered : ignore_service;
	ops.changed = ops.changed ? ops.changed : ignore_service;
	ops.removed = ops.removed ? ops.removed : ignore_service;
	ops.engine_changed = ops.engine_changed ? ops.engine_changed : ignore_engine;
	return ops;
}

Engine *engine_new(const EngineOps *ops, void *data)
{
	Engine *engine = g_new0(Engine, 1);

	engine->ops = complete(*ops);
	engine->data = data;
	engine->policy = policy_new();
	engine->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	engine->services = g_ptr_array_new();
	engine->conditions = g_hash_table_new_full(NULL, NULL, NULL, condition_free);
	engine->facilities = g_hash_table_new_full(NULL, NULL, NULL, facility_free);
	engine->start_locks = g_hash_table_new_full(NULL, NULL, NULL, start_lock_free);
	for (unsigned kind = 0; kind < WORK_COUNT; kind++)
		g_queue_init(&engine->work[kind]);
	return engine;
}

void engine_free(Engine *engine)
{
	if (!engine)
		return;
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);
		SetRef *definitions = s->priv->file.definitions;

		service_free(s);
		set_ref_drop(definitions);
	}
	for (unsigned kind = 0; kind < WORK_COUNT; kind++)
		g_queue_clear(&engine->work[kind]);
	if (engine->observer)
		engine->observer->free(engine->observer_data);
	set_ref_drop(engine->definitions);
	g_ptr_array_unref(engine->services);
	g_hash_table_unref(engine->by_name);
	g_hash_table_unref(engine->conditions);
	g_hash_table_unref(engine->facilities);
	g_hash_table_unref(engine->start_locks);
	policy_free(engine->policy);
	g_free(engine->runlevel_cause);
	g_free(engine);
}

void engine_observe(Engine *engine, const EngineObserver *observer, void *data)
{
	engine->observer = observer;
	engine->observer_data = data;
}

void *engine_observer_data(const Engine *engine)
{
	return engine->observer_data;
}

/* --- the work list --- */

void engine_queue(Service *s, WorkKind kind)
{
	if (s->priv->queued & (1u << kind))
		return;
	s->priv->queued |= 1u << kind;
	g_queue_push_tail(&s->priv->engine->work[kind], s);
}

static void step(Service *s)
{
	step_service(s);
	listen_update(s);
}

static void (*const work_functions[])(Service *s) = {
	[WORK_WANT] = want_update,
	[WORK_WANT_PUBLISH] = want_publish,
	[WORK_RANK] = conflict_update,
	[WORK_LEVEL] = step_level,
	[WORK_SETTLED] = settled_update,
	[WORK_SETTLED_PUBLISH] = settled_publish,
	[WORK_STEP] = step,
	[WORK_STOP] = step_stop,
	[WORK_START_FIRST] = step_start,
	[WORK_START] = step_start,
};
G_STATIC_ASSERT(G_N_ELEMENTS(work_functions) == WORK_FORGET);

/* Does one piece of work from the lists before @end. Returns: false if they are empty. */
static bool work_once(Engine *engine, WorkKind end)
{
	for (unsigned kind = 0; kind < end; kind++) {
		Service *s;

		if (!engine->work[kind].head) /* true for most lists */
			continue;
		s = g_queue_pop_head(&engine->work[kind]);
		s->priv->queued &= ~(1u << kind);
		work_functions[kind](s);
		return true;
	}
	return false;
}

static bool forget_gone(Engine *engine)
{
	if (g_queue_is_empty(&engine->work[WORK_FORGET]))
		return false;
	load_forget_gone(engine);
	return true;
}

static bool break_cycle(Engine *engine)
{
	Service *stuck = engine->is_acting ? stop_order_break_cycle(engine) : NULL;

	if (stuck)
		step_stop_now(stuck);
	return stuck;
}

void engine_set_now(Engine *engine, int64_t now_us)
{
	/* Time never goes back, but an event may have a time slightly older than the last one. */
	engine->now_us = MAX(engine->now_us, now_us);
	engine->happened_us = engine->now_us;
}

void engine_end_turn(Engine *engine, int64_t now_us)
{
	const bool is_at_rest = engine_is_at_rest(engine);
	bool has_changed = is_at_rest != engine->was_at_rest;

	engine_set_now(engine, now_us);
	if (engine->observer)
		has_changed |= engine->observer->turn_over(engine->observer_data);
	engine->was_at_rest = is_at_rest;
	if (has_changed)
		engine->ops.engine_changed(engine->data);
}

void engine_run(Engine *engine)
{
	do {
		while (work_once(engine, WORK_FORGET) || forget_gone(engine) || break_cycle(engine))
			;
	} while (login_screen_update(engine));
	engine_end_turn(engine, engine->now_us);
}

void engine_arm(Service *s, EngineTimer kind, int64_t at_us)
{
	Engine *engine = s->priv->engine;

	if (s->priv->timer_at_us[kind] == at_us)
		return;
	s->priv->timer_at_us[kind] = at_us;
	engine->ops.arm_timer(engine->data, s, kind, at_us);
}

ServiceType service_type(const Service *s)
{
	return service_is_active(s) ? s->priv->run.type : s->def->type;
}

bool service_is_group(const Service *s)
{
	return service_type(s) == TYPE_GROUP;
}

Service *engine_resolve(const Engine *engine, const char *name)
{
	Service *s = engine_find(engine, name);
	const ServiceDef *def;

	if (s || !engine->definitions)
		return s;
	def = service_set_find(engine->definitions->set, name);
	return def ? engine_find(engine, def->name) : NULL;
}

/* --- events --- */

static void begin_service(Service *s)
{
	Engine *engine = s->priv->engine;

	if (s->priv->run.end == RUN_END_UNSEEN) {
		run_end(s);
	} else if (s->state == STATE_STOPPING && !service_is_group(s)) {
		/* A stop that had begun continues, and one that had not begun starts now. */
		engine->ops.stop(engine->data, s);
	} else if (s->state == STATE_BACKOFF) {
		engine_arm(s, ENGINE_TIMER_BACKOFF, s->backoff_until_us);
	}
	engine_queue(s, WORK_LEVEL);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

void engine_begin(Engine *engine, const char *runlevel, int64_t now_us)
{
	engine_set_now(engine, now_us);
	if (runlevel)
		engine->runlevel = g_intern_string(runlevel);
	else if (!engine->runlevel)
		engine->runlevel = g_intern_string(policy_default_runlevel(engine->policy, NULL));
	engine->is_acting = true;
	engine->is_resuming = engine->boot_us != 0;
	engine->begun_us = MAX(engine->now_us, 1);
	if (!engine->boot_us)
		engine->boot_us = MAX(now_us, 1);
	want_decide_all(engine);
	/*
	 * Wants come first, because a service that ended unseen is restarted only if it is wanted.
	 */
	while (work_once(engine, WORK_LEVEL))
		;
	request_keep_unexplained(engine);
	while (work_once(engine, WORK_LEVEL))
		;
	for (unsigned i = 0; i < engine->services->len; i++)
		begin_service(g_ptr_array_index(engine->services, i));
	engine_run(engine);
	engine->is_resuming = false;
	engine->ops.engine_changed(engine->data);
}

void engine_set_level(Engine *engine, const char *key, Level level, const char *why, int64_t now_us)
{
	Condition *c = g_hash_table_lookup(engine->conditions, g_intern_string(key));

	engine_set_now(engine, now_us);
	if (!c || key_prefix_is_internal(c->prefix))
		return;
	condition_set_level(engine, c, level, why);
	engine_run(engine);
}

void engine_process_event(Engine *engine, const char *service, uint64_t invocation,
			  const ProcessEvent *event, int64_t now_us)
{
	Service *s = engine_find(engine, service);

	engine_set_now(engine, now_us);
	if (!s || s->invocation != invocation || service_is_group(s))
		return;
	if (event->at_us > 0 && event->at_us < engine->now_us)
		engine->happened_us = event->at_us;
	process_event_apply(s, event);
	engine->happened_us = engine->now_us;
	engine_run(engine);
}

void engine_timer_fired(Engine *engine, const char *service, EngineTimer kind, int64_t now_us)
{
	Service *s = engine_find(engine, service);

	engine_set_now(engine, now_us);
	if (!s || s->priv->timer_at_us[kind] == 0 || s->priv->timer_at_us[kind] > engine->now_us)
		return;
	s->priv->timer_at_us[kind] = 0;
	step_timer(s, kind);
	engine_run(engine);
}

int64_t engine_timer_at(const Service *s, EngineTimer kind)
{
	return s->priv->timer_at_us[kind];
}

Service *engine_next_timer(const Engine *engine, unsigned kinds, EngineTimer *ret_kind)
{
	int64_t first_us = INT64_MAX;
	Service *first = NULL;

	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		for (EngineTimer kind = 0; kind < ENGINE_TIMER_COUNT; kind++) {
			const int64_t at_us = engine_timer_at(s, kind);

			if (at_us == 0 || at_us >= first_us || !(kinds & (1u << kind)))
				continue;
			first_us = at_us;
			first = s;
			*ret_kind = kind;
		}
	}
	return first;
}

/* --- queries --- */

Service *engine_find(const Engine *engine, const char *name)
{
	/*
	 * The name is not interned, because any client may ask for any name, and interned strings
	 * are never freed.
	 */
	return g_hash_table_lookup(engine->by_name, name);
}

const GPtrArray *engine_services(const Engine *engine)
{
	return engine->services;
}

const Policy *engine_policy(const Engine *engine)
{
	return engine->policy;
}

const ServiceSet *engine_set(const Engine *engine)
{
	return engine->definitions ? engine->definitions->set : NULL;
}

const char *engine_runlevel(const Engine *engine)
{
	return engine->runlevel;
}

const char *engine_previous_runlevel(const Engine *engine)
{
	return engine->previous_runlevel;
}

bool engine_is_shutting_down(const Engine *engine)
{
	return engine->runlevel &&
	       (strcmp(engine->runlevel, "0") == 0 || strcmp(engine->runlevel, "6") == 0);
}

bool engine_is_at_rest(const Engine *engine)
{
	return engine->is_acting && engine->n_unsettled == 0 && engine->n_left == 0;
}

bool engine_has_booted(const Engine *engine)
{
	return engine->is_acting && engine->n_holding_up == 0 && engine->n_left == 0;
}

bool engine_is_stopped(const Engine *engine)
{
	return engine_is_shutting_down(engine) && engine_is_at_rest(engine);
}

EngineTimes engine_times(const Engine *engine)
{
	return (EngineTimes){ .now_us = engine->now_us,
			      .boot_us = engine->boot_us,
			      .begun_us = engine->begun_us };
}

static void view_condition(const Condition *c, ConditionView *ret)
{
	*ret = (ConditionView){
		.key = c->key,
		.prefix = c->prefix,
		.level = c->level,
		.why = c->why,
		.since_us = c->since_us,
	};
}

bool engine_condition(const Engine *engine, const char *key, ConditionView *ret)
{
	const char *known = key_known(key);
	const Condition *c = known ? g_hash_table_lookup(engine->conditions, known) : NULL;

	if (!c)
		return false;
	view_condition(c, ret);
	return true;
}

void engine_foreach_condition(const Engine *engine,
			      void (*func)(const ConditionView *view, void *data), void *data)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(sorted, value);
	g_ptr_array_sort(sorted, condition_compare);
	for (unsigned i = 0; i < sorted->len; i++) {
		ConditionView view;

		view_condition(g_ptr_array_index(sorted, i), &view);
		func(&view, data);
	}
}
