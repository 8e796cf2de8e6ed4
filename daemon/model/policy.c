/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy: the merged result, and its queries. policy-parse.c reads the files.
 */
#include "config.h"

#include "model/policy.h"

#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/name.h"
#include "model/policy-private.h"

static const char *const built_in_runlevels[] = { "0", "1", "2", "3", "4", "5", "6", "S" };
#define BUILT_IN_DEFAULT_RUNLEVEL "2"

static GHashTable *new_entries(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
}

static void runlevel_free(gpointer data)
{
	Runlevel *runlevel = data;

	g_free(runlevel->title);
	g_hash_table_unref(runlevel->include);
	g_hash_table_unref(runlevel->activate);
	g_free(runlevel);
}

static void service_entry_free(gpointer data)
{
	ServiceEntry *entry = data;

	list_free(entry->settings.when);
	list_free(entry->settings.while_terms);
	list_free(entry->settings.ignore);
	list_free(entry->settings.operators);
	g_free(entry->settings.reason);
	g_hash_table_unref(entry->runlevels);
	name_ref_free(entry->name_ref);
	g_free(entry);
}

Runlevel *policy_ensure_runlevel(Policy *policy, const char *name)
{
	Runlevel *runlevel = g_hash_table_lookup(policy->runlevels, name);

	if (runlevel || policy->runlevel_list->len >= LIMIT_RUNLEVELS)
		return runlevel;
	runlevel = g_new0(Runlevel, 1);
	runlevel->name = g_intern_string(name);
	runlevel->include = new_entries();
	runlevel->activate = new_entries();
	g_hash_table_insert(policy->runlevels, (gpointer)runlevel->name, runlevel);
	g_ptr_array_add(policy->runlevel_list, runlevel);
	return runlevel;
}

ServiceEntry *policy_ensure_service(Policy *policy, const char *name, Origin origin)
{
	ServiceEntry *entry = g_hash_table_lookup(policy->services, name);

	if (entry) {
		entry->has_links |= policy->layer == POLICY_LAYER_RC_LINKS;
		return entry;
	}
	entry = g_new0(ServiceEntry, 1);
	entry->has_links = policy->layer == POLICY_LAYER_RC_LINKS;
	entry->settings.when = list_new();
	entry->settings.while_terms = list_new();
	entry->settings.ignore = list_new();
	entry->settings.operators = list_new();
	entry->runlevels = new_entries();
	entry->name_ref = name_ref_new(name, origin);
	entry->order = policy->n_entries++;
	g_hash_table_insert(policy->services, (gpointer)entry->name_ref->name, entry);
	return entry;
}

void policy_set_entry(Policy *policy, GHashTable *entries, const char *text, Origin origin)
{
	const bool removes = *text == '-';
	PolicyEntry *entry = g_hash_table_lookup(entries, text + removes);

	if (!entry) {
		entry = g_new0(PolicyEntry, 1);
		entry->ref.name = g_intern_string(text + removes);
		entry->order = policy->n_entries++;
		g_hash_table_insert(entries, (gpointer)entry->ref.name, entry);
	}
	entry->ref.origin = origin;
	entry->removes = removes;
	entry->layer = policy->layer;
}

Policy *policy_new(void)
{
	Policy *policy = g_new0(Policy, 1);

	policy->runlevels = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, runlevel_free);
	policy->runlevel_list = g_ptr_array_new();
	policy->services = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, service_entry_free);
	policy->new_services = ACTIVATION_ON_DEMAND;
	policy->login_screen = list_new();
	for (size_t i = 0; i < G_N_ELEMENTS(built_in_runlevels); i++)
		(void)policy_ensure_runlevel(policy, built_in_runlevels[i]); /* cannot fail */
	return policy;
}

void policy_free(Policy *policy)
{
	if (!policy)
		return;
	g_hash_table_unref(policy->services);
	g_ptr_array_unref(policy->runlevel_list);
	g_hash_table_unref(policy->runlevels);
	g_free(policy->default_runlevel);
	list_free(policy->login_screen);
	g_free(policy->tasks_max);
	if (policy->statements)
		g_ptr_array_unref(policy->statements);
	g_free(policy);
}

