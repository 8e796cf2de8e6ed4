/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecast: a simulation whose processes carry out every request at once, and a list of the
 * services that got a request.
 */
#include "config.h"

#include "svcctl/forecast.h"

#include <string.h>

#include "engine/simulation.h"
#include "model/service-parse.h"

/* The time at which a forecast starts, long after the boot. Backoffs never end in a forecast. */
#define START_US G_TIME_SPAN_HOUR

/* The limit for services that start and stop one another for ever. */
#define LIMIT_ACTIONS 100000

/*
 * The waits that end by themselves; the forecast ends them at once. A failed service stays failed.
 */
#define ENDED_WAITS                                                                        \
	(1u << ENGINE_TIMER_SETTLE | 1u << ENGINE_TIMER_LINGER | 1u << ENGINE_TIMER_WAIT | \
	 1u << ENGINE_TIMER_UNKNOWN)

/* The simulated machine, and the requests of the engine since the change. */
typedef struct Trial {
	Simulation sim;
	const Present *present;
	GPtrArray *stopped; /* interned names, in order */
	GPtrArray *started;
} Trial;

void present_service_free(PresentService *service)
{
	if (!service)
		return;
	g_free(service->name);
	g_free(service->lost_file);
	g_free(service);
}

/* --- operations --- */

static void on_start(void *data, const Service *s)
{
	Trial *t = data;

	simulation_start(&t->sim, s);
	simulation_queue(&t->sim, s);
	g_ptr_array_add(t->started, (gpointer)g_intern_string(s->def->name));
}

static void on_stop(void *data, const Service *s)
{
	Trial *t = data;

	(void)simulation_stop(&t->sim, s);
	simulation_queue(&t->sim, s);
	g_ptr_array_add(t->stopped, (gpointer)g_intern_string(s->def->name));
}

static const EngineOps ops = {
	.subscribe = simulation_subscribe,
	.unsubscribe = simulation_unsubscribe,
	.start = on_start,
	.stop = on_stop,
};

/* --- levels --- */

static Level find_level(const Simulation *sim, KeyPrefix prefix, const char *key)
{
	const Present *present = ((const Trial *)sim)->present;

	return present->level(present->data, prefix, key);
}

static void set_bus_name(Simulation *sim, const char *name, Level level)
{
	g_autofree char *key = g_strconcat("dbus:", name, NULL);

	simulation_set_level(sim, key, level, NULL);
}

/*
 * A daemon's bus names exist while it runs. A path that signals readiness may outlive the daemon.
 */
static void set_own_keys(Simulation *sim, const Service *s, bool is_up)
{
	const Level level = is_up ? LEVEL_TRUE : LEVEL_FALSE;

	if (s->def->ready_key && (is_up || s->def->ready == READY_DBUS))
		simulation_set_level(sim, s->def->ready_key, level, NULL);
	for (guint i = 0; i < s->def->bus_names->len; i++)
		set_bus_name(sim, ((const NameRef *)g_ptr_array_index(s->def->bus_names, i))->name,
			     level);
}

/*
 * A start or stop may last longer than Settle= of a service that has lost a condition. Then this
 * service stops and starts again, and so do those that depend on it.
 */
static void add_unsettled(Trial *t)
{
	const GPtrArray *all = engine_services(t->sim.engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);
		const char *name = g_intern_string(s->def->name);
		g_autoptr(GPtrArray) impact = NULL;

		if (engine_timer_at(s, ENGINE_TIMER_SETTLE) == 0 ||
		    engine_on_lapse(s) != ON_LAPSE_STOP || g_ptr_array_find(t->stopped, name, NULL))
			continue;
		g_ptr_array_add(t->stopped, (gpointer)name);
		impact = engine_impact(REQUEST_VERB_RESTART, s);
		for (guint j = 0; j < impact->len; j++) {
			const Service *other = g_ptr_array_index(impact, j);

			g_ptr_array_add(t->stopped, (gpointer)g_intern_string(other->def->name));
		}
	}
}

static bool answer_next(Simulation *sim)
{
	if (!g_queue_is_empty(&sim->requests))
		add_unsettled((Trial *)sim);
	return simulation_answer(sim);
}

/*
 * A health command that has not run yet succeeds, and so does a health command that a new file
 * adds.
 */
static bool answer_health(Simulation *sim)
{
	const GPtrArray *all = engine_services(sim->engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (s->state != STATE_READY || !s->def->health || s->health != HEALTH_UNKNOWN)
			continue;
		simulation_report(sim, s->def->name,
				  (ProcessEvent){ .kind = PROCESS_HEALTH, .success = true });
		if (s->health != HEALTH_UNKNOWN)
			return true; /* otherwise it runs as a group, whatever its file says now */
	}
	return false;
}

