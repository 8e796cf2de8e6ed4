/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels: each flag belongs to one of a few providers.
 */
#include "config.h"

#include "tests/sim/levels.h"

#include <string.h>

#include "tests/sim/invariants.h"

#define MS ((int64_t)G_TIME_SPAN_MILLISECOND)

/* NULL: no provider; the level is always known. */
static SimProvider *provider_of(Machine *m, unsigned index)
{
	return index < PLAN_FLAGS ? &m->providers[index % N_PROVIDERS] : NULL;
}

static bool is_away(Machine *m, unsigned index)
{
	const SimProvider *provider = provider_of(m, index);

	return provider && provider->back_at_us;
}

void levels_init(Machine *m)
{
	static const char *const others[] = { "kernel:f0", "kernel:f1" };

	for (unsigned i = 0; i < N_LEVELS; i++) {
		m->levels[i].key = i < PLAN_FLAGS ? plan_flag_key(i) : others[i - PLAN_FLAGS];
		m->levels[i].level = chance_percent(&m->chance, 60) ? LEVEL_TRUE : LEVEL_FALSE;
	}
}

static unsigned find(const Machine *m, const char *key)
{
	for (unsigned i = 0; i < N_LEVELS; i++) {
		if (strcmp(m->levels[i].key, key) == 0)
			return i;
	}
	g_assert_not_reached();
}

const SimLevel *levels_find(const Machine *m, const char *key)
{
	return &m->levels[find(m, key)];
}

/* --- calls of the engine --- */

void levels_subscribe(void *data, KeyPrefix prefix, const char *key)
{
	Machine *m = data;
	const unsigned index = find(m, key);
	SimLevel *level = &m->levels[index];

	(void)prefix;
	level->is_subscribed = true;
	level->reported = LEVEL_UNKNOWN;
	level->reported_us = m->sim.now_us;
	if (is_away(m, index))
		return; /* the provider reports it when it returns */
	level->report_at_us = m->sim.now_us;
	if (machine_happens(m, 5)) {
		level->report_at_us += chance_time(&m->chance, 60 * G_USEC_PER_SEC);
		machine_count(m, SIM_FAULT_LATE_LEVEL);
	}
}

void levels_unsubscribe(void *data, KeyPrefix prefix, const char *key)
{
	Machine *m = data;
	SimLevel *level = &m->levels[find(m, key)];

	(void)prefix;
	level->is_subscribed = false;
	level->reported = LEVEL_UNKNOWN;
	level->report_at_us = 0;
}

/* --- reports to the engine --- */

static void report_level(Machine *m, SimLevel *level, Level reported)
{
	level->report_at_us = 0;
	if (level->reported == reported && !level->is_reported_again)
		return;
	level->is_reported_again = false;
	if (level->reported != reported)
		level->reported_us = m->sim.now_us;
	level->reported = reported;
	machine_trace(m, "%s becomes %s", level->key, level_name(reported));
	engine_set_level(m->sim.engine, level->key, reported, m->is_reworded ? OTHER_TEXT : NULL,
			 m->sim.now_us);
}

/* The provider reports all its levels again, each after a delay, even if unchanged. */
static void come_back(Machine *m, unsigned provider)
{
	m->providers[provider].back_at_us = 0;
	machine_trace(m, "provider %u is back", provider);
	for (unsigned i = provider; i < PLAN_FLAGS; i += N_PROVIDERS) {
		SimLevel *level = &m->levels[i];

		if (!level->is_subscribed)
			continue;
		level->is_reported_again = true;
		level->report_at_us = m->sim.now_us + chance_time(&m->chance, 50 * MS);
		machine_count(m, SIM_FAULT_RELISTED);
	}
}

int64_t levels_next_us(const Machine *m)
{
	int64_t next_us = 0;

	for (unsigned i = 0; i < N_PROVIDERS; i++) {
		const int64_t at_us = m->providers[i].back_at_us;

		if (at_us && (!next_us || at_us < next_us))
			next_us = at_us;
	}
	for (unsigned i = 0; i < N_LEVELS; i++) {
		const int64_t at_us = m->levels[i].report_at_us;

		if (at_us && (!next_us || at_us < next_us))
			next_us = at_us;
	}
	return next_us;
}

void levels_report_due(Machine *m)
{
	for (unsigned i = 0; i < N_PROVIDERS; i++) {
		if (m->providers[i].back_at_us && m->providers[i].back_at_us <= m->sim.now_us)
			come_back(m, i);
	}
	for (unsigned i = 0; i < N_LEVELS; i++) {
		if (m->levels[i].report_at_us && m->levels[i].report_at_us <= m->sim.now_us)
			report_level(m, &m->levels[i], m->levels[i].level);
	}
}

/* --- events --- */

void levels_set(Machine *m, unsigned index, Level level)
{
	SimLevel *l = &m->levels[index];

	if (l->level != level && is_away(m, index))
		machine_count(m, SIM_FAULT_UNSEEN_CHANGE);
	l->level = level;
	if (l->is_subscribed && !is_away(m, index))
		l->report_at_us = m->sim.now_us;
}

/* The bus dies, or udev restarts: all levels of that provider become unknown. */
static void vanish(Machine *m)
{
	const unsigned provider = chance_below(&m->chance, N_PROVIDERS);

	m->providers[provider].back_at_us =
		m->sim.now_us + chance_time(&m->chance, 90 * G_USEC_PER_SEC);
	machine_trace(m, "provider %u vanishes", provider);
	machine_count(m, SIM_FAULT_PROVIDER_GONE);
	for (unsigned i = provider; i < PLAN_FLAGS; i += N_PROVIDERS) {
		if (m->levels[i].is_subscribed)
			report_level(m, &m->levels[i], LEVEL_UNKNOWN);
	}
}

/* The level changes several times at once, with a report each time. */
static void flap(Machine *m, unsigned index)
{
	const unsigned n = 2 + chance_below(&m->chance, 6);

	machine_count(m, SIM_FAULT_FLAPPED);
	for (unsigned i = 0; i < n && m->levels[index].is_subscribed; i++) {
		levels_set(m, index,
			   m->levels[index].level == LEVEL_TRUE ? LEVEL_FALSE : LEVEL_TRUE);
		levels_report_due(m);
		invariants_always(m);
	}
}

void levels_poke(Machine *m)
{
	const unsigned index = chance_below(&m->chance, PLAN_FLAGS);

	if (machine_happens(m, 6)) {
		vanish(m);
	} else if (machine_happens(m, 6)) {
		flap(m, index);
	} else if (machine_happens(m, 15)) {
		machine_count(m, SIM_FAULT_UNKNOWN_LEVEL);
		levels_set(m, index, LEVEL_UNKNOWN);
	} else {
		levels_set(m, index, chance_percent(&m->chance, 60) ? LEVEL_TRUE : LEVEL_FALSE);
	}
}

void levels_forget(Machine *m)
{
	for (unsigned i = 0; i < N_LEVELS; i++) {
		m->levels[i].is_subscribed = false;
		m->levels[i].is_reported_again = false;
		m->levels[i].report_at_us = 0;
		m->levels[i].reported = LEVEL_UNKNOWN;
	}
}

void levels_calm(Machine *m)
{
	for (unsigned i = 0; i < N_PROVIDERS; i++) {
		if (m->providers[i].back_at_us)
			come_back(m, i);
	}
	for (unsigned i = 0; i < N_LEVELS; i++) {
		if (m->levels[i].level == LEVEL_UNKNOWN)
			levels_set(m, i, LEVEL_TRUE);
	}
}