const Runlevel *policy_lookup_runlevel(const Policy *policy, const char *name)
{
	const Runlevel *runlevel = g_hash_table_lookup(policy->runlevels, name);

	for (guint i = 0; !runlevel && i < policy->runlevel_list->len; i++) {
		const Runlevel *candidate = g_ptr_array_index(policy->runlevel_list, i);

		if (g_strcmp0(candidate->title, name) == 0)
			runlevel = candidate;
	}
	/* init(8) and the kernel command line also use this name. */
	return runlevel || strcmp(name, "single") != 0 ?
		       runlevel :
		       g_hash_table_lookup(policy->runlevels, "1");
}

const char *policy_find_runlevel(const Policy *policy, const char *name)
{
	const Runlevel *runlevel = policy_lookup_runlevel(policy, name);

	return runlevel ? runlevel->name : NULL;
}

const char *policy_runlevel_title(const Policy *policy, const char *name)
{
	const Runlevel *runlevel = policy_lookup_runlevel(policy, name);

	return runlevel && runlevel->title ? runlevel->title : name;
}

const char *policy_default_runlevel(const Policy *policy, Origin *ret_origin)
{
	const char *name = policy->default_runlevel ?
				   policy_find_runlevel(policy, policy->default_runlevel) :
				   NULL;

	if (ret_origin)
		*ret_origin = name ? policy->default_runlevel_origin : (Origin){ 0 };
	return name ? name : BUILT_IN_DEFAULT_RUNLEVEL;
}

const GPtrArray *policy_login_screen(const Policy *policy)
{
	return policy->login_screen;
}

void policy_count_rc_links(Policy *policy, bool counts)
{
	policy->counts_rc_links = counts;
}

bool policy_rc_links(const Policy *policy, Origin *ret_origin)
{
	if (ret_origin)
		*ret_origin = policy->rc_links_origin;
	return policy->rc_links;
}

const char *policy_tasks_max(const Policy *policy)
{
	return policy->tasks_max ? policy->tasks_max : POLICY_TASKS_MAX;
}

Activation policy_new_services(const Policy *policy, Origin *ret_origin)
{
	if (ret_origin)
		*ret_origin = policy->new_services_origin;
	return policy->new_services;
}

GPtrArray *policy_runlevels(const Policy *policy)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < policy->runlevel_list->len; i++)
		g_ptr_array_add(
			names,
			(gpointer)((Runlevel *)g_ptr_array_index(policy->runlevel_list, i))->name);
	g_ptr_array_sort(names, text_compare);
	return names;
}

const ServiceEntry *policy_lookup_service(const Policy *policy, const char *service)
{
	const ServiceEntry *entry = g_hash_table_lookup(policy->services, service);
	g_autofree char *template = NULL;

	if (!entry && name_split_instance(service, &template, NULL))
		entry = g_hash_table_lookup(policy->services, template);
	return entry;
}

const PolicyService *policy_service(const Policy *policy, const char *service)
{
	const ServiceEntry *entry = policy_lookup_service(policy, service);

	return entry ? &entry->settings : NULL;
}

/* A condition can be written in several ways: the tokens of udev: have no fixed order. */
static const char *canonical_token(const char *token)
{
	KeyPrefix prefix;
	const char *canonical = token;
	g_autofree char *problem = NULL;

	if (strchr(token, ':'))
		(void)key_parse(token, &prefix, &canonical, &problem); /* checked when read */
	return canonical;
}

static bool term_names(const Term *term, const char *what)
{
	for (unsigned i = 0; i < term_length(term); i++) {
		const char *key = term_literal(term, i)->key;

		if (strcmp(key, what) == 0 || strcmp(key_argument(key), what) == 0)
			return true;
	}
	return strcmp(term->text, what) == 0;
}

