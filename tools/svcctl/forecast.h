/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecast: the services that would start and stop. Pure: it runs the real engine, with services
 * that start and stop at once.
 *
 * The engine is brought to the present state, and then given other files or another runlevel.
 * Failed services stay failed. External conditions stay as they are, except the bus names of
 * services that start or stop.
 */
#ifndef SVCD_SVCCTL_FORECAST_H
#define SVCD_SVCCTL_FORECAST_H

#include <glib.h>
#include <stdbool.h>

#include "config/loader.h"
#include "engine/engine.h"

/* The present state of one service. */
typedef struct PresentService {
	char *name;
	ServiceState state;
	ServiceType type; /* of its run */
	char *lost_file; /* if its file is gone: its relations that are in force; or NULL */
	AdminWant admin;
	int64_t admin_at_us; /* the time of that request; only the order counts */
	bool is_wanted;
	Health health;
	bool is_settled; /* it is not about to change by itself */
} PresentService;

void present_service_free(PresentService *service);

typedef struct Present {
	const char *runlevel; /* canonical; NULL: the default runlevel */
	/* PresentService *, borrowed; NULL: the state that follows from the files alone */
	GPtrArray *services;
	/* The level of an external condition. */
	Level (*level)(void *data, KeyPrefix prefix, const char *key);
	void *data;
} Present;

/* Names, interned, in the order of the events. */
typedef struct Forecast {
	GPtrArray *stops; /* up before, and not after */
	GPtrArray *starts; /* not up before, and after */
	/* up before and after, but stopped in between, or possibly so because of Settle= */
	GPtrArray *restarts;
	GPtrArray *waits; /* wanted after and not before, with a condition that is not true */
	/*
	 * the number of such services that are not in @waits, because they are not installed or do
	 * not apply to the machine
	 */
	unsigned n_absent;
} Forecast;

/* The change, in this order: the files, then an admin's requests, then the runlevel. */
typedef struct ForecastChange {
	Configuration *after; /* the new files; its set and policy are taken. NULL: no change */
	const char *runlevel; /* canonical; NULL: none */
	RequestVerb verb; /* of the services in @names */
	const char *const *names; /* NULL: none */
} ForecastChange;

/**
 * forecast_new() - compute the effects of a change on the present state
 * @before: the present files; its set and policy are taken
 * @error: set to the last request that would be refused; the forecast leaves out such requests. May
 * be NULL
 */
Forecast *forecast_new(const Present *present, Configuration *before, const ForecastChange *change,
		       GError **error);
void forecast_free(Forecast *forecast);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Forecast, forecast_free)

bool forecast_is_empty(const Forecast *forecast);

#endif
