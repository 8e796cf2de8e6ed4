/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Impact: computes which services a request may end, before the request is made. This is a walk
 * over edges and terms, not a simulation. It may include an unaffected service, but must not miss
 * an affected one.
 *
 * The walk collects services that start or stop. Each of them changes its own conditions. A service
 * with a While= term that may then be untrue ends or runs again, which changes more conditions.
 */
#include "config.h"

#include "engine/engine-private.h"

typedef struct ReachWalk {
	const Service *first; /* the requested service */
	GHashTable *newest; /* Service *: services with the newest request, which win conflicts */
	GHashTable *starts; /* Service * */
	GHashTable *stops;
	GHashTable *let_go; /* the members of @stops that run only because of @first */
	GPtrArray *moved; /* Service *, in the order of discovery; maybe twice */
} ReachWalk;

static void add_stop(ReachWalk *walk, Service *s)
{
	if (g_hash_table_add(walk->stops, s))
		g_ptr_array_add(walk->moved, s);
}

/* --- conflicts --- */

static void add_start(ReachWalk *walk, Service *s);

/* @loser stops, so services that lost only to it may return. */
static void release(ReachWalk *walk, const Service *loser)
{
	for (unsigned i = 0; i < loser->priv->conflicts->len; i++) {
		Service *other = g_ptr_array_index(loser->priv->conflicts, i);

		if (service_is_wanted(other) && other->priv->loses_to == loser)
			add_start(walk, other);
	}
}

/*
 * Stops the services that conflict with @winner and run, or may run. A backoff or a false condition
 * does not change the rank.
 */
static void add_losers(ReachWalk *walk, const Service *winner)
{
	for (unsigned i = 0; i < winner->priv->conflicts->len; i++) {
		Service *other = g_ptr_array_index(winner->priv->conflicts, i);

		if (other == walk->first || g_hash_table_contains(walk->stops, other) ||
		    (!conflict_lets_run(other) && !service_is_active(other)))
			continue;
		if (!g_hash_table_contains(walk->newest, winner) &&
		    !conflict_ranks_above(winner, other))
			continue;
		add_stop(walk, other);
		release(walk, other);
	}
}

static void add_start(ReachWalk *walk, Service *s)
{
	if (!g_hash_table_add(walk->starts, s))
		return;
	g_ptr_array_add(walk->moved, s);
	add_losers(walk, s);
}

/* Is @s up, and does it stay up? Then a start changes nothing. */
static bool stays_up(const Service *s)
{
	return conflict_lets_run(s) && (service_is_up(s) || s->state == STATE_STARTING);
}

static void add_start_with_needs(ReachWalk *walk, Service *s)
{
	g_autoptr(GPtrArray) all = want_with_needs(s);

	for (unsigned i = 0; i < all->len; i++) {
		if (!stays_up(g_ptr_array_index(all, i)))
			add_start(walk, g_ptr_array_index(all, i));
	}
}

/* --- needs of services that are no longer wanted --- */

/* All services that are wanted without @first. */
static GHashTable *collect_supported(const Engine *engine, const Service *first)
{
	GHashTable *supported = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) queue = g_ptr_array_new();

	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (s != first && service_is_wanted(s) && s->want_reason != WANT_NEED &&
		    g_hash_table_add(supported, s))
			g_ptr_array_add(queue, s);
	}
	for (unsigned i = 0; i < queue->len; i++) {
		const Service *needer = g_ptr_array_index(queue, i);

		for (unsigned j = 0; j < needer->priv->needs->len; j++) {
			Service *need = g_ptr_array_index(needer->priv->needs, j);

			/*
			 * Whether a manual service is wanted depends on the service that needs it,
			 * so it is not counted as supported.
			 */
			if (need != first && need->policy.activation != ACTIVATION_MANUAL &&
			    g_hash_table_add(supported, need))
				g_ptr_array_add(queue, need);
		}
	}
	return supported;
}

/* Stops the services that run only because of the requested service. */
static void let_needs_go(ReachWalk *walk)
{
	g_autoptr(GHashTable) supported = collect_supported(walk->first->priv->engine, walk->first);
	g_autoptr(GPtrArray) queue = g_ptr_array_new();

	g_ptr_array_add(queue, (gpointer)walk->first);
	for (unsigned i = 0; i < queue->len; i++) {
		const Service *gone = g_ptr_array_index(queue, i);

		release(walk, gone);
		for (unsigned j = 0; j < gone->priv->needs->len; j++) {
			Service *need = g_ptr_array_index(gone->priv->needs, j);

			if (need->want_reason != WANT_NEED ||
			    g_hash_table_contains(supported, need) ||
			    !g_hash_table_add(walk->let_go, need))
				continue;
			add_stop(walk, need);
			g_ptr_array_add(queue, need);
		}
	}
}

/* --- While= terms --- */

/*
 * The level of a service that starts is unknown, because the start may take long. So no term can
 * rely on it.
 */
static Level level_of_subject(const ReachWalk *walk, const Condition *c)
{
	if (g_hash_table_contains(walk->starts, c->subject))
		return LEVEL_UNKNOWN;
	return g_hash_table_contains(walk->stops, c->subject) ? LEVEL_FALSE : c->level;
}

/*
 * A provider that starts makes the facility false until it is ready. A provider that stops may also
 * make it false.
 */
