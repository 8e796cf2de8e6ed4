/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conflicts: if wanted services exclude each other, the service with the highest rank may run. A
 * later request of an admin ranks higher. Without requests the order in policy decides, and then
 * the name.
 *
 * The decision depends on which services are wanted, not on which are running, so that services do
 * not flap. The loser waits, and returns when the winner is no longer wanted. A subscription of
 * kind TERM_CONFLICT delays the winner until the loser has no processes.
 *
 * A service with StandIn= ranks below all others. It gives way only to services that may still come
 * up, and to services that wait for it.
 */
#include "config.h"

#include "engine/engine-private.h"

static int compare_rank(gconstpointer a, gconstpointer b)
{
	const Service *left = *(Service *const *)a;
	const Service *right = *(Service *const *)b;
	const int64_t left_at = left->admin == ADMIN_START ? left->admin_at_us : -1;
	const int64_t right_at = right->admin == ADMIN_START ? right->admin_at_us : -1;
	const unsigned left_order = left->policy.is_default ? UINT_MAX : left->policy.order;
	const unsigned right_order = right->policy.is_default ? UINT_MAX : right->policy.order;

	if (left->def->stand_in != right->def->stand_in)
		return left->def->stand_in ? 1 : -1;
	if (left_at != right_at)
		return left_at > right_at ? -1 : 1;
	if (left_order != right_order)
		return left_order < right_order ? -1 : 1;
	return strcmp(left->def->name, right->def->name);
}

/* All services that are connected to @s by conflicts, directly or through others. */
static GPtrArray *collect_group(Service *s)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	GPtrArray *group = g_ptr_array_new();

	g_ptr_array_add(group, s);
	g_hash_table_add(seen, s);
	for (unsigned i = 0; i < group->len; i++) {
		const Service *member = g_ptr_array_index(group, i);

		for (unsigned j = 0; j < member->priv->conflicts->len; j++) {
			Service *other = g_ptr_array_index(member->priv->conflicts, j);

			if (g_hash_table_add(seen, other))
				g_ptr_array_add(group, other);
		}
	}
	return group;
}

/* Will @s stay down until an admin acts? */
static bool has_given_up(const Service *s)
{
	if (service_is_active(s))
		return false;
	if (s->def->problem || s->state == STATE_FAILED || engine_is_spent(s))
		return true;
	return service_is_unreachable(s);
}

/*
 * Do the terms of @s lead to @other? If so, @other must not run in place of @s: it would make those
 * terms true, then stop for @s, and so make them false.
 */
static bool waits_for(Service *s, const Service *other)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new();

	g_ptr_array_add(found, s);
	for (unsigned i = 0; i < found->len; i++) {
		const Service *one = g_ptr_array_index(found, i);

		if (one == other)
			return true;
		for (unsigned j = 0; j < one->priv->subscriptions->len; j++) {
			const Subscription *subscription =
				g_ptr_array_index(one->priv->subscriptions, j);

			if (subscription->kind == TERM_WHEN || subscription->kind == TERM_WHILE)
				subscription_add_makers(subscription, found);
		}
	}
	return false;
}

static bool yields_to(const Service *s, Service *better)
{
	return !s->def->stand_in || better->def->stand_in || !has_given_up(better) ||
	       waits_for(better, s);
}

/*
 * @n_better: the number of members at the start of @group that rank above @s and are already
 * decided.
 */
static Service *find_winner(const Service *s, const GPtrArray *group, unsigned n_better)
{
	for (unsigned i = 0; i < n_better; i++) {
		Service *better = g_ptr_array_index(group, i);

		if (service_is_wanted(better) && !better->priv->loses_to &&
		    g_ptr_array_find(s->priv->conflicts, better, NULL) && yields_to(s, better))
			return better;
	}
	return NULL;
}

void conflict_clear(Service *s)
{
	s->priv->loses_to = NULL;
}

void conflict_update(Service *s)
{
	g_autoptr(GPtrArray) group = NULL;

	if (s->priv->conflicts->len == 0) {
		conflict_clear(s);
		return;
	}
	group = collect_group(s);
	g_ptr_array_sort(group, compare_rank);
	for (unsigned i = 0; i < group->len; i++) {
		Service *member = g_ptr_array_index(group, i);
		Service *winner = service_is_wanted(member) ? find_winner(member, group, i) : NULL;

		if (service_def_n_sockets(member->def) > 0)
			engine_queue(member, WORK_STEP); /* may a connection start it? */
		if (member->priv->loses_to != winner) {
			member->priv->loses_to = winner;
			engine_queue(member, WORK_SETTLED);
			engine_queue(member, WORK_STEP);
		}
	}
}

void conflict_look_again(Service *s)
{
	if (s->priv->conflicts->len > 0)
		engine_queue(s, WORK_RANK);
}

bool conflict_ranks_above(const Service *s, const Service *other)
{
	return compare_rank(&s, &other) < 0;
}

bool conflict_lets_run(const Service *s)
{
	return service_is_wanted(s) && !s->priv->loses_to;
}
