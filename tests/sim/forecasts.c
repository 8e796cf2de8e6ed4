/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecasts: compares the forecasts of svcctl for a machine at rest with the effects of the change.
 *
 * Services start and stop in the order of the requests, as in a forecast. Otherwise the service that
 * is ready first could decide a race, and a forecast cannot predict which service that is.
 *
 *	forecasts --seed N [--trace]	one machine
 *	forecasts [--first N] --count N	many; exit status 1 at the first false forecast
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svcctl/forecast.h"
#include "tests/sim/invariants.h"
#include "tests/sim/levels.h"
#include "tests/sim/machine.h"
#include "tests/sim/requests.h"

enum { USUAL_COUNT = 1000, CHANGES = 5 };

/* A service that is up, and the number of its run. */
typedef struct Up {
	bool is_up;
	uint64_t invocation;
} Up;

static void run_to_rest(Machine *m)
{
	const int64_t end_us = m->sim.now_us + 2 * G_TIME_SPAN_HOUR;

	invariants_always(m);
	while (!m->failure && machine_next_us(m) <= end_us)
		machine_run(m, machine_next_us(m));
}

static Level on_level(void *data, KeyPrefix prefix, const char *key)
{
	(void)prefix;
	return levels_find(data, key)->level;
}

static Configuration *read_files(const Machine *m)
{
	Configuration *configuration = g_new0(Configuration, 1);

	configuration->diags = diag_list_new();
	machine_read_files(m, &configuration->set, &configuration->policy);
	return configuration;
}

static GPtrArray *list_services(const Machine *m)
{
	GPtrArray *services = g_ptr_array_new_with_free_func(
		(GDestroyNotify)(void (*)(void))present_service_free);
	const GPtrArray *all = engine_services(m->sim.engine);

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);
		PresentService *service = g_new0(PresentService, 1);

		*service = (PresentService){ .name = g_strdup(s->def->name),
					     .state = s->state,
					     .type = service_type(s),
					     .lost_file = service_file_state(s) == FILE_GONE ?
								  service_def_relations(s->def) :
								  NULL,
					     .health = s->health,
					     .admin = s->admin,
					     .admin_at_us = s->admin_at_us,
					     .is_wanted = service_is_wanted(s),
					     .is_settled = engine_is_settled(s) };
		g_ptr_array_add(services, service);
	}
	return services;
}

static void look(const Machine *m, Up *up)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		const Service *s = engine_find(m->sim.engine, plan_service_name(i));

		up[i] = (Up){ .is_up = s && service_is_up(s), .invocation = s ? s->invocation : 0 };
	}
}

/* --- the change --- */

static bool has_errors(const Configuration *configuration)
{
	const GPtrArray *defs = service_set_list(configuration->set);

	for (guint i = 0; i < defs->len; i++) {
		if (((const ServiceDef *)g_ptr_array_index(defs, i))->problem)
			return true;
	}
	return false;
}

/*
 * The new file of a running service may change its type only to or from a group. About a run of
 * another type, a forecast knows no more than a new manager does.
 */
static bool may_keep(const Configuration *configuration, const Service *s)
{
	const ServiceDef *def = service_set_find(configuration->set, s->def->name);
	const ServiceType type = service_type(s);

	return !def || (def->type == type || def->type == TYPE_GROUP || type == TYPE_GROUP);
}

static void keep_types(Machine *m, char **files)
{
	g_autoptr(Configuration) configuration = read_files(m);

	for (unsigned i = 0; i < m->plan->n_services; i++) {
		const Service *s = engine_find(m->sim.engine, plan_service_name(i));

		if (!s || !service_is_up(s) || may_keep(configuration, s))
			continue;
		g_free(m->plan->files[i]);
		m->plan->files[i] = g_strdup(files[i]);
	}
}

/* The loader replaces a file with an error by its last good version, so no plan has errors. */
static Configuration *alter_well(Machine *m)
{
	char *files[PLAN_MAX_SERVICES];
	Configuration *configuration;

	for (;;) {
		for (unsigned i = 0; i < m->plan->n_services; i++)
			files[i] = g_strdup(m->plan->files[i]);
		plan_alter(m->plan, &m->chance);
		keep_types(m, files);
		for (unsigned i = 0; i < m->plan->n_services; i++)
			g_free(files[i]);
		configuration = read_files(m);
		if (!has_errors(configuration))
			return configuration;
		configuration_free(configuration);
	}
}

static void choose(Machine *m, ForecastChange *ret, const char **names)
{
	static const RequestVerb verbs[] = { REQUEST_VERB_START, REQUEST_VERB_STOP,
					     REQUEST_VERB_RESTART, REQUEST_VERB_CLEAR };

	*ret = (ForecastChange){ 0 };
	switch (chance_below(&m->chance, 3)) {
	case 0:
		ret->after = alter_well(m);
		break;
	case 1:
		ret->runlevel = chance_percent(&m->chance, 50) ? "2" : "3";
		break;
	default:
		ret->verb = verbs[chance_below(&m->chance, G_N_ELEMENTS(verbs))];
		names[0] = plan_service_name(chance_below(&m->chance, m->plan->n_services));
		ret->names = names;
	}
}

