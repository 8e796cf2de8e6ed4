/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy statements: the contents of each file in the order of reading, which show the decision and
 * the entries it overrides. policy.c makes the decision. This file finds the origin of that
 * decision again, by file and line.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/name.h"
#include "model/policy-private.h"

void policy_record_statements(Policy *policy)
{
	if (!policy->statements)
		policy->statements = g_ptr_array_new_with_free_func(g_free);
}

static void keep(Policy *policy, const PolicyStatement *like, const char *value)
{
	PolicyStatement *statement = g_memdup2(like, sizeof(*like));

	statement->value = g_intern_string(value);
	g_ptr_array_add(policy->statements, statement);
}

void policy_record(Policy *policy, const char *section, const char *argument, const char *key,
		   const char *value, bool is_list, Origin origin)
{
	const PolicyStatement like = {
		.layer = policy->layer,
		.origin = origin,
		.section = g_intern_string(section),
		.argument = g_intern_string(argument),
		.key = g_intern_string(key),
		.counts = policy->layer != POLICY_LAYER_RC_LINKS || policy->counts_rc_links,
	};
	g_auto(GStrv) tokens = NULL;

	if (!policy->statements)
		return;
	tokens = is_list && *value ? text_split_tokens(value, NULL) : NULL;
	if (!tokens)
		keep(policy, &like, value);
	for (char **entry = tokens; entry && *entry; entry++)
		keep(policy, &like, *entry);
}

/* --- statements about a service --- */

static bool is_key(const PolicyStatement *statement, const char *section, const char *key)
{
	return strcmp(statement->section, section) == 0 && strcmp(statement->key, key) == 0;
}

/* As is_key(), but only for statements that can be in force. */
static bool is_statement_of(const PolicyStatement *statement, const char *section, const char *key)
{
	return statement->counts && is_key(statement, section, key);
}

static bool removes(const PolicyStatement *statement)
{
	return *statement->value == '-';
}

/* The name in "x" and "-x". */
static const char *entry_name(const PolicyStatement *statement)
{
	return statement->value + removes(statement);
}

static bool is_same_origin(Origin a, Origin b)
{
	return a.line == b.line && g_strcmp0(a.file, b.file) == 0;
}

typedef struct StatementQuery {
	const Policy *policy;
	const char *service;
	const ServiceEntry *entry; /* the section of the service, or NULL */
	GHashTable *included; /* of policy_runlevels_below() */
	PolicyDecision decision;
	GPtrArray *answer; /* PolicyStatement * */
} StatementQuery;

static bool was_stated_before(const StatementQuery *q, const PolicyStatement *statement)
{
	for (guint i = 0; i < q->answer->len; i++) {
		const PolicyStatement *other = g_ptr_array_index(q->answer, i);

		if (other->section == statement->section &&
		    other->argument == statement->argument && other->key == statement->key)
			return true;
	}
	return false;
}

/* An empty Activate= is about the service only if there was an entry to clear. */
static bool is_activating(const StatementQuery *q, const PolicyStatement *statement)
{
	const Runlevel *runlevel = policy_lookup_runlevel(q->policy, statement->argument);

	if (!*statement->value)
		return was_stated_before(q, statement);
	return strcmp(entry_name(statement), q->service) == 0 &&
	       (g_hash_table_contains(q->included, runlevel) ||
		is_same_origin(statement->origin, q->decision.activation_origin));
}

/* policy_lookup_service() ignores sections that do not count, so their names are compared here. */
static bool is_section_of(const StatementQuery *q, const PolicyStatement *statement)
{
	g_autofree char *template = NULL;

	if (statement->counts)
		return q->entry && strcmp(statement->argument, q->entry->name_ref->name) == 0;
	(void)name_split_instance(q->service, &template, NULL); /* NULL: not an instance */
	return strcmp(statement->argument, q->service) == 0 ||
	       g_strcmp0(statement->argument, template) == 0;
}

static bool is_about(const StatementQuery *q, const PolicyStatement *statement)
{
	if (strcmp(statement->section, "service") == 0)
		return is_section_of(q, statement);
	if (is_key(statement, "runlevel", "Activate"))
		return is_activating(q, statement);
	return is_key(statement, "defaults", "NewServices");
}

static void collect(StatementQuery *q)
{
	for (guint i = 0; q->policy->statements && i < q->policy->statements->len; i++) {
		const PolicyStatement *statement = g_ptr_array_index(q->policy->statements, i);
		const bool wanted = q->service ? is_about(q, statement) :
						 strcmp(statement->section, "defaults") == 0;

		if (wanted)
			g_ptr_array_add(q->answer, g_memdup2(statement, sizeof(*statement)));
	}
}

/* --- statements in force --- */

