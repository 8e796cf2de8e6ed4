/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags: the set of flags and their holders. Each flag has a note, so that it survives a restart of
 * the manager.
 */
#include "config.h"

#include "providers/flag.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/name.h"
#include "providers/flag-owner.h"

typedef struct Flag {
	char *why;
	char *owner; /* the bus name that owns it; NULL: the admin's, and the next two are NULL */
	char *holder; /* unique name of the connection that set the flag */
	char *bus_id; /* the id of that connection's bus */
} Flag;

struct FlagProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	FlagOwners *owners; /* NULL without a bus */
	GHashTable *set; /* name -> Flag, both owned */
	/* interned key -> the bus name that owns it, owned; NULL: the admin's */
	GHashTable *subscribed;
	void (*cleared)(void *data, const char *name);
	void *cleared_data;
};

static void flag_free(gpointer data)
{
	Flag *flag = data;

	g_free(flag->why);
	g_free(flag->owner);
	g_free(flag->holder);
	g_free(flag->bus_id);
	g_free(flag);
}

static void watch(FlagProvider *flags, const char *owner)
{
	if (owner && flags->owners)
		flag_owners_watch(flags->owners, owner);
}

static void unwatch(FlagProvider *flags, const char *owner)
{
	if (owner && flags->owners)
		flag_owners_unwatch(flags->owners, owner);
}

/* --- levels --- */

static Level owned_level(const FlagProvider *flags, const char *owner, const Flag *flag)
{
	if (!flags->owners)
		return LEVEL_UNKNOWN;
	return flag_owners_level(flags->owners, owner, flag ? flag->holder : "",
				 flag ? flag->bus_id : "");
}

static void report(FlagProvider *flags, const char *key, const char *owner)
{
	const Flag *flag = g_hash_table_lookup(flags->set, key_argument(key));
	const Level level = owner ? owned_level(flags, owner, flag) :
			    flag  ? LEVEL_TRUE :
				    LEVEL_FALSE;
	const char *why = "the flag is not set";

	if (level == LEVEL_TRUE)
		why = flag->why;
	else if (level == LEVEL_UNKNOWN)
		why = "the bus does not report the owner of its name";
	provider_report(&flags->sink, key, level, why);
}

static void report_name(FlagProvider *flags, const char *name)
{
	g_autofree char *key = g_strdup_printf("%s:%s", key_prefix_name(KEY_FLAG), name);
	gpointer subscribed;
	gpointer owner;

	if (g_hash_table_lookup_extended(flags->subscribed, key, &subscribed, &owner))
		report(flags, subscribed, owner);
}

/* --- the set --- */

static void insert(FlagProvider *flags, const char *name, Flag *flag)
{
	const Flag *old = g_hash_table_lookup(flags->set, name);

	watch(flags, flag->owner);
	if (old)
		unwatch(flags, old->owner);
	g_hash_table_replace(flags->set, g_strdup(name), flag);
}

static void take_out(FlagProvider *flags, const char *name)
{
	Flag *flag = g_hash_table_lookup(flags->set, name);

	if (!flag)
		return;
	unwatch(flags, flag->owner);
	g_hash_table_remove(flags->set, name);
}

/* Flags of @owner that were set by a connection that no longer owns the name; new strings. */
static GPtrArray *find_orphans(const FlagProvider *flags, const char *owner)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	gpointer name;
	gpointer value;

	g_hash_table_iter_init(&iter, flags->set);
	while (g_hash_table_iter_next(&iter, &name, &value)) {
		const Flag *flag = value;

		if (flag->owner && strcmp(flag->owner, owner) == 0 &&
		    owned_level(flags, owner, flag) == LEVEL_FALSE)
			g_ptr_array_add(names, g_strdup(name));
	}
	return names;
}

static void report_all_of(FlagProvider *flags, const char *owner)
{
	GHashTableIter iter;
	gpointer key;
	gpointer value;

	g_hash_table_iter_init(&iter, flags->subscribed);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		if (value && strcmp(value, owner) == 0)
			report(flags, key, owner);
	}
}

static void on_owner_changed(void *data, const char *owner)
{
	FlagProvider *flags = data;
	g_autoptr(GPtrArray) orphans = find_orphans(flags, owner);

	for (guint i = 0; i < orphans->len; i++) {
		take_out(flags, g_ptr_array_index(orphans, i));
		if (flags->cleared)
			flags->cleared(flags->cleared_data, g_ptr_array_index(orphans, i));
	}
	report_all_of(flags, owner);
}

/* --- requests --- */

static unsigned count_of(const FlagProvider *flags, const char *owner)
{
	unsigned n = 0;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, flags->set);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		n += g_strcmp0(((Flag *)value)->owner, owner) == 0;
	return n;
}

static bool is_below_limit(const FlagProvider *flags, const char *name, const char *owner,
			   GError **error)
{
	if (g_hash_table_contains(flags->set, name))
		return true;
	if (g_hash_table_size(flags->set) >= LIMIT_FLAGS)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%d flags are set already; clear some first", LIMIT_FLAGS);
	if (owner && count_of(flags, owner) >= LIMIT_FLAGS_OF_OWNER)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%d flags of %s are set already; clear some first",
			    LIMIT_FLAGS_OF_OWNER, owner);
	return true;
}