const NameRef *policy_service_ignores(const PolicyService *settings, const Term *term)
{
	for (guint i = 0; settings && i < settings->ignore->len; i++) {
		const NameRef *ref = g_ptr_array_index(settings->ignore, i);

		if (term_names(term, canonical_token(ref->name)))
			return ref;
	}
	return NULL;
}

const NameRef *policy_service_ignores_name(const PolicyService *settings, const char *name)
{
	for (guint i = 0; settings && i < settings->ignore->len; i++) {
		const NameRef *ref = g_ptr_array_index(settings->ignore, i);

		if (strcmp(ref->name, name) == 0)
			return ref;
	}
	return NULL;
}

const PolicyEntry *policy_own_entry(const ServiceEntry *entry, const char *service,
				    const Runlevel *runlevel)
{
	const PolicyEntry *found = entry ? g_hash_table_lookup(entry->runlevels, runlevel->name) :
					   NULL;
	const PolicyEntry *activate = g_hash_table_lookup(runlevel->activate, service);

	if (!found && entry && runlevel->title)
		found = g_hash_table_lookup(entry->runlevels, runlevel->title);
	if (activate && entry && entry->has_links && activate->layer < POLICY_LAYER_RC_LINKS)
		activate = NULL;
	if (found && found->layer == POLICY_LAYER_RC_LINKS && activate &&
	    activate->layer > POLICY_LAYER_RC_LINKS)
		return activate;
	return found ? found : activate;
}

/* Recursion is at most LIMIT_RUNLEVELS deep, because each runlevel is added once. */
static void add_included(const Policy *policy, const Runlevel *runlevel, GHashTable *included)
{
	GHashTableIter iter;
	gpointer value;

	if (!runlevel || !g_hash_table_add(included, (gpointer)runlevel))
		return;
	g_hash_table_iter_init(&iter, runlevel->include);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const PolicyEntry *include = value;

		if (!include->removes)
			add_included(policy, policy_lookup_runlevel(policy, include->ref.name),
				     included);
	}
}

static bool includes_s(const Runlevel *runlevel)
{
	return strcmp(runlevel->name, "0") != 0 && strcmp(runlevel->name, "6") != 0;
}

GHashTable *policy_runlevels_below(const Policy *policy, const Runlevel *wanted)
{
	GHashTable *included = g_hash_table_new(NULL, NULL);

	add_included(policy, wanted, included);
	if (wanted && includes_s(wanted))
		add_included(policy, policy_lookup_runlevel(policy, "S"), included);
	return included;
}

typedef struct PolicySearch {
	const Policy *policy;
	const ServiceEntry *entry;
	const char *service;
	GHashTable *seen; /* Runlevel *: visited, because includes may overlap */
} PolicySearch;

/*
 * In runlevels 1 to 5, a link applies only to its own runlevel. If /etc/rc3.d has no link, runlevel
 * 3 does not get the service by including 2, unless a later layer names the service.
 */
static bool is_included(const PolicySearch *search, const Runlevel *runlevel,
			const PolicyEntry *entry)
{
	if (!search->entry || !search->entry->has_links || entry->layer > POLICY_LAYER_RC_LINKS)
		return true;
	return runlevel->name[0] < '1' || runlevel->name[0] > '5' || runlevel->name[1];
}

/*
 * The entry by which @runlevel activates the service: its own, or that of a runlevel it includes.
 * Recursion is at most LIMIT_RUNLEVELS deep, because each runlevel is visited once.
 */
static const PolicyEntry *activating_entry(PolicySearch *search, const Runlevel *runlevel)
{
	const PolicyEntry *entry = policy_own_entry(search->entry, search->service, runlevel);
	GHashTableIter iter;
	gpointer value;
	const PolicyEntry *best = NULL;

	if (entry)
		return entry->removes ? NULL : entry;
	if (!g_hash_table_add(search->seen, (gpointer)runlevel))
		return NULL;
	g_hash_table_iter_init(&iter, runlevel->include);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const PolicyEntry *include = value;
		const Runlevel *other = policy_lookup_runlevel(search->policy, include->ref.name);

		if (!other || include->removes)
			continue;
		entry = activating_entry(search, other);
		/* the earliest entry applies, because the order of a hash table is arbitrary */
		if (entry && is_included(search, runlevel, entry) &&
		    (!best || entry->order < best->order))
			best = entry;
	}
	return best;
}

