/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags: a set of names. That they outlive the manager is the wiring's business: it keeps a note for each.
 */
#include "config.h"

#include "providers/flag.h"

#include "base/errors.h"
#include "base/limits.h"
#include "model/name.h"

struct FlagProvider {
	Provider base; /* first: the two are cast into each other */
	ProviderSink sink;
	GHashTable *set; /* name -> why, both owned */
	GHashTable *subscribed; /* interned keys */
};

static void flag_report(FlagProvider *flags, const char *key)
{
	const char *why = g_hash_table_lookup(flags->set, key_argument(key));

	provider_report(&flags->sink, key, why ? LEVEL_TRUE : LEVEL_FALSE, why ? why : "the flag is not set");
}

static void flag_subscribe(Provider *provider, const char *key)
{
	FlagProvider *flags = flag_provider_cast(provider);

	g_hash_table_add(flags->subscribed, (gpointer)key);
	flag_report(flags, key);
}

static void flag_unsubscribe(Provider *provider, const char *key)
{
	g_hash_table_remove(flag_provider_cast(provider)->subscribed, key);
}

static void flag_free(Provider *provider)
{
	FlagProvider *flags = flag_provider_cast(provider);

	g_hash_table_unref(flags->set);
	g_hash_table_unref(flags->subscribed);
	g_free(flags);
}

Provider *flag_provider_new(const ProviderSink *sink)
{
	FlagProvider *flags = g_new0(FlagProvider, 1);

	flags->base = (Provider){ .subscribe = flag_subscribe, .unsubscribe = flag_unsubscribe,
				  .free = flag_free };
	flags->sink = *sink;
	flags->set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	flags->subscribed = g_hash_table_new(g_str_hash, g_str_equal);
	return &flags->base;
}

FlagProvider *flag_provider_cast(Provider *provider)
{
	return (FlagProvider *)provider;
}

bool flag_provider_set(FlagProvider *flags, const char *name, bool set, const char *why, GError **error)
{
	g_autofree char *problem = NULL;
	g_autofree char *key = NULL;
	const char *subscribed;

	if (!name_check_flag(name, &problem))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	if (set && g_hash_table_size(flags->set) >= LIMIT_FLAGS && !g_hash_table_contains(flags->set, name))
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "%d flags are set already; clear some first", LIMIT_FLAGS);
	if (set)
		g_hash_table_replace(flags->set, g_strdup(name), g_strdup(why));
	else
		g_hash_table_remove(flags->set, name);
	key = g_strdup_printf("%s:%s", key_prefix_name(KEY_FLAG), name);
	if (g_hash_table_lookup_extended(flags->subscribed, key, (gpointer *)&subscribed, NULL))
		flag_report(flags, subscribed);
	return true;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *flag_provider_list(const FlagProvider *flags)
{
	GPtrArray *names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, flags->set);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, name);
	g_ptr_array_sort(names, compare_names);
	return names;
}
