/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Load: definitions and policy become services, subscriptions and edges, at the start and at each
 * reload.
 *
 * A reload keeps records, levels and requests, and rebuilds all derived data. A running service
 * keeps its last good definition if its new file has errors or is gone.
 */
#include "config.h"

#include <string.h>

#include "engine/engine-private.h"

#include "base/list.h"

/* --- a set of definitions is kept while one of them is in use --- */

static SetRef *set_ref_new(ServiceSet *set)
{
	SetRef *ref = g_new0(SetRef, 1);

	ref->set = set;
	ref->n_users = 1;
	return ref;
}

void set_ref_drop(SetRef *ref)
{
	if (!ref || --ref->n_users > 0)
		return;
	service_set_free(ref->set);
	g_free(ref);
}

static void use_definition(Service *s, ServiceDef *def, SetRef *definitions)
{
	SetRef *before = s->priv->file.definitions;

	definitions->n_users++;
	s->priv->file.definitions = definitions;
	s->def = def;
	set_ref_drop(before);
}

static gint compare_name(gconstpointer a, gconstpointer b)
{
	const Service *left = *(Service *const *)a;
	const Service *right = *(Service *const *)b;

	return strcmp(left->def->name, right->def->name);
}

Service *load_new_service(Engine *engine, ServiceDef *def, SetRef *definitions)
{
	Service *s = service_new(engine, def);

	use_definition(s, def, definitions);
	s->priv->file.is_gone = def->is_gone;
	s->priv->file.problem = g_strdup(def->file_problem);
	s->since_us = engine->now_us;
	g_hash_table_insert(engine->by_name, (gpointer)def->name, s);
	g_ptr_array_add(engine->services, s);
	return s;
}

/* --- terms in force --- */

static void copy_terms(GPtrArray **to, const GPtrArray *own, const GPtrArray *added,
		       const PolicyService *extra)
{
	for (unsigned i = 0; i < own->len; i++) {
		const Term *term = g_ptr_array_index(own, i);

		if (!policy_service_ignores(extra, term))
			list_add(to, term_copy(term), (GDestroyNotify)term_free);
	}
	for (unsigned i = 0; added && i < added->len; i++)
		list_add(to, term_copy(g_ptr_array_index(added, i)), (GDestroyNotify)term_free);
}

/* A term with settled: applies only to starts, whatever key it is in. */
static TermKind kind_of(const Service *s, const Term *term, TermKind kind)
{
	for (unsigned i = 0; i < term_length(term); i++) {
		if (term_literal(term, i)->prefix == KEY_SETTLED)
			return TERM_AFTER;
	}
	/* A group is ready while all its terms are true. */
	return service_is_group(s) ? TERM_WHILE : kind;
}

static void add_subscriptions(Service *s, const GPtrArray *terms, TermKind kind)
{
	for (unsigned i = 0; i < terms->len; i++) {
		Term *term = g_ptr_array_index(terms, i);
		const TermKind own = kind_of(s, term, kind);

		Subscription *subscription =
			subscription_new(s, own == TERM_AFTER ? term_copy(term) : term, own);

		subscription->is_while = kind == TERM_WHILE;
		list_add(&s->priv->subscriptions, subscription, subscription_free);
	}
}

static void add_after(Service *s, const PolicyService *extra)
{
	for (unsigned i = 0; i < s->def->after->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->after, i);
		g_autofree char *text = g_strconcat("After=", ref->name, NULL);
		Subscription *subscription;

		if (policy_service_ignores_name(extra, ref->name))
			continue;
		subscription = subscription_new(
			s, term_new_single(KEY_SETTLED, ref->name, text, ref->origin), TERM_AFTER);
		subscription->is_turned = ref->is_turned;
		list_add(&s->priv->subscriptions, subscription, subscription_free);
	}
}

static void add_apart(Service *s, GPtrArray **subscriptions, const GPtrArray *terms, TermKind kind)
{
	for (unsigned i = 0; i < terms->len; i++)
		list_add(subscriptions,
			 subscription_new(s, term_copy(g_ptr_array_index(terms, i)), kind),
			 subscription_free);
}

static void add_terms(Engine *engine, Service *s)
{
	const PolicyService *extra = policy_service(engine->policy, s->def->name);

	copy_terms(&s->when, s->def->when, extra ? extra->when : NULL, extra);
	copy_terms(&s->while_terms, s->def->while_terms, extra ? extra->while_terms : NULL, extra);
	add_subscriptions(s, s->when, TERM_WHEN);
	add_subscriptions(s, s->while_terms, TERM_WHILE);
	add_after(s, extra);
	add_apart(s, &s->priv->done_subscriptions, s->def->done_while, TERM_DONE);
	add_apart(s, &s->priv->shown_subscriptions, s->def->shown_when, TERM_SHOWN);
}