static const PolicyEntry *entry_in_runlevel(const Policy *policy, const ServiceEntry *entry,
					    const char *service, const char *runlevel)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	PolicySearch search = {
		.policy = policy, .entry = entry, .service = service, .seen = seen
	};
	const Runlevel *wanted = policy_lookup_runlevel(policy, runlevel);
	const PolicyEntry *own = wanted ? policy_own_entry(entry, service, wanted) : NULL;
	const PolicyEntry *found = wanted ? activating_entry(&search, wanted) : NULL;

	/*
	 * S is part of every runlevel in which the machine is up. "-x" in the runlevel itself
	 * removes x.
	 */
	if (!found && wanted && !(own && own->removes) && includes_s(wanted))
		found = activating_entry(&search, policy_lookup_runlevel(policy, "S"));
	return found;
}

/*
 * NewServices=boot wants unnamed services in 2 to 5, where Debian packages expect to run, and in
 * runlevels that include one of these. A special-purpose runlevel gets only the services it names.
 * "-x" removes x here too.
 */
static bool wants_new(PolicySearch *search, const Runlevel *runlevel)
{
	static const char *const names[] = { "2", "3", "4", "5", NULL };
	const PolicyEntry *own =
		runlevel ? policy_own_entry(search->entry, search->service, runlevel) : NULL;
	GHashTableIter iter;
	gpointer value;

	if (!runlevel || (own && own->removes) ||
	    !g_hash_table_add(search->seen, (gpointer)runlevel))
		return false;
	if (g_strv_contains(names, runlevel->name))
		return true;
	g_hash_table_iter_init(&iter, runlevel->include);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const PolicyEntry *include = value;

		if (!include->removes &&
		    wants_new(search, policy_lookup_runlevel(search->policy, include->ref.name)))
			return true;
	}
	return false;
}

/*
 * For a service without any entry. The layer is the lowest, because NewServices=boot is not about
 * this service in particular.
 */
static void decide_new(const Policy *policy, const ServiceEntry *entry, const char *service,
		       const char *runlevel, PolicyDecision *ret)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	PolicySearch search = {
		.policy = policy, .entry = entry, .service = service, .seen = seen
	};

	ret->is_default = true;
	ret->activation = policy->new_services;
	ret->activation_origin = policy->new_services_origin;
	if (ret->activation == ACTIVATION_BOOT &&
	    wants_new(&search, policy_lookup_runlevel(policy, runlevel))) {
		ret->in_runlevel = true;
		ret->runlevel_origin = policy->new_services_origin;
		ret->runlevel_layer = POLICY_LAYER_BUILTIN;
	}
}

/* The first entry that activates the service in any runlevel. */
static const PolicyEntry *entry_anywhere(const Policy *policy, const ServiceEntry *entry,
					 const char *service)
{
	const PolicyEntry *best = NULL;

	for (guint i = 0; i < policy->runlevel_list->len; i++) {
		const PolicyEntry *found = policy_own_entry(
			entry, service, g_ptr_array_index(policy->runlevel_list, i));

		if (found && !found->removes && (!best || found->order < best->order))
			best = found;
	}
	return best;
}

bool policy_section_decides(const Policy *policy, const ServiceEntry *entry, const char *service)
{
	if (!entry || !entry->has_activation)
		return false;
	if (entry->activation_layer != POLICY_LAYER_RC_LINKS)
		return true;
	for (guint i = 0; i < policy->runlevel_list->len; i++) {
		const PolicyEntry *found = policy_own_entry(
			entry, service, g_ptr_array_index(policy->runlevel_list, i));

		if (found && !found->removes && found->layer > POLICY_LAYER_RC_LINKS)
			return false;
	}
	return true;
}

