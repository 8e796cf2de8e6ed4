/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecast: what would start and stop. Pure: the engine itself, with services that are ready and gone at once.
 *
 * It is brought to where the machine is, then given other files or another runlevel. What failed stays failed, and the
 * world outside stays as it is, but for the names on the bus of services that come and go.
 */
#ifndef SVCD_SVCCTL_FORECAST_H
#define SVCD_SVCCTL_FORECAST_H

#include <glib.h>
#include <stdbool.h>

#include "config/loader.h"
#include "engine/engine.h"

/* One service as it is. */
typedef struct PresentService {
	char *name;
	ServiceState state;
	AdminWant admin;
	bool is_wanted;
} PresentService;

void present_service_free(PresentService *service);

typedef struct Present {
	const char *runlevel;  /* canonical; NULL: the one that the machine boots into */
	GPtrArray *services;   /* PresentService *, borrowed; NULL: what follows from nothing but files */
	/* The level of a condition from outside. */
	Level (*level)(void *data, KeyPrefix prefix, const char *key);
	void *data;
} Present;

/* Names, interned, in the order in which it would happen. */
typedef struct Forecast {
	GPtrArray *stops;    /* up before, and not after */
	GPtrArray *starts;   /* not up before, and after */
	GPtrArray *restarts; /* up before and after, and not all the time */
	GPtrArray *waits;    /* wanted after and not before, but a condition is not true */
	unsigned n_absent;   /* as waits, of those that are not installed or do not apply to the machine */
} Forecast;

/* What would change: first the files, then what an admin asks of services, then the runlevel. */
typedef struct ForecastChange {
	Configuration *after;  /* what the files would say; its set and policy are taken. NULL: the same */
	const char *runlevel;  /* canonical; NULL: none */
	RequestVerb verb;      /* of the services in @names */
	const char *const *names; /* NULL: none */
} ForecastChange;

/**
 * forecast_new() - from where the machine is to where it would be
 * @before: what the files say; its set and policy are taken
 * @error:  set with the last request that would be refused; the forecast is without those. May be
 *          NULL
 */
Forecast *forecast_new(const Present *present, Configuration *before, const ForecastChange *change, GError **error);
void forecast_free(Forecast *forecast);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Forecast, forecast_free)

bool forecast_is_empty(const Forecast *forecast);

#endif
