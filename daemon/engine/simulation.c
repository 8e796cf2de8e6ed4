/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulation: the flags of a simulated run follow the requests of the engine and the reports to it.
 */
#include "config.h"

#include "engine/simulation.h"

/* The pid of every simulated main process. */
#define MAIN_PID 4711

void simulation_init(Simulation *sim, int64_t now_us)
{
	*sim = (Simulation){ .now_us = now_us };
	sim->runs = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	sim->levels = g_hash_table_new(g_str_hash, g_str_equal);
}

void simulation_clear(Simulation *sim)
{
	engine_free(sim->engine);
	g_hash_table_unref(sim->runs);
	g_hash_table_unref(sim->levels);
	g_queue_clear(&sim->requests);
	g_queue_clear(&sim->new_keys);
}

/* --- processes --- */

SimulatedRun *simulation_run(Simulation *sim, const char *service)
{
	SimulatedRun *run = g_hash_table_lookup(sim->runs, service);

	if (!run) {
		run = g_new0(SimulatedRun, 1);
		g_hash_table_insert(sim->runs, (gpointer)g_intern_string(service), run);
	}
	return run;
}

void simulation_start(Simulation *sim, const Service *s)
{
	*simulation_run(sim, s->def->name) = (SimulatedRun){
		.invocation = s->invocation,
		.is_live = true,
		.is_main_live = true,
	};
}

bool simulation_stop(Simulation *sim, const Service *s)
{
	SimulatedRun *run = simulation_run(sim, s->def->name);

	if (run->is_stop_requested)
		return false;
	run->is_stop_requested = true;
	run->is_live = true;
	run->invocation = s->invocation;
	return true;
}

void simulation_queue(Simulation *sim, const Service *s)
{
	g_queue_push_tail(&sim->requests, (gpointer)g_intern_string(s->def->name));
}

void simulation_report(Simulation *sim, const char *service, ProcessEvent event)
{
	SimulatedRun *run = simulation_run(sim, service);

	if (event.kind == PROCESS_EXITED || event.kind == PROCESS_START_FAILED)
		run->is_main_live = false;
	if (event.kind == PROCESS_READY)
		run->is_main_live = true;
	if (event.kind == PROCESS_STOP_FAILED)
		run->is_stop_requested = false;
	if (event.kind == PROCESS_GONE)
		run->is_live = run->is_main_live = run->is_stop_requested = false;
	if (!event.at_us)
		event.at_us = sim->now_us;
	engine_process_event(sim->engine, service, run->invocation, &event, sim->now_us);
}

static void report_success(Simulation *sim, const char *service, ProcessEventKind kind)
{
	simulation_report(
		sim, service,
		(ProcessEvent){
			.kind = kind, .pid = MAIN_PID, .success = true, .text = "exit status 0" });
}

static void answer(Simulation *sim, const Service *s, bool is_up)
{
	if (sim->on_answer)
		sim->on_answer(sim, s, is_up);
}

static void answer_start(Simulation *sim, const Service *s)
{
	report_success(sim, s->def->name, PROCESS_STARTED);
	if (s->def->type == TYPE_TASK) {
		report_success(sim, s->def->name, PROCESS_EXITED);
		return;
	}
	answer(sim, s, true);
	report_success(sim, s->def->name, PROCESS_READY);
}

bool simulation_answer(Simulation *sim)
{
	const char *service = g_queue_pop_head(&sim->requests);
	const Service *s = service ? engine_find(sim->engine, service) : NULL;
	SimulatedRun *run = service ? simulation_run(sim, service) : NULL;

	if (!s)
		return service != NULL;
	if (run->is_stop_requested) {
		answer(sim, s, false);
		report_success(sim, service, PROCESS_EXITED);
		report_success(sim, service, PROCESS_GONE);
	} else if (run->is_live && !run->is_start_answered) {
		run->is_start_answered = true;
		answer_start(sim, s);
	} else if (run->is_live && engine_is_reloading(s)) {
		report_success(sim, service, PROCESS_RELOADED);
	}
	return true;
}

/* --- levels --- */

static Level level_of(const Simulation *sim, KeyPrefix prefix, const char *key)
{
	gpointer level;

	if (g_hash_table_lookup_extended(sim->levels, key, NULL, &level))
		return (Level)GPOINTER_TO_INT(level);
	return sim->find_level ? sim->find_level(sim, prefix, key) : LEVEL_FALSE;
}

static void keep_level(Simulation *sim, const char *key, Level level)
{
	g_hash_table_insert(sim->levels, (gpointer)g_intern_string(key), GINT_TO_POINTER(level));
}

void simulation_subscribe(void *data, KeyPrefix prefix, const char *key)
{
	Simulation *sim = data;

	g_assert(!key_prefix_is_internal(prefix));
	keep_level(sim, key, level_of(sim, prefix, key));
	g_queue_push_tail(&sim->new_keys, (gpointer)g_intern_string(key));
}

void simulation_unsubscribe(void *data, KeyPrefix prefix, const char *key)
{
	g_assert(!key_prefix_is_internal(prefix));
	g_assert(g_hash_table_contains(((Simulation *)data)->levels, key));
}

void simulation_report_levels(Simulation *sim)
{
	const char *key;

	while ((key = g_queue_pop_head(&sim->new_keys)))
		engine_set_level(sim->engine, key, level_of(sim, KEY_COUNT, key), NULL,
				 sim->now_us);
}

void simulation_set_level(Simulation *sim, const char *key, Level level, const char *why)
{
	keep_level(sim, key, level);
	engine_set_level(sim->engine, key, level, why, sim->now_us);
}

/* --- clock --- */

bool simulation_fire_timer(Simulation *sim, unsigned kinds, int64_t until_us)
{
	EngineTimer kind;
	const Service *s = engine_next_timer(sim->engine, kinds, &kind);

	if (!s || engine_timer_at(s, kind) > until_us)
		return false;
	sim->now_us = MAX(sim->now_us, engine_timer_at(s, kind));
	engine_timer_fired(sim->engine, s->def->name, kind, sim->now_us);
	return true;
}