void policy_decide(const Policy *policy, const char *service, const char *runlevel,
		   PolicyDecision *ret)
{
	const ServiceEntry *entry = policy_lookup_service(policy, service);
	const PolicyEntry *here = entry_in_runlevel(policy, entry, service, runlevel);
	const PolicyEntry *anywhere = here ? here : entry_anywhere(policy, entry, service);

	*ret = (PolicyDecision){ .order = G_MAXUINT };
	if (entry)
		ret->order = entry->order;
	if (anywhere)
		ret->order = MIN(ret->order, anywhere->order);
	if (here) {
		ret->in_runlevel = true;
		ret->runlevel_origin = here->ref.origin;
		ret->runlevel_layer = here->layer;
	}
	if (policy_section_decides(policy, entry, service)) {
		ret->activation = entry->activation;
		ret->activation_origin = entry->activation_origin;
	} else if (anywhere) {
		ret->activation = ACTIVATION_BOOT;
		ret->activation_origin = anywhere->ref.origin;
	} else {
		decide_new(policy, entry, service, runlevel, ret);
	}
}

static int compare_tokens(gconstpointer a, gconstpointer b)
{
	const NameRef *left = *(const NameRef *const *)a;
	const NameRef *right = *(const NameRef *const *)b;
	const int order = strcmp(left->name, right->name);

	if (order)
		return order;
	if (left->origin.file != right->origin.file)
		return g_strcmp0(left->origin.file, right->origin.file);
	return (left->origin.line > right->origin.line) - (left->origin.line < right->origin.line);
}

GPtrArray *policy_named_refs(const Policy *policy)
{
	GPtrArray *refs = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	for (guint i = 0; i < policy->runlevel_list->len; i++) {
		const Runlevel *runlevel = g_ptr_array_index(policy->runlevel_list, i);

		g_hash_table_iter_init(&iter, runlevel->activate);
		while (g_hash_table_iter_next(&iter, NULL, &value))
			g_ptr_array_add(refs, &((PolicyEntry *)value)->ref);
	}
	g_hash_table_iter_init(&iter, policy->services);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(refs, ((ServiceEntry *)value)->name_ref);
	g_ptr_array_sort(refs, compare_tokens);
	return refs;
}

GPtrArray *policy_named_services(const Policy *policy)
{
	g_autoptr(GPtrArray) refs = policy_named_refs(policy);
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < refs->len; i++) {
		const char *name = ((NameRef *)g_ptr_array_index(refs, i))->name;

		if (names->len == 0 || strcmp(g_ptr_array_index(names, names->len - 1), name) != 0)
			g_ptr_array_add(names, (gpointer)name);
	}
	return names;
}

static void warn_of_unknown(const Policy *policy, GHashTable *entries, const char *key,
			    DiagList *diags)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, entries);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const PolicyEntry *found = value;

		if (!policy_lookup_runlevel(policy, found->ref.name))
			diag_warning(diags, found->ref.origin, NULL,
				     "%s=%s: there is no such runlevel", key, found->ref.name);
	}
}

void policy_check(const Policy *policy, DiagList *diags)
{
	GHashTableIter iter;
	gpointer value;

	for (guint i = 0; i < policy->runlevel_list->len; i++) {
		const Runlevel *runlevel = g_ptr_array_index(policy->runlevel_list, i);

		warn_of_unknown(policy, runlevel->include, "Include", diags);
	}
	g_hash_table_iter_init(&iter, policy->services);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		warn_of_unknown(policy, ((ServiceEntry *)value)->runlevels, "Runlevels", diags);
	if (policy->default_runlevel && !policy_lookup_runlevel(policy, policy->default_runlevel))
		diag_warning(diags, policy->default_runlevel_origin, NULL,
			     "Runlevel=%s: there is no such runlevel; %s is used instead",
			     policy->default_runlevel, BUILT_IN_DEFAULT_RUNLEVEL);
}
