/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settled: a service that is not about to change by itself. The unsettled services are the least
 * set U with these rules:
 *
 * 	starting, stopping, in back-off, about to start or to stop, opening sockets: in U
 * 	on the way to another start after BACKOFF_FAILING failures in a row: not in U
 * 	waiting, with an unknown term, or with a false one that a service in U may still make true: in U
 * 	waiting only for external conditions, and for a limited time (WaitTimeout=): in U
 * 	waiting for a condition that cannot change before the next boot: not in U
 *
 * So services that wait only for each other are settled, and so is one that waits for an absent
 * device. Each member of U has one reason: itself, or another member. When that member leaves U,
 * the members that depend on it are removed too and checked again. So two services never keep each
 * other in U.
 */
#include "config.h"

#include "engine/engine-private.h"

typedef void (*DependentFunc)(Service *dependent, gpointer data);

static void foreach_slot_of(const Condition *c, DependentFunc func, gpointer data)
{
	for (unsigned i = 0; c && i < c->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(c->slots, i);

		func(slot->service, data);
	}
}

/* All services with a term that @s may make true; some more than once. */
static void foreach_dependent(const Service *s, DependentFunc func, gpointer data)
{
	foreach_slot_of(s->priv->condition_service, func, data);
	foreach_slot_of(s->priv->condition_settled, func, data);
	foreach_slot_of(s->priv->condition_active, func, data);
	foreach_slot_of(s->priv->condition_healthy, func, data);
	for (unsigned i = 0; i < s->priv->mounted->len; i++)
		foreach_slot_of(g_ptr_array_index(s->priv->mounted, i), func, data);
	for (unsigned i = 0; i < s->priv->facilities->len; i++) {
		const Facility *f = g_ptr_array_index(s->priv->facilities, i);

		foreach_slot_of(f->condition_facility, func, data);
		foreach_slot_of(f->condition_settled, func, data);
	}
}

static Service *find_unsettled(const Condition *c, const Service *asker)
{
	if (c->subject)
		return c->subject->priv->is_unsettled && c->subject != asker ? c->subject : NULL;
	for (unsigned i = 0; c->facility && i < c->facility->providers->len; i++) {
		Service *s = g_ptr_array_index(c->facility->providers, i);

		if (s->priv->is_unsettled && s != asker)
			return s;
	}
	return NULL;
}

Service *settled_find_supplier(const Slot *slot)
{
	for (unsigned i = 0; i < term_length(slot->term); i++) {
		Service *s = find_unsettled(slot->conditions[i], slot->service);

		if (s)
			return s;
	}
	return NULL;
}

/* Like the slot's start_level, but with the present U and not the published one. */
static Level level_now(const Slot *slot)
{
	Level result = LEVEL_FALSE;

	for (unsigned i = 0; i < term_length(slot->term); i++) {
		const Condition *c = slot->conditions[i];
		const bool is_negated = term_literal(slot->term, i)->negated;
		Level level = c->is_stale || slot_mount_ends(slot, i) ? LEVEL_FALSE : c->level;

		if (c->prefix == KEY_SETTLED)
			level = find_unsettled(c, NULL) ? LEVEL_FALSE : LEVEL_TRUE;
		if (level == LEVEL_UNKNOWN)
			result = LEVEL_UNKNOWN;
		else if ((level == LEVEL_TRUE) != is_negated)
			return LEVEL_TRUE;
	}
	return result;
}

bool engine_is_failing(const Service *s)
{
	if (s->priv->backoff.level < BACKOFF_FAILING)
		return false;
	return s->state == STATE_BACKOFF || s->state == STATE_STARTING || (s->state == STATE_WAITING && s->n_false == 0) ||
	       (s->state == STATE_STOPPING && !s->priv->is_stop_ordered);
}

static bool is_moving(const Service *s)
{
	if (s->priv->is_opening)
		return true;
	switch (s->state) {
	case STATE_STARTING:
	case STATE_STOPPING:
	case STATE_BACKOFF:
		return s->priv->is_leaving || !engine_is_failing(s);
	case STATE_IDLE:
		return conflict_lets_run(s) && !s->priv->is_spent && !s->def->problem;
	case STATE_WAITING:
		return s->priv->wait_until_us != 0 && conflict_lets_run(s);
	case STATE_READY:
	case STATE_DONE:
	case STATE_FAILED:
	case STATE_COUNT:
		break;
	}
	return s->priv->is_leaving;
}

/*
 * Is the term false until the next boot? Then all of it is about the kernel command line or the
 * virtualization.
 */
static bool is_false_for_good(const Slot *slot)
{
	for (unsigned i = 0; i < term_length(slot->term); i++) {
		const KeyPrefix prefix = slot->conditions[i]->prefix;

		if (prefix != KEY_KERNEL && prefix != KEY_VIRTUAL)
			return false;
	}
	return level_now(slot) == LEVEL_FALSE;
}

bool settled_waits_for_good(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		if (is_false_for_good(g_ptr_array_index(s->priv->slots, i)))
			return true;
	}
	return false;
}