/* The caller has asked the bus, but the state here may be newer. */
static bool check_holder(const FlagProvider *flags, const char *owner, const char *holder, bool set,
			 GError **error)
{
	if (!holder && set)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
			    "only the program that owns %s on the bus sets its flags; you may only "
			    "clear them",
			    owner);
	if (holder && flags->owners &&
	    flag_owners_level(flags->owners, owner, holder, flag_owners_bus_id(flags->owners)) ==
		    LEVEL_FALSE)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "you do not own %s on the bus",
			    owner);
	return true;
}

bool flag_provider_set(FlagProvider *flags, const char *name, bool set, const char *holder,
		       const char *why, GError **error)
{
	g_autofree char *problem = NULL;
	g_autofree char *owner = NULL;
	Flag *flag;

	if (!name_check_flag(name, &problem))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	owner = name_flag_owner(name);
	if ((owner && !check_holder(flags, owner, holder, set, error)) ||
	    (set && !is_below_limit(flags, name, owner, error)))
		return false;
	if (set) {
		flag = g_new0(Flag, 1);
		flag->why = g_strdup(why);
		flag->holder = owner ? g_strdup(holder) : NULL;
		flag->bus_id =
			owner ? g_strdup(flags->owners ? flag_owners_bus_id(flags->owners) : "") :
				NULL;
		flag->owner = g_steal_pointer(&owner);
		insert(flags, name, flag);
	} else {
		take_out(flags, name);
	}
	report_name(flags, name);
	return true;
}

/* --- notes: the admin's flags as "WHY", others as "HOLDER BUS-ID WHY" --- */

char *flag_provider_note(const FlagProvider *flags, const char *name)
{
	const Flag *flag = g_hash_table_lookup(flags->set, name);

	if (!flag)
		return g_strdup("");
	return flag->owner ? g_strdup_printf("%s %s %s", flag->holder, flag->bus_id, flag->why) :
			     g_strdup(flag->why);
}

bool flag_provider_recover(FlagProvider *flags, const char *name, const char *note, GError **error)
{
	g_autofree char *owner = name_check_flag(name, NULL) ? name_flag_owner(name) : NULL;
	g_auto(GStrv) tokens = g_strsplit(note, " ", 3);
	Flag *flag;

	if (!owner)
		return flag_provider_set(flags, name, true, NULL, note, error);
	if (g_strv_length(tokens) < 3 || tokens[0][0] != ':')
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "no process sets %s; its note is \"%s\"", name, note);
	flag = g_new0(Flag, 1);
	flag->why = g_strdup(tokens[2]);
	flag->holder = g_strdup(tokens[0]);
	flag->bus_id = g_strdup(tokens[1]);
	flag->owner = g_steal_pointer(&owner);
	insert(flags, name, flag);
	report_name(flags, name);
	return true;
}

/* --- as a provider --- */

static void flag_subscribe(Provider *provider, const char *key)
{
	FlagProvider *flags = flag_provider_cast(provider);
	char *owner = name_flag_owner(key_argument(key));

	watch(flags, owner);
	if (g_hash_table_contains(flags->subscribed, key))
		unwatch(flags, owner);
	g_hash_table_replace(flags->subscribed, (gpointer)key, owner);
	report(flags, key, owner);
}

static void flag_unsubscribe(Provider *provider, const char *key)
{
	FlagProvider *flags = flag_provider_cast(provider);

	unwatch(flags, g_hash_table_lookup(flags->subscribed, key));
	g_hash_table_remove(flags->subscribed, key);
}

static void flag_provider_free(Provider *provider)
{
	FlagProvider *flags = flag_provider_cast(provider);

	if (flags->owners)
		flag_owners_free(flags->owners);
	g_hash_table_unref(flags->set);
	g_hash_table_unref(flags->subscribed);
	g_free(flags);
}

Provider *flag_provider_new(const ProviderSink *sink, SystemBus *bus)
{
	FlagProvider *flags = g_new0(FlagProvider, 1);

	flags->base = (Provider){ .subscribe = flag_subscribe,
				  .unsubscribe = flag_unsubscribe,
				  .free = flag_provider_free };
	flags->sink = *sink;
	flags->owners = bus ? flag_owners_new(bus, on_owner_changed, flags) : NULL;
	flags->set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, flag_free);
	flags->subscribed = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	return &flags->base;
}

FlagProvider *flag_provider_cast(Provider *provider)
{
	return (FlagProvider *)provider;
}

void flag_provider_on_cleared(FlagProvider *flags, void (*cleared)(void *data, const char *name),
			      void *data)
{
	flags->cleared = cleared;
	flags->cleared_data = data;
}

GPtrArray *flag_provider_list(const FlagProvider *flags)
{
	GPtrArray *names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, flags->set);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(names, name);
	g_ptr_array_sort(names, text_compare);
	return names;
}