/* --- edges --- */

static void add_need(Engine *engine, Service *s, const char *name)
{
	Service *needed = name ? engine_resolve(engine, name) : NULL;

	/* This list of needs is short, but the list of needers may have thousands of entries. */
	if (!needed || needed == s || g_ptr_array_find(s->priv->needs, needed, NULL))
		return;
	list_add(&s->priv->needs, needed, NULL);
	list_add(&needed->priv->needers, s, NULL);
}

static void add_needs(Engine *engine, Service *s)
{
	const PolicyService *extra = policy_service(engine->policy, s->def->name);

	for (unsigned i = 0; i < s->when->len; i++)
		add_need(engine, s, term_need(g_ptr_array_index(s->when, i)));
	for (unsigned i = 0; i < s->while_terms->len; i++)
		add_need(engine, s, term_need(g_ptr_array_index(s->while_terms, i)));
	for (unsigned i = 0; i < s->def->wants->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->wants, i);

		if (!policy_service_ignores_name(extra, ref->name))
			add_need(engine, s, ref->name);
	}
}

static void add_conflict(Service *s, Service *other, const NameRef *ref)
{
	Term *term;
	g_autofree char *text = g_strconcat("Conflicts=", ref->name, NULL);

	if (g_ptr_array_find(s->priv->conflicts, other, NULL))
		return;
	list_add(&s->priv->conflicts, other, NULL);
	term = term_new_single(KEY_ACTIVE, other->def->name, text, ref->origin);
	term->literals[0].negated = true;
	list_add(&s->priv->subscriptions, subscription_new(s, term, TERM_CONFLICT),
		 subscription_free);
}

static void add_conflicts(Engine *engine, Service *s)
{
	for (unsigned i = 0; i < s->def->conflicts->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->conflicts, i);
		Service *other = engine_resolve(engine, ref->name);

		if (!other || other == s)
			continue;
		add_conflict(s, other, ref);
		add_conflict(other, s, ref);
	}
}

static void add_providers(Engine *engine)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->facilities);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Facility *f = value;

		g_ptr_array_set_size(f->providers, 0);
		f->condition_facility = NULL;
		f->condition_settled = NULL;
	}
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		for (unsigned j = 0; j < s->def->provides->len; j++) {
			const NameRef *ref = g_ptr_array_index(s->def->provides, j);
			Facility *f = *ref->name == '$' ? facility_get(engine, ref->name) : NULL;

			if (f && !g_ptr_array_find(s->priv->facilities, f, NULL)) {
				g_ptr_array_add(f->providers, s);
				list_add(&s->priv->facilities, f, NULL);
			}
		}
	}
}

/* --- rebuild --- */

static void foreach_service(Engine *engine, void (*func)(Service *s))
{
	for (unsigned i = 0; i < engine->services->len; i++)
		func(g_ptr_array_index(engine->services, i));
}

static void clear_derived(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	list_empty(priv->subscriptions);
	list_empty(priv->done_subscriptions);
	list_empty(priv->shown_subscriptions);
	list_empty(s->when);
	list_empty(s->while_terms);
	list_empty(priv->needs);
	list_empty(priv->needers);
	list_empty(priv->conflicts);
	list_empty(priv->facilities);
	condition_clear(s);
	stop_order_clear(s);
	start_lock_clear(s);
	want_clear(s);
	conflict_clear(s);
}

/*
 * Removes internal conditions, which are made again. External conditions are kept with their
 * history.
 */
static void clear_conditions(Engine *engine)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Condition *c = value;

		g_ptr_array_set_size(c->subscriptions, 0);
		c->subject = NULL;
		if (key_prefix_is_internal(c->prefix))
			g_hash_table_iter_remove(&iter);
	}
}

static void subscribe(Engine *engine)
{
	GHashTableIter iter;
	gpointer value;
	g_autoptr(GPtrArray) added = g_ptr_array_new();

	g_hash_table_iter_init(&iter, engine->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Condition *c = value;

		if (key_prefix_is_internal(c->prefix))
			continue;
		if (c->subscriptions->len == 0) {
			if (c->is_subscribed)
				engine->ops.unsubscribe(engine->data, c->prefix, c->key);
			g_hash_table_iter_remove(&iter);
		} else if (!c->is_subscribed) {
			c->is_subscribed = true;
			g_ptr_array_add(added, c);
		}
	}
	g_ptr_array_sort(added, condition_compare);
	for (unsigned i = 0; i < added->len; i++) {
		const Condition *c = g_ptr_array_index(added, i);

		engine->ops.subscribe(engine->data, c->prefix, c->key);
	}
}

