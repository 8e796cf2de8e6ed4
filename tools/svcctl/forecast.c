/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecast: an engine with processes that do every request at once, and a list of the services that
 * got one.
 */
#include "config.h"

#include "svcctl/forecast.h"

#include <string.h>
#include <sys/wait.h>

/* The start of a forecast; back-offs never end in it. */
#define START_US G_USEC_PER_SEC

/* The limit for services that start and stop one another for ever. */
#define LIMIT_ACTS 100000

/* A request that has no answer yet. */
typedef struct Act {
	const char *service; /* interned */
	bool is_stop;
	uint64_t invocation;
} Act;

/* A wait that ends by itself; the forecast ends it at once. */
typedef struct Wait {
	const char *service; /* interned */
	EngineTimer kind;
	int64_t at_us;
} Wait;

typedef struct Oracle {
	Engine *engine;
	const Present *present;
	int64_t now_us;
	GQueue *acts;        /* Act */
	GArray *waits;       /* Wait */
	GPtrArray *stopped;  /* interned names, in order, since the change */
	GPtrArray *started;
	GHashTable *asked;   /* keys with a level that the engine got or will get: key -> prefix */
	GQueue *new_keys;    /* interned */
	GHashTable *own;     /* keys with the level of their service: key -> Level + 1 */
} Oracle;

void present_service_free(PresentService *service)
{
	if (!service)
		return;
	g_free(service->name);
	g_free(service);
}

/* --- operations --- */

static void on_subscribe(void *data, KeyPrefix prefix, const char *key)
{
	Oracle *o = data;
	const char *interned = g_intern_string(key);

	g_hash_table_insert(o->asked, (gpointer)interned, GUINT_TO_POINTER(prefix));
	g_queue_push_tail(o->new_keys, (gpointer)interned);
}

static void on_unsubscribe(void *data, KeyPrefix prefix, const char *key)
{
	(void)prefix;
	g_hash_table_remove(((Oracle *)data)->asked, g_intern_string(key));
}

static void add_act(Oracle *o, const Service *s, bool is_stop)
{
	Act *act = g_new0(Act, 1);

	*act = (Act){ g_intern_string(s->def->name), is_stop, s->invocation };
	g_queue_push_tail(o->acts, act);
}

static void on_start(void *data, const Service *s)
{
	Oracle *o = data;

	add_act(o, s, false);
	g_ptr_array_add(o->started, (gpointer)g_intern_string(s->def->name));
}

static void on_stop(void *data, const Service *s)
{
	Oracle *o = data;

	add_act(o, s, true);
	g_ptr_array_add(o->stopped, (gpointer)g_intern_string(s->def->name));
}