static void make(Machine *m, const ForecastChange *change, const GError *refusal)
{
	if (change->after)
		machine_load(m);
	if (change->runlevel)
		machine_set_runlevel(m, change->runlevel);
	if (change->names && requests_ask(m, change->verb, change->names[0]) == (refusal != NULL))
		machine_fail(m, "the dry run was %s, the request was not: %s",
			     refusal ? "refused" : "granted", refusal ? refusal->message : "");
}

/* --- the comparison --- */

static bool has(const GPtrArray *names, const char *name)
{
	return g_ptr_array_find((GPtrArray *)names, g_intern_string(name), NULL);
}

/* A group has no process that could be replaced. */
static bool is_group(const Machine *m, const char *name)
{
	return engine_find(m->sim.engine, name)->def->type == TYPE_GROUP;
}

static void compare_one(Machine *m, const Forecast *forecast, const char *name, Up before, Up now)
{
	const bool is_same_run = before.invocation == now.invocation;

	if (has(forecast->stops, name) != (before.is_up && !now.is_up))
		machine_fail(m, "%s: its stop was %s", name,
			     now.is_up ? "forecast, and it is up" : "not forecast");
	if (has(forecast->starts, name) != (!before.is_up && now.is_up))
		machine_fail(m, "%s: its start was %s", name,
			     now.is_up ? "not forecast" : "forecast, and it is not up");
	if (before.is_up && now.is_up && !is_same_run && !is_group(m, name) &&
	    !has(forecast->restarts, name))
		machine_fail(m, "%s: its restart was not forecast", name);
}

static void change_once(Machine *m)
{
	g_autoptr(GPtrArray) services = list_services(m);
	const Present present = { .runlevel = engine_runlevel(m->sim.engine),
				  .services = services,
				  .level = on_level,
				  .data = m };
	g_autoptr(Configuration) before = read_files(m);
	const char *names[2] = { NULL, NULL };
	g_autoptr(Configuration) after = NULL;
	g_autoptr(Forecast) forecast = NULL;
	g_autoptr(GError) refusal = NULL;
	ForecastChange change;
	Up was[PLAN_MAX_SERVICES];
	Up is[PLAN_MAX_SERVICES];

	choose(m, &change, names);
	after = change.after;
	look(m, was);
	machine_trace(m, "--- the change");
	forecast = forecast_new(&present, before, &change, &refusal);
	make(m, &change, refusal);
	run_to_rest(m);
	if (m->failure || refusal)
		return;
	look(m, is);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		compare_one(m, forecast, plan_service_name(i), was[i], is[i]);
}

static bool play(uint64_t seed, bool is_tracing)
{
	g_autoptr(Machine) m = machine_new(seed, is_tracing, false, NULL);

	machine_calm(m);
	m->is_orderly = true;
	run_to_rest(m);
	configuration_free(alter_well(m));
	machine_load(m);
	run_to_rest(m);
	for (unsigned i = 0; i < CHANGES && !m->failure; i++) {
		if (chance_percent(&m->chance, 50))
			levels_set(m, chance_below(&m->chance, N_LEVELS),
				   chance_percent(&m->chance, 50) ? LEVEL_TRUE : LEVEL_FALSE);
		run_to_rest(m);
		if (!m->failure)
			change_once(m);
	}
	if (m->failure)
		printf("seed %" G_GUINT64_FORMAT ": %s\nreplay: tests/sim/forecasts --seed "
		       "%" G_GUINT64_FORMAT " --trace\n",
		       seed, m->failure, seed);
	return !m->failure;
}

int main(int argc, char **argv)
{
	uint64_t first = 1;
	uint64_t count = USUAL_COUNT;
	bool is_tracing = false;

	for (int i = 1; i < argc; i++) {
		const bool is_seed = strcmp(argv[i], "--seed") == 0;

		if (strcmp(argv[i], "--trace") == 0)
			is_tracing = true;
		else if (i + 1 < argc && (is_seed || strcmp(argv[i], "--first") == 0))
			first = g_ascii_strtoull(argv[++i], NULL, 10);
		else if (i + 1 < argc && strcmp(argv[i], "--count") == 0)
			count = g_ascii_strtoull(argv[++i], NULL, 10);
		count = is_seed ? 1 : count;
	}
	for (uint64_t seed = first; seed < first + count; seed++) {
		if (!play(seed, is_tracing))
			return EXIT_FAILURE;
	}
	printf("%" G_GUINT64_FORMAT " machines, %d changes each\n", count, CHANGES);
	return EXIT_SUCCESS;
}
