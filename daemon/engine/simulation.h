/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulation: the world around an engine without a machine: processes, levels and a clock. The
 * forecasts of svcctl, the unit tests and the random histories of tests/sim share it.
 *
 * Nothing happens by itself. The owner of a simulation decides what its processes do and when.
 */
#ifndef SVCD_ENGINE_SIMULATION_H
#define SVCD_ENGINE_SIMULATION_H

#include <glib.h>

#include "engine/engine.h"

/* The processes of a service, as the keeper and the supervisor know them. */
typedef struct SimulatedRun {
	uint64_t invocation;
	bool is_live; /* started, not gone */
	bool is_main_live;
	bool is_start_answered;
	bool is_stop_requested;
} SimulatedRun;

/* This struct is the first member of the data of the engine's operations. */
typedef struct Simulation {
	Engine *engine; /* owned; NULL: no manager runs */
	int64_t now_us;
	GHashTable *runs; /* service -> SimulatedRun */
	GQueue requests; /* unanswered requests of the engine: names of services, interned */
	GHashTable *levels; /* external condition -> Level */
	GQueue new_keys; /* subscribed, but not reported yet; interned */
	/* Returns the level of a condition that was not set. NULL: such levels are false. */
	Level (*find_level)(const struct Simulation *sim, KeyPrefix prefix, const char *key);
	/* Called before a service answers that it is up, or gone. May be NULL. */
	void (*on_answer)(struct Simulation *sim, const Service *s, bool is_up);
} Simulation;

/* The caller then creates the engine. */
void simulation_init(Simulation *sim, int64_t now_us);
/* Frees the engine too. */
void simulation_clear(Simulation *sim);

/* --- processes --- */

/* The processes of @service; none is live at first. Borrowed; valid as long as @sim. */
SimulatedRun *simulation_run(Simulation *sim, const char *service);
/* The processes of the present invocation exist from now on. */
void simulation_start(Simulation *sim, const Service *s);
/* Returns: false if the stop was requested before. */
bool simulation_stop(Simulation *sim, const Service *s);
/* Queues the engine's request about @s for simulation_answer(). */
void simulation_queue(Simulation *sim, const Service *s);
/* Reports an event of the service's present invocation to the engine. */
void simulation_report(Simulation *sim, const char *service, ProcessEvent event);
/**
 * simulation_answer() - carry out the first queued request, with success
 * Returns: false if there is none.
 */
bool simulation_answer(Simulation *sim);

/* --- levels --- */

/* For EngineOps: new levels wait for simulation_report_levels(). */
void simulation_subscribe(void *data, KeyPrefix prefix, const char *key);
void simulation_unsubscribe(void *data, KeyPrefix prefix, const char *key);
/* Reports the levels of new subscriptions. */
void simulation_report_levels(Simulation *sim);
void simulation_set_level(Simulation *sim, const char *key, Level level, const char *why);

/* --- clock --- */

/**
 * simulation_fire_timer() - advance the clock to the next of these timers, which fires
 * @kinds: as for engine_next_timer()
 * Returns: false if none is due by @until_us.
 */
bool simulation_fire_timer(Simulation *sim, unsigned kinds, int64_t until_us);

#endif