static void on_reload(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

/* It stays up, so no service starts or stops because of it. */
static void on_restart(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

static bool is_sat_out(EngineTimer kind)
{
	switch (kind) {
	case ENGINE_TIMER_SETTLE:
	case ENGINE_TIMER_LINGER:
		return false;
	case ENGINE_TIMER_BACKOFF: /* a failed service stays failed */
	case ENGINE_TIMER_UNKNOWN:
	case ENGINE_TIMER_WAIT:
	case ENGINE_TIMER_LISTEN:
	case ENGINE_TIMER_LOGIN_SCREEN:
	case ENGINE_TIMER_COUNT:
		break;
	}
	return true;
}

static void on_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	Oracle *o = data;
	const Wait wait = { g_intern_string(s->def->name), kind, at_us };

	for (guint i = o->waits->len; i > 0; i--) {
		const Wait *other = &g_array_index(o->waits, Wait, i - 1);

		if (other->service == wait.service && other->kind == kind)
			g_array_remove_index(o->waits, i - 1);
	}
	if (at_us > 0 && !is_sat_out(kind))
		g_array_append_val(o->waits, wait);
}

/* Groups have no processes; compare() finds their starts and stops. */
static void on_entered(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

static void on_changed(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

static void on_removed(void *data, const Service *s)
{
	on_arm_timer(data, s, ENGINE_TIMER_SETTLE, 0);
	on_arm_timer(data, s, ENGINE_TIMER_LINGER, 0);
}

static void on_engine_changed(void *data)
{
	(void)data;
}

static const EngineOps ops = {
	.subscribe = on_subscribe,
	.unsubscribe = on_unsubscribe,
	.start = on_start,
	.stop = on_stop,
	.reload = on_reload,
	.restart = on_restart,
	.arm_timer = on_arm_timer,
	.entered = on_entered,
	.changed = on_changed,
	.removed = on_removed,
	.engine_changed = on_engine_changed,
};

/* --- levels --- */

static Level level_of(const Oracle *o, const char *key)
{
	const gpointer own = g_hash_table_lookup(o->own, key);
	const KeyPrefix prefix = (KeyPrefix)GPOINTER_TO_UINT(g_hash_table_lookup(o->asked, key));

	return own ? (Level)(GPOINTER_TO_INT(own) - 1) : o->present->level(o->present->data, prefix, key);
}

static void tell_levels(Oracle *o)
{
	const char *key;

	while ((key = g_queue_pop_head(o->new_keys))) {
		if (g_hash_table_contains(o->asked, key))
			engine_set_level(o->engine, key, level_of(o, key), NULL, o->now_us);
	}
}

static void set_own(Oracle *o, const char *key, Level level)
{
	g_hash_table_insert(o->own, (gpointer)key, GINT_TO_POINTER(level + 1));
	engine_set_level(o->engine, key, level, NULL, o->now_us);
}

static void set_bus_name(Oracle *o, const char *name, Level level)
{
	g_autofree char *key = g_strconcat("dbus:", name, NULL);

	set_own(o, g_intern_string(key), level);
}

/* A daemon's bus names exist while it runs. A path that signals readiness may outlive it. */
static void set_own_keys(Oracle *o, const Service *s, Level level)
{
	if (s->def->ready_key && (level == LEVEL_TRUE || s->def->ready == READY_DBUS))
		set_own(o, s->def->ready_key, level);
	for (guint i = 0; i < s->def->bus_names->len; i++)
		set_bus_name(o, ((const NameRef *)g_ptr_array_index(s->def->bus_names, i))->name, level);
}

/* --- processes --- */

static void tell(Oracle *o, const Act *act, ProcessEventKind kind)
{
	const ProcessEvent event = { .kind = kind, .pid = 2, .success = true, .code = CLD_EXITED, .text = "exit status 0",
				     .at_us = o->now_us };

	engine_process_event(o->engine, act->service, act->invocation, &event, o->now_us);
}

static void answer_start(Oracle *o, const Act *act)
{
	const Service *s = engine_find(o->engine, act->service);

	if (!s || s->invocation != act->invocation || s->state != STATE_STARTING)
		return;
	tell(o, act, PROCESS_STARTED);
	if (s->def->type == TYPE_TASK) {
		tell(o, act, PROCESS_EXITED);
	} else {
		set_own_keys(o, s, LEVEL_TRUE);
		tell(o, act, PROCESS_READY);
	}
}

static void answer_stop(Oracle *o, const Act *act)
{
	const Service *s = engine_find(o->engine, act->service);

	if (!s || s->invocation != act->invocation || s->state != STATE_STOPPING)
		return;
	set_own_keys(o, s, LEVEL_FALSE);
	tell(o, act, PROCESS_GONE);
}

static bool answer_next(Oracle *o)
{
	g_autofree Act *act = g_queue_pop_head(o->acts);

	if (!act)
		return false;
	if (act->is_stop)
		answer_stop(o, act);
	else
		answer_start(o, act);
	return true;
}

/* Ends the wait with the earliest time. */
static bool end_wait(Oracle *o)
{
	guint first = 0;
	Wait wait;

	if (o->waits->len == 0)
		return false;
	for (guint i = 1; i < o->waits->len; i++) {
		if (g_array_index(o->waits, Wait, i).at_us < g_array_index(o->waits, Wait, first).at_us)
			first = i;
	}
	wait = g_array_index(o->waits, Wait, first);
	g_array_remove_index(o->waits, first);
	o->now_us = MAX(o->now_us, wait.at_us);
	engine_timer_fired(o->engine, wait.service, wait.kind, o->now_us);
	return true;
}

/* Until there are no further effects. */
static void settle(Oracle *o)
{
	tell_levels(o);
	for (unsigned i = 0; i < LIMIT_ACTS && (answer_next(o) || end_wait(o)); i++)
		tell_levels(o);
}

/* --- the present state --- */

static void own_keys_follow(Oracle *o)
{
	const GPtrArray *all = engine_services(o->engine);

	for (guint i = 0; i < all->len; i++)
		set_own_keys(o, g_ptr_array_index(all, i), LEVEL_FALSE);
}

static void recover(Oracle *o)
{
	for (guint i = 0; i < o->present->services->len; i++) {
		const PresentService *present = g_ptr_array_index(o->present->services, i);
		const Service *s = engine_find(o->engine, present->name);
		const bool is_alive = s && s->def->type != TYPE_GROUP &&
				      (present->state == STATE_STARTING || present->state == STATE_READY ||
				       present->state == STATE_STOPPING);
		char note[64];

		if (!s)
			continue; /* it is stopping, and its file is gone */
		engine_note_for(present->state, present->admin, present->is_wanted, note, sizeof(note));
		/* The note is one of svcd's own. */
		(void)engine_recover(o->engine, present->name, note, is_alive, 1, is_alive ? 2 : 0, o->now_us);
		if (present->state == STATE_STARTING)
			add_act(o, s, false);
	}
}

/* Brings the engine to the present state. */
static void begin(Oracle *o, Configuration *before)
{
	engine_load(o->engine, g_steal_pointer(&before->set), g_steal_pointer(&before->policy), o->now_us);
	(void)engine_recover_global(o->engine, "v=1 f=1", o->now_us); /* no start waits for a login screen any more */
	if (o->present->services)
		recover(o);
	else
		own_keys_follow(o);
	tell_levels(o);
	engine_begin(o->engine, o->present->runlevel, o->now_us);
	settle(o);
}

/* --- the result --- */

/* Services that are up, by name. */
static GHashTable *list_up(const Oracle *o)
{
	GHashTable *up = g_hash_table_new(NULL, NULL);
	const GPtrArray *all = engine_services(o->engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (service_is_up(s))
			g_hash_table_add(up, (gpointer)g_intern_string(s->def->name));
	}
	return up;
}

static GHashTable *list_wanted(const Oracle *o)
{
	GHashTable *wanted = g_hash_table_new(NULL, NULL);
	const GPtrArray *all = engine_services(o->engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (service_is_wanted(s))
			g_hash_table_add(wanted, (gpointer)g_intern_string(s->def->name));
	}
	return wanted;
}

static gboolean is_unknown(gpointer name, gpointer value, gpointer known)
{
	(void)value;
	return !g_hash_table_contains(known, name);
}

/*
 * Starts from what runs, not from what the files give, because they may have changed since svcd
 * read them. @up, @wanted: those of the engine; reduced to the real ones.
 */
static void keep_present(const Present *present, GHashTable *up, GHashTable *wanted)
{
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < present->services->len; i++) {
		const PresentService *service = g_ptr_array_index(present->services, i);
		const char *interned = g_intern_string(service->name);

		if (service->is_wanted)
			g_hash_table_add(wanted, (gpointer)interned);
		if (service->state == STATE_READY || service->state == STATE_DONE)
			g_hash_table_add(up, (gpointer)interned);
		if (service->is_wanted || service->state == STATE_READY || service->state == STATE_DONE)
			g_hash_table_add(known, (gpointer)interned);
	}
	/* The others would be up or wanted because of files that svcd has not read. */
	g_hash_table_foreach_remove(up, is_unknown, known);
	g_hash_table_foreach_remove(wanted, is_unknown, known);
}

static void add_once(GPtrArray *names, const char *name)
{
	if (!g_ptr_array_find(names, name, NULL))
		g_ptr_array_add(names, (gpointer)name);
}

/*
 * Adds the services of @first that are not in @second and got no request: groups, and tasks that
 * are undone without a process.
 */
static void add_rest(GPtrArray *names, GHashTable *first, GHashTable *second)
{
	g_autoptr(GList) all = g_list_sort(g_hash_table_get_keys(first), (GCompareFunc)strcmp);

	for (const GList *name = all; name; name = name->next) {
		if (!g_hash_table_contains(second, name->data))
			add_once(names, name->data);
	}
}

static void compare(Forecast *forecast, const Oracle *o, GHashTable *before)
{
	g_autoptr(GHashTable) after = list_up(o);

	for (guint i = 0; i < o->stopped->len; i++) {
		const char *name = g_ptr_array_index(o->stopped, i);

		if (!g_hash_table_contains(before, name))
			continue;
		add_once(g_hash_table_contains(after, name) ? forecast->restarts : forecast->stops, name);
	}
	for (guint i = 0; i < o->started->len; i++) {
		const char *name = g_ptr_array_index(o->started, i);

		if (g_hash_table_contains(after, name))
			add_once(g_hash_table_contains(before, name) ? forecast->restarts : forecast->starts, name);
	}
	add_rest(forecast->stops, before, after);
	add_rest(forecast->starts, after, before);
}

static void find_waiting(Forecast *forecast, const Oracle *o, GHashTable *wanted_before)
{
	const GPtrArray *all = engine_services(o->engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (s->state != STATE_WAITING || !service_is_wanted(s) ||
		    g_hash_table_contains(wanted_before, g_intern_string(s->def->name)))
			continue;
		if (service_presence(s) != PRESENCE_HERE)
			forecast->n_absent++;
		else
			g_ptr_array_add(forecast->waits, (gpointer)g_intern_string(s->def->name));
	}
}

static void apply(Oracle *o, const ForecastChange *change, GError **error)
{
	const Requester nobody = { 0 };
	Configuration *after = change->after;
	const char *runlevel = change->runlevel;

	g_ptr_array_set_size(o->stopped, 0);
	g_ptr_array_set_size(o->started, 0);
	if (after) {
		engine_load(o->engine, g_steal_pointer(&after->set), g_steal_pointer(&after->policy), o->now_us);
		settle(o);
	}
	for (size_t i = 0; change->names && change->names[i]; i++) {
		if (error)
			g_clear_error(error);
		(void)engine_request(o->engine, change->verb, change->names[i], &nobody, o->now_us, error);
	}
	if (runlevel && strcmp(runlevel, engine_runlevel(o->engine)) != 0)
		/* Refused only during a shutdown. Then it has no effect. */
		(void)engine_set_runlevel(o->engine, runlevel, &nobody, o->now_us, NULL);
	settle(o);
}

Forecast *forecast_new(const Present *present, Configuration *before, const ForecastChange *change, GError **error)
{
	Oracle o = { .present = present, .now_us = START_US, .acts = g_queue_new(),
		     .waits = g_array_new(FALSE, FALSE, sizeof(Wait)), .stopped = g_ptr_array_new(),
		     .started = g_ptr_array_new(), .asked = g_hash_table_new(NULL, NULL), .new_keys = g_queue_new(),
		     .own = g_hash_table_new(NULL, NULL) };
	Forecast *forecast = g_new0(Forecast, 1);
	g_autoptr(GHashTable) up = NULL;
	g_autoptr(GHashTable) wanted = NULL;

	*forecast = (Forecast){ .stops = g_ptr_array_new(), .starts = g_ptr_array_new(), .restarts = g_ptr_array_new(),
			       .waits = g_ptr_array_new() };
	o.engine = engine_new(&ops, &o);
	begin(&o, before);
	up = list_up(&o);
	wanted = list_wanted(&o);
	if (present->services && change->after)
		keep_present(present, up, wanted);
	apply(&o, change, error);
	compare(forecast, &o, up);
	find_waiting(forecast, &o, wanted);
	engine_free(o.engine);
	g_queue_free_full(o.acts, g_free);
	g_array_unref(o.waits);
	g_ptr_array_unref(o.stopped);
	g_ptr_array_unref(o.started);
	g_hash_table_unref(o.asked);
	g_queue_free(o.new_keys);
	g_hash_table_unref(o.own);
	return forecast;
}

void forecast_free(Forecast *forecast)
{
	if (!forecast)
		return;
	g_ptr_array_unref(forecast->stops);
	g_ptr_array_unref(forecast->starts);
	g_ptr_array_unref(forecast->restarts);
	g_ptr_array_unref(forecast->waits);
	g_free(forecast);
}

bool forecast_is_empty(const Forecast *forecast)
{
	return forecast->stops->len + forecast->starts->len + forecast->restarts->len + forecast->waits->len + forecast->n_absent == 0;
}
