/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies: terms, orderings and wants as edges. Every alternative of a term is an edge,
 * because the service may depend on any of them.
 */
#include "config.h"

#include "svcctl/dependencies.h"

#include <string.h>

typedef struct DependencyCollector {
	const Configuration *configuration;
	const PolicyService *settings; /* the policy section of the current service, or NULL */
	GArray *found;
} DependencyCollector;

/*
 * Adds @edge with @name as the other service, or with each service that provides the $facility
 * @name.
 */
static void add_edges(DependencyCollector *c, const char *name, Dependency edge)
{
	const ServiceSet *set = c->configuration->set;
	const ServiceDef *def = service_set_find(set, name);
	const GPtrArray *providers = *name == '$' ? service_set_facility(set, name) : NULL;

	if (def && strcmp(def->name, edge.of) != 0) {
		edge.on = def->name;
		g_array_append_val(c->found, edge);
	}
	for (guint i = 0; providers && i < providers->len; i++) {
		edge.on = ((const ServiceDef *)g_ptr_array_index(providers, i))->name;
		if (strcmp(edge.on, edge.of) != 0)
			g_array_append_val(c->found, edge);
	}
}

static void add_literal(DependencyCollector *c, const Literal *literal, Dependency edge)
{
	if (key_prefix_is_internal(literal->prefix) && !literal->negated) {
		add_edges(c, key_argument(literal->key), edge);
		return;
	}
	edge.condition = literal->key;
	edge.is_negated = literal->negated;
	g_array_append_val(c->found, edge);
}

static void add_terms(DependencyCollector *c, const ServiceDef *def, const GPtrArray *terms,
		      const char *key)
{
	for (guint i = 0; terms && i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		const Dependency edge = {
			.of = def->name, .key = key, .text = term->text, .origin = term->origin
		};

		if (policy_service_ignores(c->settings, term))
			continue;
		for (unsigned k = 0; k < term_length(term); k++)
			add_literal(c, term_literal(term, k), edge);
	}
}

/*
 * @names also contains the Before= lines of other services, which the reader of the files has
 * reversed.
 */
static void add_names(DependencyCollector *c, const ServiceDef *def, const GPtrArray *names,
		      const char *key)
{
	for (guint i = 0; i < names->len; i++) {
		const NameRef *ref = g_ptr_array_index(names, i);
		const Dependency edge = { .of = def->name,
					  .key = ref->is_turned ? "Before" : key,
					  .text = ref->is_turned ? def->name : ref->name,
					  .origin = ref->origin };

		if (!policy_service_ignores_name(c->settings, ref->name))
			add_edges(c, ref->name, edge);
	}
}

GArray *dependencies_of(const Configuration *configuration)
{
	const GPtrArray *all = service_set_list(configuration->set);
	DependencyCollector c = { .configuration = configuration,
				  .found = g_array_new(FALSE, FALSE, sizeof(Dependency)) };

	for (guint i = 0; i < all->len; i++) {
		const ServiceDef *def = g_ptr_array_index(all, i);

		c.settings = policy_service(configuration->policy, def->name);
		add_terms(&c, def, def->while_terms, "While");
		add_terms(&c, def, c.settings ? c.settings->while_terms : NULL, "While");
		add_terms(&c, def, def->when, "When");
		add_terms(&c, def, c.settings ? c.settings->when : NULL, "When");
		add_names(&c, def, def->wants, "Wants");
		add_names(&c, def, def->after, "After");
	}
	return c.found;
}

GHashTable *dependencies_by(const GArray *dependencies, bool reverse)
{
	GHashTable *by = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
					       (GDestroyNotify)(void (*)(void))g_ptr_array_unref);

	for (guint i = 0; i < dependencies->len; i++) {
		Dependency *edge = &g_array_index(dependencies, Dependency, i);
		const char *name = reverse ? edge->on : edge->of;
		GPtrArray *list = name ? g_hash_table_lookup(by, name) : NULL;

		if (name && !list) {
			list = g_ptr_array_new();
			g_hash_table_insert(by, (gpointer)name, list);
		}
		if (list)
			g_ptr_array_add(list, edge);
	}
	return by;
}
