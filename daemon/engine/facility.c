/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facility: several services under one "$name". In LSB files these names only set an order. Only a
 * facility: term, which an admin writes, is a requirement.
 *
 * Providers that are not wanted are ignored. Without a wanted provider, the facility is settled,
 * and facility: is false.
 */
#include "config.h"

#include "engine/engine-private.h"

Facility *facility_get(Engine *engine, const char *name)
{
	const char *interned = g_intern_string(name);
	Facility *f = g_hash_table_lookup(engine->facilities, interned);

	if (f)
		return f;
	f = g_new0(Facility, 1);
	f->name = interned;
	f->providers = g_ptr_array_new();
	g_hash_table_insert(engine->facilities, (gpointer)interned, f);
	return f;
}

void facility_free(gpointer data)
{
	Facility *f = data;

	g_ptr_array_unref(f->providers);
	g_free(f);
}

Level facility_level(const Facility *f)
{
	Level level = LEVEL_FALSE;

	for (unsigned i = 0; i < f->providers->len; i++) {
		const Service *s = g_ptr_array_index(f->providers, i);

		if (!service_is_wanted(s))
			continue;
		if (!service_is_up(s) || s->priv->stop.is_leaving)
			return LEVEL_FALSE;
		level = LEVEL_TRUE;
	}
	return level;
}

bool facility_is_settled(const Facility *f)
{
	for (unsigned i = 0; i < f->providers->len; i++) {
		const Service *s = g_ptr_array_index(f->providers, i);

		if (s->priv->settle.is_unsettled)
			return false;
	}
	return true;
}

char *facility_why(const Facility *f)
{
	if (facility_level(f) == LEVEL_TRUE)
		return g_strdup("all its wanted providers are ready");
	for (unsigned i = 0; i < f->providers->len; i++) {
		const Service *s = g_ptr_array_index(f->providers, i);

		if (service_is_wanted(s) && (!service_is_up(s) || s->priv->stop.is_leaving))
			return g_strdup_printf("%s is %s", s->def->name,
					       service_state_name(s->state));
	}
	if (f->providers->len == 0)
		return g_strdup("no service provides it");
	return g_strdup("no wanted service provides it");
}

void facility_publish(Engine *engine, Facility *f)
{
	g_autofree char *why = NULL;

	if (!f->condition_facility)
		return;
	why = facility_why(f);
	condition_set_level(engine, f->condition_facility, facility_level(f), why);
}

void facility_publish_settled(Engine *engine, Facility *f)
{
	if (f->condition_settled)
		condition_set_level(engine, f->condition_settled,
				    facility_is_settled(f) ? LEVEL_TRUE : LEVEL_FALSE, NULL);
}