static void count_subscriptions(Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++)
		subscription_start_counting(g_ptr_array_index(s->priv->subscriptions, i));
	for (unsigned i = 0; i < s->priv->done_subscriptions->len; i++)
		subscription_start_counting(g_ptr_array_index(s->priv->done_subscriptions, i));
	for (unsigned i = 0; i < s->priv->shown_subscriptions->len; i++)
		subscription_start_counting(g_ptr_array_index(s->priv->shown_subscriptions, i));
}

static void queue_everything(Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		engine_queue(s, WORK_RANK);
		engine_queue(s, WORK_LEVEL);
		engine_queue(s, WORK_STEP);
		/* It may no longer depend on the services it waited for. */
		engine_queue(s, WORK_STOP);
	}
}

void load_rebuild(Engine *engine)
{
	g_ptr_array_sort(engine->services, compare_name);
	engine->rebuilt_us = engine->now_us;
	clear_conditions(engine);
	foreach_service(engine, clear_derived);
	add_providers(engine);
	for (unsigned i = 0; i < engine->services->len; i++)
		add_terms(engine, g_ptr_array_index(engine->services, i));
	for (unsigned i = 0; i < engine->services->len; i++) {
		add_needs(engine, g_ptr_array_index(engine->services, i));
		add_conflicts(engine, g_ptr_array_index(engine->services, i));
	}
	condition_bind_mounts(engine);
	stop_order_rebuild(engine);
	start_lock_rebuild(engine);
	login_screen_reset(engine);
	subscribe(engine);
	foreach_service(engine, count_subscriptions);
	settled_reset(engine);
	want_decide_all(engine);
	queue_everything(engine);
}

static void forget(Engine *engine, Service *s)
{
	SetRef *definitions = s->priv->file.definitions;

	stop_order_set_leaving(s, false);
	for (EngineTimer kind = 0; kind < ENGINE_TIMER_COUNT; kind++)
		engine_arm(s, kind, 0);
	engine->n_left -= s->priv->is_left;
	for (unsigned kind = 0; kind < WORK_COUNT; kind++) {
		if (s->priv->queued & (1u << kind))
			g_queue_remove(&engine->work[kind], s);
	}
	engine->ops.removed(engine->data, s);
	g_hash_table_remove(engine->by_name, s->def->name);
	g_ptr_array_remove(engine->services, s);
	service_free(s);
	set_ref_drop(definitions);
}

void load_forget_gone(Engine *engine)
{
	Service *s;

	clear_conditions(engine);
	foreach_service(engine, clear_derived);
	while ((s = g_queue_pop_head(&engine->work[WORK_FORGET]))) {
		s->priv->queued &= ~(1u << WORK_FORGET);
		forget(engine, s);
	}
	load_rebuild(engine);
}

/* @def: the new definition of a known service; NULL: its file is gone. */
static void replace_definition(Service *s, ServiceDef *def, SetRef *definitions)
{
	const char *problem = !def ? NULL : def->problem ? def->problem : def->file_problem;
	const bool is_good_running = service_is_active(s) && !s->def->problem;
	bool was_broken;

	s->priv->file.is_gone = !def;
	g_clear_pointer(&s->priv->file.problem, g_free);
	s->priv->file.problem = g_strdup(problem);
	if (problem && is_good_running)
		service_remark(
			s,
			g_strdup_printf(
				"its new file has errors, so the last good one stays in force: %s",
				problem));
	/* If @def has only a file_problem, it is the last good version. */
	if (!def || (def->problem && is_good_running))
		return;
	was_broken = s->def->problem != NULL;
	use_definition(s, def, definitions);
	if (s->state == STATE_FAILED && was_broken && !def->problem)
		service_apply(s, EVENT_NEW_CHANCE, g_strdup("its file was corrected"));
}

static void take_definitions(Engine *engine, SetRef *definitions)
{
	const GPtrArray *defs = service_set_list(definitions->set);

	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);
		ServiceDef *def = service_set_find(definitions->set, s->def->name);

		/* @def is another service, which has this name as an alias. */
		if (def && strcmp(def->name, s->def->name) != 0)
			def = NULL;
		replace_definition(s, def, definitions);
	}
	for (unsigned i = 0; i < defs->len; i++) {
		ServiceDef *def = g_ptr_array_index(defs, i);

		if (!g_hash_table_contains(engine->by_name, def->name))
			load_new_service(engine, def, definitions);
	}
}

void engine_load(Engine *engine, ServiceSet *set, Policy *policy, int64_t now_us)
{
	SetRef *before = engine->definitions;

	engine_set_now(engine, now_us);
	policy_free(engine->policy);
	engine->policy = policy;
	engine->definitions = set_ref_new(set);
	take_definitions(engine, engine->definitions);
	set_ref_drop(before);
	load_rebuild(engine);
	engine_run(engine);
}