/* Marks the last statement of a plain key, unless it cleared the key. */
static void mark_last(GPtrArray *answer, const char *section, const char *key)
{
	for (guint i = answer->len; i > 0; i--) {
		PolicyStatement *statement = g_ptr_array_index(answer, i - 1);

		if (is_statement_of(statement, section, key)) {
			statement->decides = *statement->value;
			return;
		}
	}
}

/* Marks the entries of a list that follow its last clearing. */
static void mark_since_reset(GPtrArray *answer, const char *key)
{
	for (guint i = answer->len; i > 0; i--) {
		PolicyStatement *statement = g_ptr_array_index(answer, i - 1);

		if (!is_statement_of(statement, "service", key))
			continue;
		if (!*statement->value)
			return;
		statement->decides = true;
	}
}

/* Is @statement the Activate= or Runlevels= entry of @runlevel for the service? */
static bool is_entry_of(const StatementQuery *q, const PolicyStatement *statement,
			const PolicyEntry *entry, const Runlevel *runlevel)
{
	const char *name;

	if (!*statement->value || !is_same_origin(statement->origin, entry->ref.origin) ||
	    removes(statement) != entry->removes)
		return false;
	if (is_statement_of(statement, "runlevel", "Activate"))
		return strcmp(entry_name(statement), q->service) == 0;
	name = entry_name(statement);
	return is_statement_of(statement, "service", "Runlevels") &&
	       (strcmp(name, runlevel->name) == 0 || g_strcmp0(name, runlevel->title) == 0);
}

/* Marks the entry of @runlevel that made the decision: it includes the service, or removes it. */
static void mark_entry(const StatementQuery *q, const Runlevel *runlevel)
{
	const PolicyEntry *entry = policy_own_entry(q->entry, q->service, runlevel);
	const PolicyDecision *d = &q->decision;

	if (!entry || entry->removes == d->in_runlevel)
		return;
	if (!entry->removes && !is_same_origin(entry->ref.origin, d->runlevel_origin))
		return;
	for (guint i = q->answer->len; i > 0; i--) {
		PolicyStatement *statement = g_ptr_array_index(q->answer, i - 1);

		if (is_entry_of(q, statement, entry, runlevel)) {
			statement->decides = true;
			return;
		}
	}
}

/* If only another runlevel activates the service, marks the entry there. */
static void mark_inherited(const StatementQuery *q)
{
	const bool is_inherited = !q->decision.in_runlevel && !q->decision.is_default &&
				  !policy_section_decides(q->policy, q->entry, q->service);

	for (guint i = 0; is_inherited && i < q->answer->len; i++) {
		PolicyStatement *statement = g_ptr_array_index(q->answer, i);

		statement->decides |=
			*statement->value && !removes(statement) &&
			is_same_origin(statement->origin, q->decision.activation_origin) &&
			(is_statement_of(statement, "runlevel", "Activate") ||
			 is_statement_of(statement, "service", "Runlevels"));
	}
}

static void mark_service(const StatementQuery *q)
{
	static const char *const plain[] = { "OnLapse", "Class", "Operators", "Reason" };
	static const char *const lists[] = { "When", "While", "Ignore" };
	GHashTableIter iter;
	gpointer key;

	for (size_t i = 0; i < G_N_ELEMENTS(plain); i++)
		mark_last(q->answer, "service", plain[i]);
	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
		mark_since_reset(q->answer, lists[i]);
	if (policy_section_decides(q->policy, q->entry, q->service))
		mark_last(q->answer, "service", "Activation");
	if (q->decision.is_default)
		mark_last(q->answer, "defaults", "NewServices");
	if (q->decision.activation != ACTIVATION_BOOT)
		return; /* then no runlevel decides */
	g_hash_table_iter_init(&iter, q->included);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		mark_entry(q, key);
	mark_inherited(q);
}

static void mark_defaults(const StatementQuery *q)
{
	mark_last(q->answer, "defaults", "NewServices");
	mark_last(q->answer, "defaults", "RcLinks");
	mark_last(q->answer, "defaults", "LoginScreen");
	mark_last(q->answer, "defaults", "TasksMax");
	if (q->policy->default_runlevel &&
	    policy_lookup_runlevel(q->policy, q->policy->default_runlevel))
		mark_last(q->answer, "defaults", "Runlevel");
}

GPtrArray *policy_statements(const Policy *policy, const char *service, const char *runlevel)
{
	const char *name = runlevel ? runlevel : policy_default_runlevel(policy, NULL);
	g_autoptr(GHashTable)
		included = policy_runlevels_below(policy, policy_lookup_runlevel(policy, name));
	StatementQuery q = { .policy = policy, .service = service, .included = included };

	q.answer = g_ptr_array_new_with_free_func(g_free);
	if (service) {
		q.entry = policy_lookup_service(policy, service);
		policy_decide(policy, service, name, &q.decision);
	}
	collect(&q);
	if (service)
		mark_service(&q);
	else
		mark_defaults(&q);
	return q.answer;
}
