/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Installed: the table comes with the files, so a level is never unknown.
 */
#include "config.h"

#include "providers/installed.h"

typedef struct InstalledProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	HeldPrograms *held; /* owned; NULL: all are free */
	GHashTable *subscribed; /* interned keys */
} InstalledProvider;

static void report(const InstalledProvider *installed, const char *key)
{
	const char *why = NULL;
	const ProgramHold hold = held_programs_find(installed->held, key_argument(key), &why);

	provider_report(&installed->sink, key, hold == PROGRAM_FREE ? LEVEL_TRUE : LEVEL_FALSE,
			hold == PROGRAM_FREE ? "no package change holds it back" : why);
}

static void installed_subscribe(Provider *provider, const char *key)
{
	InstalledProvider *installed = (InstalledProvider *)provider;

	g_hash_table_add(installed->subscribed, (gpointer)key);
	report(installed, key);
}

static void installed_unsubscribe(Provider *provider, const char *key)
{
	g_hash_table_remove(((InstalledProvider *)provider)->subscribed, key);
}

static void installed_free(Provider *provider)
{
	InstalledProvider *installed = (InstalledProvider *)provider;

	held_programs_free(installed->held);
	g_hash_table_unref(installed->subscribed);
	g_free(installed);
}

Provider *installed_provider_new(const ProviderSink *sink)
{
	InstalledProvider *installed = g_new0(InstalledProvider, 1);

	installed->base = (Provider){ .subscribe = installed_subscribe,
				      .unsubscribe = installed_unsubscribe,
				      .free = installed_free };
	installed->sink = *sink;
	installed->subscribed = g_hash_table_new(NULL, NULL);
	return &installed->base;
}

void installed_provider_take(Provider *provider, HeldPrograms *held)
{
	InstalledProvider *installed = (InstalledProvider *)provider;
	GHashTableIter iter;
	gpointer key;

	held_programs_free(installed->held);
	installed->held = held;
	g_hash_table_iter_init(&iter, installed->subscribed);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		report(installed, key);
}
