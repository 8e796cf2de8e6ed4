/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check: names that do not exist, and conversion of Before= and StopBefore=. Cycles are in
 * check-cycles.c.
 */
#include "config.h"

#include "model/check.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "model/check-private.h"
#include "model/value.h"

/*
 * A search for near names costs time in proportion to the set. More unknown names than this are not
 * typing mistakes.
 */
enum { SUGGESTIONS = 100 };

typedef struct Checker {
	ServiceSet *set;
	const Policy *policy;
	DiagList *diags;
	const char **names; /* all services, NULL-terminated, for suggestions */
	unsigned n_suggested;
} Checker;

void check_fail(ServiceDef *def, DiagList *diags, Origin origin, const char *text)
{
	diag_error(diags, origin, def->name, "%s", text);
	if (!def->problem) {
		g_autofree char *where = origin_format(origin);

		def->problem = g_strdup_printf("%s: %s", where, text);
	}
}

/* The service with the nearest name, or NULL. */
static const char *suggest(Checker *c, const char *name)
{
	return c->n_suggested++ < SUGGESTIONS ? token_nearest(name, c->names) : NULL;
}

/* "there is no service "x"", with the nearest name; a new string. */
static char *explain_missing(Checker *c, const char *name)
{
	const char *nearest = suggest(c, name);

	if (nearest)
		return g_strdup_printf("there is no service \"%s\"; did you mean \"%s\"?", name,
				       nearest);
	return g_strdup_printf("there is no service \"%s\"", name);
}

static char *explain_unasked(const ServiceDef *def)
{
	if (def->health || def->problem)
		return NULL;
	return g_strdup_printf(
		"%s has no HealthCommand=, so its health is unknown; service:%s is true while it "
		"is ready",
		def->name, def->name);
}

/* Why no service can ever make @literal true; a new string. NULL if a service can. */
static char *explain_impossible(Checker *c, const Literal *literal)
{
	const char *name = key_argument(literal->key);

	if (literal->negated || !key_prefix_is_internal(literal->prefix))
		return NULL;
	if (literal->prefix == KEY_HEALTHY && service_set_find(c->set, name))
		return explain_unasked(service_set_find(c->set, name));
	if (*name != '$')
		return service_set_find(c->set, name) ? NULL : explain_missing(c, name);
	/* settled:$x is also true if $x has no provider. */
	if (literal->prefix != KEY_FACILITY || service_set_facility(c->set, name))
		return NULL;
	return g_strdup_printf("no service provides %s", name);
}

/* A term is impossible if all its alternatives are impossible. */
static char *explain_impossible_term(Checker *c, const Term *term)
{
	g_autofree char *first = NULL;

	for (unsigned i = 0; i < term_length(term); i++) {
		char *problem = explain_impossible(c, term_literal(term, i));

		if (!problem)
			return NULL;
		if (first)
			g_free(problem);
		else
			first = problem;
	}
	return g_steal_pointer(&first);
}

static void check_terms(Checker *c, ServiceDef *def, const char *key, const GPtrArray *terms)
{
	const PolicyService *policy = policy_service(c->policy, def->name);

	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		g_autofree char *problem = policy_service_ignores(policy, term) ?
						   NULL :
						   explain_impossible_term(c, term);

		if (problem) {
			g_autofree char *text = value_complaint(key, term->text, problem);

			check_fail(def, c->diags, term->origin, text);
		}
	}
}

static void drop_unknown(Checker *c, ServiceDef *def, const char *key, GPtrArray *refs, bool warn)
{
	for (guint i = 0; i < refs->len;) {
		const NameRef *ref = g_ptr_array_index(refs, i);
		const ServiceDef *other = service_set_find(c->set, ref->name);

		if (other && other != def) {
			i++;
			continue;
		}
		if (other) {
			diag_warning(c->diags, ref->origin, def->name,
				     "%s=%s: that is the service itself", key, ref->name);
		} else if (warn) {
			g_autofree char *problem = explain_missing(c, ref->name);

			diag_warning(c->diags, ref->origin, def->name, "%s=%s: %s", key, ref->name,
				     problem);
		}
		g_ptr_array_remove_index(refs, i);
	}
}

static GPtrArray **after_of(ServiceDef *def)
{
	return &def->after;
}

static GPtrArray **stop_after_of(ServiceDef *def)
{
	return &def->stop_after;
}

/* Adds the reversed reference, marked as written in the file of @def. */
static void add_turned(GPtrArray **list, const ServiceDef *def, const NameRef *ref)
{
	NameRef *turned = name_ref_new(def->name, ref->origin);

	turned->is_turned = true;
	list_add(list, turned, (GDestroyNotify)name_ref_free);
}

/* Before=x in @def becomes After=@def in x, or in all providers of x. Then the list is emptied. */
static void turn_round(Checker *c, ServiceDef *def, GPtrArray *refs,
		       GPtrArray **(*list_of)(ServiceDef *def))
{
	for (guint i = 0; i < refs->len; i++) {
		const NameRef *ref = g_ptr_array_index(refs, i);
		ServiceDef *other = service_set_find(c->set, ref->name);
		const GPtrArray *providers =
			*ref->name == '$' ? service_set_facility(c->set, ref->name) : NULL;

		if (other)
			add_turned(list_of(other), def, ref);
		for (guint j = 0; providers && j < providers->len; j++) {
			other = g_ptr_array_index(providers, j);
			if (other != def)
				add_turned(list_of(other), def, ref);
		}
	}
	list_empty(refs);
}