/* Is @s in U by itself? *@ret_by: a member that @s is in U because of, or NULL. */
static bool is_root(Service *s, Service **ret_by)
{
	bool is_held = false;
	bool is_held_by_world = s->def->wait_limit_us > 0; /* and by no other condition */

	*ret_by = NULL;
	if (is_moving(s))
		return true;
	if (s->state != STATE_WAITING || !conflict_lets_run(s) || settled_waits_for_good(s))
		return false;
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);
		const Level level = level_now(slot);

		if (level == LEVEL_UNKNOWN)
			return true;
		if (level == LEVEL_FALSE) {
			is_held = true;
			is_held_by_world = is_held_by_world && wait_limit_covers(slot);
			if (!*ret_by)
				*ret_by = settled_find_supplier(slot);
		}
	}
	return is_held ? is_held_by_world : !engine_is_failing(s);
}

static bool still_leans_on(const Service *s, const Service *by)
{
	if (!by->priv->is_unsettled || s->state != STATE_WAITING || !conflict_lets_run(s))
		return false;
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (level_now(slot) != LEVEL_FALSE)
			continue;
		for (unsigned j = 0; j < term_length(slot->term); j++) {
			const Condition *c = slot->conditions[j];

			if (c->subject == by || (c->facility && g_ptr_array_find(c->facility->providers, by, NULL)))
				return true;
		}
	}
	return false;
}

static void look_again(Service *dependent, gpointer data)
{
	(void)data;
	if (dependent->state == STATE_WAITING)
		engine_queue(dependent, WORK_SETTLED);
}

/*
 * Services that wait only for the login screen, and services that wait for those, do not delay the
 * end of the boot. The other services that are in U by themselves do. Each service that depends on
 * a member leads to one of these.
 */
static void count_for_boot(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const bool holds_up = priv->is_unsettled && !priv->unsettled_by && !login_screen_holds(s);

	if (priv->holds_up_boot == holds_up)
		return;
	priv->holds_up_boot = holds_up;
	priv->engine->n_holding_up += holds_up ? 1 : -1u;
	engine_queue(s, WORK_SETTLED_SHOWN);
}

static void set_unsettled(Service *s, bool is_unsettled, Service *by)
{
	const bool has_changed = s->priv->is_unsettled != is_unsettled;

	s->priv->unsettled_by = by;
	s->priv->is_unsettled = is_unsettled;
	count_for_boot(s);
	if (!has_changed)
		return;
	s->priv->engine->n_unsettled += is_unsettled ? 1 : -1u;
	engine_queue(s, WORK_SETTLED_SHOWN);
	foreach_dependent(s, look_again, NULL);
}

typedef struct Collapse {
	GPtrArray *out;
	Service *leaving;
} Collapse;

static void collapse_dependent(Service *dependent, gpointer data)
{
	Collapse *collapse = data;
	Service *by;

	if (!dependent->priv->is_unsettled || dependent->priv->unsettled_by != collapse->leaving)
		return;
	if (is_root(dependent, &by)) {
		set_unsettled(dependent, true, NULL);
		return;
	}
	set_unsettled(dependent, false, NULL);
	g_ptr_array_add(collapse->out, dependent);
}

/* Removes @s from U, and the members that depend only on it. Each is queued, and may return. */
static void collapse_from(Service *s)
{
	g_autoptr(GPtrArray) out = g_ptr_array_new();

	set_unsettled(s, false, NULL);
	g_ptr_array_add(out, s);
	for (unsigned i = 0; i < out->len; i++) {
		Collapse collapse = { .out = out, .leaving = g_ptr_array_index(out, i) };

		foreach_dependent(collapse.leaving, collapse_dependent, &collapse);
		engine_queue(collapse.leaving, WORK_SETTLED);
	}
}

void settled_update(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	Service *by;

	if (priv->is_unsettled && priv->unsettled_by && still_leans_on(s, priv->unsettled_by))
		return;
	if (is_root(s, &by)) {
		set_unsettled(s, true, NULL);
		return;
	}
	if (priv->is_unsettled)
		collapse_from(s);
	else if (by)
		set_unsettled(s, true, by);
}

bool engine_is_settled(const Service *s)
{
	return !s->priv->is_unsettled;
}

void settled_show(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	if (priv->condition_settled)
		condition_set_level(priv->engine, priv->condition_settled,
				    priv->is_unsettled ? LEVEL_FALSE : LEVEL_TRUE, NULL);
	for (unsigned i = 0; i < priv->facilities->len; i++)
		facility_publish_settled(priv->engine, g_ptr_array_index(priv->facilities, i));
	condition_watcher_settled(s);
	progress_count(s);
	priv->engine->ops->changed(priv->engine->data, s);
}

void settled_reset(Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		s->priv->is_unsettled = s->priv->holds_up_boot = false;
		s->priv->unsettled_by = NULL;
		engine_queue(s, WORK_SETTLED);
		engine_queue(s, WORK_SETTLED_SHOWN);
	}
	engine->n_unsettled = engine->n_holding_up = 0;
}