/* Runs until there are no further effects. */
static void settle(Simulation *sim)
{
	simulation_report_levels(sim);
	for (unsigned i = 0;
	     i < LIMIT_ACTIONS && (answer_next(sim) || answer_health(sim) ||
				   simulation_fire_timer(sim, ENDED_WAITS, INT64_MAX));
	     i++)
		simulation_report_levels(sim);
}

/* --- the present state --- */

static void own_keys_follow(Trial *t)
{
	const GPtrArray *all = engine_services(t->sim.engine);

	for (guint i = 0; i < all->len; i++)
		set_own_keys(&t->sim, g_ptr_array_index(all, i), false);
}

static void recover(Trial *t)
{
	for (guint i = 0; i < t->present->services->len; i++) {
		const PresentService *present = g_ptr_array_index(t->present->services, i);
		const Service *s = engine_find(t->sim.engine, present->name);
		/* A service whose file is gone goes on like a daemon. */
		const ServiceState state = !s && present->state == STATE_DONE ? STATE_READY :
										present->state;
		const bool is_running = state == STATE_STARTING || state == STATE_READY ||
					state == STATE_STOPPING;
		const bool is_group = is_running && s && present->type == TYPE_GROUP;
		const bool is_alive = is_running && !is_group;
		g_autofree char *note = engine_note_for(state, present->admin, present->admin_at_us,
							present->is_wanted, is_group);

		*simulation_run(&t->sim, present->name) =
			(SimulatedRun){ .invocation = 1,
					.is_live = is_alive,
					.is_start_answered = state != STATE_STARTING };
		/* The note is one of svcd's own. */
		(void)engine_recover(t->sim.engine, present->name, note, is_alive, 1,
				     is_alive ? 2 : 0, t->sim.now_us);
		if (state == STATE_STARTING)
			simulation_queue(&t->sim, engine_find(t->sim.engine, present->name));
	}
}

static void recover_health(Trial *t)
{
	for (guint i = 0; t->present->services && i < t->present->services->len; i++) {
		const PresentService *present = g_ptr_array_index(t->present->services, i);
		const Service *s = engine_find(t->sim.engine, present->name);

		if (s && present->health != HEALTH_UNKNOWN)
			simulation_report(&t->sim, present->name,
					  (ProcessEvent){ .kind = PROCESS_HEALTH,
							  .success = present->health ==
								     HEALTH_HEALTHY });
	}
}

/* A service whose file is gone goes on, with its relations to others. */
static void add_lost_files(const Present *present, ServiceSet *set)
{
	for (guint i = 0; present->services && i < present->services->len; i++) {
		const PresentService *service = g_ptr_array_index(present->services, i);
		const char *text = service->lost_file ? service->lost_file : "";
		const SourceText source = { .file = "", .text = text, .length = strlen(text) };
		g_autoptr(DiagList) diags = diag_list_new(); /* svcd accepted these lines */
		ServiceDef *def;

		if (!*text || service_set_find(set, service->name))
			continue;
		def = service_parse(service->name, &source, 1, diags);
		def->is_gone = true;
		service_set_add(set, def);
	}
}

/* Brings the engine to the present state. */
static void begin(Trial *t, Configuration *before)
{
	add_lost_files(t->present, before->set);
	engine_load(t->sim.engine, g_steal_pointer(&before->set), g_steal_pointer(&before->policy),
		    t->sim.now_us);
	/* The boot was long ago, so no start waits for the login screen any more. */
	(void)engine_recover_global(t->sim.engine, "v=1 b=1", t->sim.now_us);
	if (t->present->services)
		recover(t);
	else
		own_keys_follow(t);
	simulation_report_levels(&t->sim);
	engine_begin(t->sim.engine, t->present->runlevel, t->sim.now_us);
	recover_health(t);
	settle(&t->sim);
}

/* --- the result --- */

/* Services that are up, by name. */
static GHashTable *list_up(const Trial *t)
{
	GHashTable *up = g_hash_table_new(NULL, NULL);
	const GPtrArray *all = engine_services(t->sim.engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (service_is_up(s))
			g_hash_table_add(up, (gpointer)g_intern_string(s->def->name));
	}
	return up;
}