static void warn_of_shared_names(Checker *c, const ServiceDef *def)
{
	for (guint i = 0; i < def->provides->len; i++) {
		const NameRef *ref = g_ptr_array_index(def->provides, i);
		const ServiceDef *owner = *ref->name == '$' ? def :
							      service_set_find(c->set, ref->name);

		if (owner != def)
			diag_warning(c->diags, ref->origin, def->name,
				     "Provides=%s: service \"%s\" has this name already", ref->name,
				     owner->name);
	}
}

/* Does @ref, one entry of Ignore=, drop a term or an order of @def? */
static bool drops_something(const ServiceDef *def, const NameRef *ref)
{
	const GPtrArray *const terms[] = { def->when, def->while_terms };
	const GPtrArray *const names[] = { def->after, def->wants };
	gpointer pointer = (gpointer)ref;
	GPtrArray one = { .pdata = &pointer, .len = 1 };
	const PolicyService alone = { .ignore = &one };

	for (size_t i = 0; i < G_N_ELEMENTS(terms); i++) {
		for (guint j = 0; j < terms[i]->len; j++) {
			if (policy_service_ignores(&alone, g_ptr_array_index(terms[i], j)))
				return true;
		}
	}
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		for (guint j = 0; j < names[i]->len; j++) {
			if (policy_service_ignores_name(
				    &alone, ((NameRef *)g_ptr_array_index(names[i], j))->name))
				return true;
		}
	}
	return false;
}

/* An entry of Ignore= without effect is a typing mistake, or its term was removed by an upgrade. */
static void warn_of_idle_ignores(Checker *c, const ServiceDef *def)
{
	const PolicyService *policy = policy_service(c->policy, def->name);

	for (guint i = 0; policy && !def->problem && i < policy->ignore->len; i++) {
		const NameRef *ref = g_ptr_array_index(policy->ignore, i);

		if (!drops_something(def, ref))
			diag_warning(c->diags, ref->origin, def->name,
				     "Ignore=%s: %s has no such term", ref->name, def->name);
	}
}

static void check_policy_terms(Checker *c, ServiceDef *def)
{
	const PolicyService *policy = policy_service(c->policy, def->name);

	if (!policy)
		return;
	check_terms(c, def, "When", policy->when);
	check_terms(c, def, "While", policy->while_terms);
}

/*
 * Policy names services by their files, because an alias may belong to two services. Policy
 * outlives these services, because packages come and go. So only names that look like typing
 * mistakes are reported.
 */
static void warn_of_name_in_policy(Checker *c, const NameRef *ref)
{
	const ServiceDef *def = service_set_find(c->set, ref->name);
	const char *nearest = def ? NULL : suggest(c, ref->name);

	if (nearest)
		diag_warning(c->diags, ref->origin, NULL,
			     "there is no service \"%s\"; did you mean \"%s\"?", ref->name,
			     nearest);
	else if (!def && ref->origin.line == 0) /* from the kernel command line */
		diag_warning(c->diags, ref->origin, NULL, "there is no service \"%s\"", ref->name);
	if (!def)
		return;
	if (strcmp(def->name, ref->name) != 0)
		diag_warning(c->diags, ref->origin, def->name,
			     "\"%s\" is another name of \"%s\"; policy uses the names of service "
			     "files, so this has no "
			     "effect; write \"%s\"",
			     ref->name, def->name, def->name);
}

/* Sections of templates ("[service getty@]") are about instances, which need not exist. */
static void warn_of_unknown_in_policy(Checker *c)
{
	g_autoptr(GPtrArray) refs = policy_named_refs(c->policy);

	for (guint i = 0; i < refs->len; i++) {
		const NameRef *ref = g_ptr_array_index(refs, i);

		if (!g_str_has_suffix(ref->name, "@"))
			warn_of_name_in_policy(c, ref);
	}
}

void check_set(ServiceSet *set, const Policy *policy, DiagList *diags)
{
	const GPtrArray *list = service_set_list(set);
	g_autofree const char **names = service_set_names(set);
	Checker c = { .set = set, .policy = policy, .diags = diags, .names = names };

	for (guint i = 0; i < list->len; i++) {
		ServiceDef *def = g_ptr_array_index(list, i);

		turn_round(&c, def, def->before, after_of);
		turn_round(&c, def, def->stop_before, stop_after_of);
		drop_unknown(&c, def, "Wants", def->wants, true);
		drop_unknown(&c, def, "Conflicts", def->conflicts, false);
		warn_of_shared_names(&c, def);
		check_terms(&c, def, "When", def->when);
		check_terms(&c, def, "While", def->while_terms);
		check_terms(&c, def, "DoneWhile", def->done_while);
		check_terms(&c, def, "ShownWhen", def->shown_when);
		check_policy_terms(&c, def);
	}
	/* Now all Before= are converted. */
	for (guint i = 0; i < list->len; i++)
		warn_of_idle_ignores(&c, g_ptr_array_index(list, i));
	check_cycles(set, diags);
	check_conflicts(set, policy, diags);
	warn_of_unknown_in_policy(&c);
	policy_check(policy, diags);
}
