/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start lock: of all services with the same StartLock= only one starts at a time. The idea is in
 * docs/how-svcd-decides.md, "One at a time".
 *
 * A lock is held by the services that are starting or stopping. So a new manager knows the holders
 * from the states alone. A stop takes the lock without waiting, because nothing may delay a stop.
 * All terms of a holder are true and it waits for no other service, so a lock adds no dependency
 * cycle.
 *
 * Services that only the lock delays form a queue. Its order is the time since which only the lock
 * delays them, then the order in policy, then the name. The queue is a GSequence: joining and
 * leaving cost the logarithm of its length, and finding the first costs nothing.
 */
#include "config.h"

#include <string.h>

#include "engine/engine-private.h"

static gint compare_turns(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ServicePrivate *left = ((const Service *)a)->priv;
	const struct ServicePrivate *right = ((const Service *)b)->priv;

	(void)data;
	if (left->turn.since_us != right->turn.since_us)
		return left->turn.since_us < right->turn.since_us ? -1 : 1;
	if (left->turn.order != right->turn.order)
		return left->turn.order < right->turn.order ? -1 : 1;
	return strcmp(((const Service *)a)->def->name, ((const Service *)b)->def->name);
}

void start_lock_free(gpointer data)
{
	StartLock *lock = data;

	g_hash_table_unref(lock->holders);
	g_sequence_free(lock->line);
	g_free(lock);
}

static StartLock *ensure_lock(Engine *engine, const char *name)
{
	StartLock *lock = g_hash_table_lookup(engine->start_locks, g_intern_string(name));

	if (lock)
		return lock;
	lock = g_new0(StartLock, 1);
	lock->name = g_intern_string(name);
	lock->holders = g_hash_table_new(NULL, NULL);
	lock->line = g_sequence_new(NULL);
	g_hash_table_insert(engine->start_locks, (gpointer)lock->name, lock);
	return lock;
}

static bool is_free(const StartLock *lock)
{
	return g_hash_table_size(lock->holders) == 0;
}

static Service *first_in_line(const StartLock *lock)
{
	return g_sequence_is_empty(lock->line) ?
		       NULL :
		       g_sequence_get(g_sequence_get_begin_iter(lock->line));
}

static void call_next(StartLock *lock)
{
	Service *next = is_free(lock) ? first_in_line(lock) : NULL;

	if (next)
		engine_queue(next, WORK_START);
}

/* --- the queue --- */

void start_lock_join(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	if (!priv->turn.lock || priv->turn.place)
		return;
	if (priv->turn.since_us == 0)
		priv->turn.since_us = MAX(priv->engine->now_us, 1);
	/* Policy may change while @s is queued. */
	priv->turn.order = s->policy.is_default ? UINT_MAX : s->policy.order;
	priv->turn.place = g_sequence_insert_sorted(priv->turn.lock->line, s, compare_turns, NULL);
}

static void leave_line(Service *s)
{
	if (!s->priv->turn.place)
		return;
	g_sequence_remove(s->priv->turn.place);
	s->priv->turn.place = NULL;
}

void start_lock_leave(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const bool was_in_line = priv->turn.place;

	leave_line(s);
	priv->turn.since_us = 0;
	priv->turn.is_told = false;
	if (was_in_line)
		call_next(priv->turn.lock);
}

/* --- the lock --- */

void start_lock_state_changed(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const bool holds = s->state == STATE_STARTING || s->state == STATE_STOPPING;
	StartLock *held = priv->turn.held;

	if (holds && !held && priv->turn.lock) {
		priv->turn.held = priv->turn.lock;
		g_hash_table_add(priv->turn.lock->holders, s);
	}
	if (s->state != STATE_WAITING)
		start_lock_leave(s);
	if (!holds && held) {
		priv->turn.held = NULL;
		g_hash_table_remove(held->holders, s);
		held->last_holder = g_intern_string(s->def->name);
		call_next(held);
	}
}

Service *start_lock_next(const Service *s)
{
	return is_free(s->priv->turn.lock) ? first_in_line(s->priv->turn.lock) : NULL;
}

Service *start_lock_holder(const Service *s)
{
	GHashTableIter iter;
	gpointer holder;
	Service *first = NULL;

	if (!s->priv->turn.place)
		return NULL;
	g_hash_table_iter_init(&iter, s->priv->turn.lock->holders);
	while (g_hash_table_iter_next(&iter, &holder, NULL)) {
		if (!first || strcmp(((Service *)holder)->def->name, first->def->name) < 0)
			first = holder;
	}
	return first;
}

void start_lock_notify(Service *s)
{
	const Service *holder = start_lock_holder(s);

	if (!holder || s->priv->turn.is_told)
		return;
	s->priv->turn.is_told = true;
	service_remark(s, g_strdup_printf("waits for the lock %s, which %s holds",
					  s->priv->turn.lock->name, holder->def->name));
}

/* --- load --- */

void start_lock_clear(Service *s)
{
	leave_line(s);
	s->priv->turn.lock = NULL;
}

static gboolean is_out_of_use(gpointer name, gpointer value, gpointer data)
{
	const StartLock *lock = value;

	(void)name;
	(void)data;
	return lock->n_members == 0 && is_free(lock);
}

void start_lock_rebuild(Engine *engine)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->start_locks);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		((StartLock *)value)->n_members = 0;
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (!s->def->start_lock)
			continue;
		s->priv->turn.lock = ensure_lock(engine, s->def->start_lock);
		s->priv->turn.lock->n_members++;
	}
	g_hash_table_foreach_remove(engine->start_locks, is_out_of_use, NULL);
}