static GHashTable *list_wanted(const Trial *t)
{
	GHashTable *wanted = g_hash_table_new(NULL, NULL);
	const GPtrArray *all = engine_services(t->sim.engine);

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
 * The forecast begins with the services that really run, not with those that follow from the files,
 * because the files may have changed since svcd read them. @up, @wanted: from the engine; services
 * that are not really up or wanted are removed.
 */
static void keep_present(const Present *present, GHashTable *up, GHashTable *wanted)
{
	g_autoptr(GHashTable) on_the_way = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < present->services->len; i++) {
		const PresentService *service = g_ptr_array_index(present->services, i);
		const char *interned = g_intern_string(service->name);
		const bool is_up = service->state == STATE_READY || service->state == STATE_DONE;

		if (is_up)
			g_hash_table_add(up, (gpointer)interned);
		if (is_up || (service->is_wanted && !service->is_settled))
			g_hash_table_add(on_the_way, (gpointer)interned);
		if (service->is_wanted)
			g_hash_table_add(wanted, (gpointer)interned);
		if (service->is_wanted || is_up)
			g_hash_table_add(known, (gpointer)interned);
	}
	/* The others would be up or wanted because of files that svcd has not read. */
	g_hash_table_foreach_remove(up, is_unknown, on_the_way);
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

static void compare(Forecast *forecast, const Trial *t, GHashTable *before)
{
	g_autoptr(GHashTable) after = list_up(t);

	for (guint i = 0; i < t->stopped->len; i++) {
		const char *name = g_ptr_array_index(t->stopped, i);

		if (!g_hash_table_contains(before, name))
			continue;
		add_once(g_hash_table_contains(after, name) ? forecast->restarts : forecast->stops,
			 name);
	}
	for (guint i = 0; i < t->started->len; i++) {
		const char *name = g_ptr_array_index(t->started, i);

		if (g_hash_table_contains(after, name))
			add_once(g_hash_table_contains(before, name) ? forecast->restarts :
								       forecast->starts,
				 name);
	}
	add_rest(forecast->stops, before, after);
	add_rest(forecast->starts, after, before);
}

static void find_waiting(Forecast *forecast, const Trial *t, GHashTable *wanted_before)
{
	const GPtrArray *all = engine_services(t->sim.engine);

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

static void apply(Trial *t, const ForecastChange *change, GError **error)
{
	const Requester no_requester = { 0 };
	Configuration *after = change->after;
	const char *runlevel = change->runlevel;

	g_ptr_array_set_size(t->stopped, 0);
	g_ptr_array_set_size(t->started, 0);
	if (after) {
		engine_load(t->sim.engine, g_steal_pointer(&after->set),
			    g_steal_pointer(&after->policy), t->sim.now_us);
		settle(&t->sim);
	}
	for (size_t i = 0; change->names && change->names[i]; i++) {
		if (error)
			g_clear_error(error);
		(void)engine_request(t->sim.engine, change->verb, change->names[i], &no_requester,
				     t->sim.now_us, error);
	}
	if (runlevel && strcmp(runlevel, engine_runlevel(t->sim.engine)) != 0)
		/* This is refused only during a shutdown, and then has no effect. */
		(void)engine_set_runlevel(t->sim.engine, runlevel, &no_requester, t->sim.now_us,
					  NULL);
	settle(&t->sim);
}

Forecast *forecast_new(const Present *present, Configuration *before, const ForecastChange *change,
		       GError **error)
{
	Trial t = { .present = present,
		    .stopped = g_ptr_array_new(),
		    .started = g_ptr_array_new() };
	Forecast *forecast = g_new0(Forecast, 1);
	g_autoptr(GHashTable) up = NULL;
	g_autoptr(GHashTable) wanted = NULL;

	*forecast = (Forecast){ .stops = g_ptr_array_new(),
				.starts = g_ptr_array_new(),
				.restarts = g_ptr_array_new(),
				.waits = g_ptr_array_new() };
	simulation_init(&t.sim, START_US);
	t.sim.find_level = find_level;
	t.sim.on_answer = set_own_keys;
	t.sim.engine = engine_new(&ops, &t);
	begin(&t, before);
	up = list_up(&t);
	wanted = list_wanted(&t);
	if (present->services && change->after)
		keep_present(present, up, wanted);
	apply(&t, change, error);
	compare(forecast, &t, up);
	find_waiting(forecast, &t, wanted);
	simulation_clear(&t.sim);
	g_ptr_array_unref(t.stopped);
	g_ptr_array_unref(t.started);
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
	return forecast->stops->len + forecast->starts->len + forecast->restarts->len +
		       forecast->waits->len + forecast->n_absent ==
	       0;
}
