/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watches: the users of conditions besides the engine. These are services with a condition as their
 * readiness, and clients of the bus. The registry counts all of them, so one that ends does not
 * affect the others.
 */
#include "config.h"

#include <string.h>

#include "manager/manager.h"

typedef struct ConditionWatch {
	GPtrArray *services; /* names, owned; each once */
	unsigned n_clients; /* bus_condition_changed() is called while there are any */
} ConditionWatch;

static GHashTable *watches; /* interned key -> Watch, owned */

static void watch_free(gpointer data)
{
	ConditionWatch *watch = data;

	g_ptr_array_unref(watch->services);
	g_free(watch);
}

void watches_init(void)
{
	watches = g_hash_table_new_full(NULL, NULL, NULL, watch_free);
}

static ConditionWatch *watch_get(const char *key)
{
	ConditionWatch *watch = g_hash_table_lookup(watches, key);

	if (watch)
		return watch;
	watch = g_new0(ConditionWatch, 1);
	watch->services = g_ptr_array_new_with_free_func(g_free);
	g_hash_table_insert(watches, (gpointer)key, watch);
	return watch;
}

static void watch_end(Manager *m, KeyPrefix prefix, const char *key)
{
	const ConditionWatch *watch = g_hash_table_lookup(watches, key);

	if (watch->services->len == 0 && watch->n_clients == 0)
		g_hash_table_remove(watches, key);
	registry_unsubscribe(m->registry, prefix, key);
}

void watches_add_service(Manager *m, const char *service, KeyPrefix prefix, const char *key)
{
	g_ptr_array_add(watch_get(key)->services, g_strdup(service));
	registry_subscribe(m->registry, prefix, key);
}

void watches_remove_service(Manager *m, const char *service, KeyPrefix prefix, const char *key)
{
	ConditionWatch *watch = g_hash_table_lookup(watches, key);
	guint at;

	if (!watch || !g_ptr_array_find_with_equal_func(watch->services, service, g_str_equal, &at))
		return;
	g_ptr_array_remove_index_fast(watch->services, at);
	watch_end(m, prefix, key);
}

void watches_add_client(Manager *m, KeyPrefix prefix, const char *key)
{
	watch_get(key)->n_clients++;
	registry_subscribe(m->registry, prefix, key);
}

void watches_remove_client(Manager *m, KeyPrefix prefix, const char *key)
{
	ConditionWatch *watch = g_hash_table_lookup(watches, key);

	if (!watch || watch->n_clients == 0)
		return;
	watch->n_clients--;
	watch_end(m, prefix, key);
}

static void look_at_terms(Manager *m, const GPtrArray *terms)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		for (unsigned j = 0; j < term_length(term); j++) {
			const Literal *literal = term_literal(term, j);

			if (literal->prefix != KEY_PATH || !key_is_silent(literal->key))
				continue;
			/* this makes the provider look again */
			registry_subscribe(m->registry, KEY_PATH, literal->key);
			registry_unsubscribe(m->registry, KEY_PATH, literal->key);
		}
	}
}

static void look_again(Manager *m, const Service *s)
{
	look_at_terms(m, s->def->when);
	look_at_terms(m, s->def->while_terms);
}

void watches_look_again(Manager *m, const Service *s)
{
	if (s->state != STATE_IDLE && s->state != STATE_WAITING && s->state != STATE_BACKOFF &&
	    s->state != STATE_FAILED)
		return;
	look_again(m, s);
}

void watches_look_at_all(Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);

	for (guint i = 0; i < services->len; i++)
		look_again(m, g_ptr_array_index(services, i));
}

/* A service that becomes ready ends its watch, so the names are copied first. */
void watches_on_level(Manager *m, const char *key, Level level, const char *why)
{
	const ConditionWatch *watch = g_hash_table_lookup(watches, key);
	g_autoptr(GPtrArray) services = NULL;

	if (!watch)
		return;
	if (watch->n_clients > 0 && m->bus)
		bus_condition_changed(m->bus, key, level, why);
	services = g_ptr_array_copy(watch->services, (GCopyFunc)(void (*)(void))g_strdup, NULL);
	g_ptr_array_set_free_func(services, g_free);
	for (guint i = 0; i < services->len; i++) {
		Supervisor *supervisor = manager_supervisor(g_ptr_array_index(services, i));

		if (supervisor)
			supervisor_on_level(supervisor, key, level, why);
	}
}