static Level level_of_facility(const ReachWalk *walk, const Condition *c)
{
	for (unsigned i = 0; i < c->facility->providers->len; i++) {
		const Service *provider = g_ptr_array_index(c->facility->providers, i);

		if (g_hash_table_contains(walk->stops, provider) ||
		    g_hash_table_contains(walk->starts, provider))
			return LEVEL_UNKNOWN;
	}
	return c->level;
}

static Level level_then(const char *key, void *data)
{
	const ReachWalk *walk = data;
	const Condition *c = g_hash_table_lookup(walk->first->priv->engine->conditions, key);

	if (!c)
		return LEVEL_UNKNOWN;
	if (c->subject)
		return level_of_subject(walk, c);
	return c->facility ? level_of_facility(walk, c) : c->level;
}

/*
 * Can the term of this subscription end its service? A task that is done runs again after a When=
 * term was false.
 */
static bool may_end(const Subscription *subscription)
{
	const Service *s = subscription->service;

	if (subscription->kind == TERM_WHEN)
		return s->state == STATE_DONE && !s->def->once;
	return subscription->kind == TERM_WHILE && service_is_active(s) &&
	       engine_on_lapse(s) == ON_LAPSE_STOP;
}

/* Adds the services that may end because the level of @c may change. */
static void add_lapsed(ReachWalk *walk, const Condition *c)
{
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(c->subscriptions, i);

		if (may_end(subscription) &&
		    term_evaluate(subscription->term, level_then, walk) != LEVEL_TRUE)
			add_stop(walk, subscription->service);
	}
}

/* The array grows during the loop. */
static void add_consequences(ReachWalk *walk)
{
	for (unsigned i = 0; i < walk->moved->len; i++) {
		const Service *s = g_ptr_array_index(walk->moved, i);

		add_lapsed(walk, s->priv->condition_service);
		add_lapsed(walk, s->priv->condition_active);
		add_lapsed(walk, s->priv->condition_healthy);
		for (unsigned j = 0; j < s->priv->mounted->len; j++)
			add_lapsed(walk, g_ptr_array_index(s->priv->mounted, j));
		for (unsigned j = 0; j < s->priv->facilities->len; j++)
			add_lapsed(walk,
				   ((const Facility *)g_ptr_array_index(s->priv->facilities, j))
					   ->condition_facility);
	}
}

bool engine_depends_on(const Service *s, const Service *on)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);
		const Condition *c = subscription->conditions[0];
		const bool is_edge = c->prefix == KEY_SERVICE || c->prefix == KEY_HEALTHY ||
				     c->prefix == KEY_MOUNTED;

		if (subscription->is_while && is_edge && c->subject == on &&
		    term_length(subscription->term) == 1 &&
		    !term_literal(subscription->term, 0)->negated)
			return true;
	}
	return false;
}

/* --- verbs --- */

static bool verb_stops(RequestVerb verb, const Service *s)
{
	switch (verb) {
	case REQUEST_VERB_STOP:
	case REQUEST_VERB_RESTART:
		return true;
	case REQUEST_VERB_START:
		return request_is_undone(s);
	case REQUEST_VERB_CLEAR: /* maybe only the admin wanted it */
		return s->admin == ADMIN_START || s->admin == ADMIN_DEMAND ||
		       s->admin == ADMIN_CONNECTION;
	case REQUEST_VERB_RELOAD:
		break;
	}
	return false;
}

static bool verb_starts(RequestVerb verb, const Service *s)
{
	switch (verb) {
	case REQUEST_VERB_START:
	case REQUEST_VERB_RESTART:
		return true;
	case REQUEST_VERB_CLEAR: /* a failed service is retried; policy may want the service */
		return service_is_wanted(s) || s->admin == ADMIN_STOP;
	case REQUEST_VERB_STOP:
	case REQUEST_VERB_RELOAD:
		break;
	}
	return false;
}

/* A restart of a group restarts its members, so all of them are included. */
static void add_members(ReachWalk *walk, RequestVerb verb)
{
	g_autoptr(GPtrArray) members = request_members(walk->first, verb);

	for (unsigned i = 0; i < members->len; i++) {
		Service *member = g_ptr_array_index(members, i);

		g_hash_table_add(walk->newest, member);
		add_stop(walk, member);
		add_start_with_needs(walk, member);
	}
}

GPtrArray *engine_impact(RequestVerb verb, const Service *service)
{
	Service *first = engine_find(service->priv->engine, service->def->name);
	g_autoptr(GHashTable) newest = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) starts = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) stops = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) let_go = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) moved = g_ptr_array_new();
	ReachWalk walk = { .first = first,
			   .newest = newest,
			   .starts = starts,
			   .stops = stops,
			   .let_go = let_go,
			   .moved = moved };
	GPtrArray *reached;

	if (verb == REQUEST_VERB_RELOAD)
		return request_members(first, verb); /* ends no service */
	reached = g_ptr_array_new();
	if (verb != REQUEST_VERB_CLEAR)
		g_hash_table_add(newest, first);
	if (verb_stops(verb, first) && service_is_active(first))
		add_stop(&walk, first);
	if (verb == REQUEST_VERB_STOP || (verb == REQUEST_VERB_CLEAR && verb_stops(verb, first)))
		let_needs_go(&walk);
	if (verb_starts(verb, first))
		add_start_with_needs(&walk, first);
	add_members(&walk, verb);
	add_consequences(&walk);
	for (unsigned i = 0; i < moved->len; i++) {
		Service *s = g_ptr_array_index(moved, i);

		if (s != first && !g_hash_table_contains(let_go, s) &&
		    g_hash_table_remove(stops, s))
			g_ptr_array_add(reached, s);
	}
	return reached;
}
