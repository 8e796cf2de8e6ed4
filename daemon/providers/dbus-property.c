/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus properties: a Comparison is a condition on one property. The values come from
 * bus-property.c.
 */
#include "config.h"

#include "providers/dbus-property.h"

#include "providers/bus-property.h"

typedef struct PropertyProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	BusProperties *properties;
	GHashTable *comparisons; /* interned key -> Comparison, owned */
} PropertyProvider;

typedef struct Comparison {
	PropertyProvider *provider;
	const char *key;
	BusProperty *property;
	KeyOperator operator;
	char *token;
	Level level;
	char *why; /* NULL: nothing was reported yet */
} Comparison;

/* --- levels --- */

/* Owners and other properties may change often without a change for this condition. */
static void comparison_report(Comparison *comparison, bool always)
{
	const BusProperty *property = comparison->property;
	g_autofree char *why = NULL;
	Level level = bus_property_level(property);

	if (level == LEVEL_TRUE)
		level = bus_value_compare(bus_property_value(property), comparison->operator,
					  comparison->token, bus_property_member(property), &why) ?
				LEVEL_TRUE :
				LEVEL_FALSE;
	else
		why = g_strdup(bus_property_why(property));
	if (!always && level == comparison->level && g_strcmp0(why, comparison->why) == 0)
		return;
	comparison->level = level;
	g_free(comparison->why);
	comparison->why = g_steal_pointer(&why);
	provider_report(&comparison->provider->sink, comparison->key, level, comparison->why);
}

static void on_property_changed(void *watcher)
{
	comparison_report(watcher, false);
}

/* --- comparisons --- */

static void comparison_free(gpointer data)
{
	Comparison *comparison = data;

	g_free(comparison->token);
	g_free(comparison->why);
	g_free(comparison);
}

/* key.c has checked that there are these five tokens. */
static Comparison *comparison_new(PropertyProvider *provider, const char *key)
{
	g_auto(GStrv) tokens = key_argument_tokens(key);
	Comparison *comparison = g_new0(Comparison, 1);

	comparison->key = key;
	comparison->provider = provider;
	comparison->property = bus_property_watch(provider->properties, tokens[0], tokens[1],
						  tokens[2], comparison);
	(void)key_operator_from_name(tokens[3], &comparison->operator);
	comparison->token = g_strdup(tokens[4]);
	return comparison;
}

/* --- the provider --- */

static void property_subscribe(Provider *base, const char *key)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	Comparison *comparison = g_hash_table_lookup(provider->comparisons, key);

	if (!comparison) {
		comparison = comparison_new(provider, key);
		g_hash_table_insert(provider->comparisons, (gpointer)key, comparison);
	}
	comparison_report(comparison, true);
}

static void property_unsubscribe(Provider *base, const char *key)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	Comparison *comparison = g_hash_table_lookup(provider->comparisons, key);

	if (!comparison)
		return;
	bus_property_unwatch(comparison->property, comparison);
	g_hash_table_remove(provider->comparisons, key);
}

static void property_provider_free(Provider *base)
{
	PropertyProvider *provider = (PropertyProvider *)base;
	g_autoptr(GList) keys = g_hash_table_get_keys(provider->comparisons);

	for (GList *l = keys; l; l = l->next)
		property_unsubscribe(base, l->data);
	bus_properties_free(provider->properties);
	g_hash_table_unref(provider->comparisons);
	g_free(provider);
}

Provider *dbus_property_provider_new(const ProviderSink *sink, SystemBus *bus)
{
	PropertyProvider *provider = g_new0(PropertyProvider, 1);

	provider->base = (Provider){ .subscribe = property_subscribe,
				     .unsubscribe = property_unsubscribe,
				     .free = property_provider_free };
	provider->sink = *sink;
	provider->properties = bus_properties_new(bus, on_property_changed);
	provider->comparisons = g_hash_table_new_full(NULL, NULL, NULL, comparison_free);
	return &provider->base;
}
