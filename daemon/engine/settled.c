/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settled: a service that is not about to change by itself. The unsettled services are the smallest
 * set U with these rules:
 *
 * 	starting, stopping, in backoff, about to start or to stop, opening sockets: in U
 * 	on the way to another start after BACKOFF_FAILING failures in a row: not in U
 * 	waiting, with an unknown term, or a false one that a service in U may still make true: in U
 * 	waiting only for external conditions, and for a limited time (WaitTimeout=): in U
 * 	waiting for a condition that cannot change before the next boot: not in U
 *
 * So services that wait only for each other are settled, and so is a service that waits for an
 * absent device without a limit. Each member of U has one reason: itself, or another member. When
 * that member leaves U, the members that depend on it are removed too and checked again. So two
 * services never keep each other in U.
 */
#include "config.h"

#include "engine/engine-private.h"

typedef void (*DependentFunc)(Service *dependent, gpointer data);

static void foreach_subscription_of(const Condition *c, DependentFunc func, gpointer data)
{
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(c->subscriptions, i);

		func(subscription->service, data);
	}
}

/* All services with a term that @s may make true; some more than once. */
static void foreach_dependent(const Service *s, DependentFunc func, gpointer data)
{
	foreach_subscription_of(s->priv->condition_service, func, data);
	foreach_subscription_of(s->priv->condition_settled, func, data);
	foreach_subscription_of(s->priv->condition_active, func, data);
	foreach_subscription_of(s->priv->condition_healthy, func, data);
	for (unsigned i = 0; i < s->priv->mounted->len; i++)
		foreach_subscription_of(g_ptr_array_index(s->priv->mounted, i), func, data);
	for (unsigned i = 0; i < s->priv->facilities->len; i++) {
		const Facility *f = g_ptr_array_index(s->priv->facilities, i);

		foreach_subscription_of(f->condition_facility, func, data);
		foreach_subscription_of(f->condition_settled, func, data);
	}
}

static Service *find_unsettled(const Condition *c, const Service *dependent)
{
	if (c->subject)
		return c->subject->priv->settle.is_unsettled && c->subject != dependent ?
			       c->subject :
			       NULL;
	for (unsigned i = 0; c->facility && i < c->facility->providers->len; i++) {
		Service *s = g_ptr_array_index(c->facility->providers, i);

		if (s->priv->settle.is_unsettled && s != dependent)
			return s;
	}
	return NULL;
}

/* A service that may still make this term true, or NULL. */
static Service *settled_find_supplier(const Subscription *subscription)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		Service *s = find_unsettled(subscription->conditions[i], subscription->service);

		if (s)
			return s;
	}
	return NULL;
}

/*
 * Computed like the start_level of @subscription, but from the present members of U, not from the
 * published levels of settled:.
 */
static Level level_now(const Subscription *subscription)
{
	Level result = LEVEL_FALSE;

	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];
		const bool is_negated = term_literal(subscription->term, i)->negated;
		Level level = c->is_stale || subscription_mount_ends(subscription, i) ?
				      LEVEL_FALSE :
				      c->level;

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
	return s->state == STATE_BACKOFF || s->state == STATE_STARTING ||
	       (s->state == STATE_WAITING && s->n_false == 0) ||
	       (s->state == STATE_STOPPING && !s->priv->run.is_stop_ordered);
}

static bool is_moving(const Service *s)
{
	if (s->priv->listen.is_opening)
		return true;
	switch (s->state) {
	case STATE_STARTING:
	case STATE_STOPPING:
	case STATE_BACKOFF:
		return s->priv->stop.is_leaving || !engine_is_failing(s);
	case STATE_IDLE:
		return conflict_lets_run(s) && !engine_is_spent(s) && !s->def->problem;
	case STATE_WAITING:
		return s->priv->wait_until_us != 0 && conflict_lets_run(s);
	case STATE_READY:
	case STATE_DONE:
	case STATE_FAILED:
	case STATE_COUNT:
		break;
	}
	return s->priv->stop.is_leaving;
}

/*
 * Is the term false until the next boot? It is if all its literals are about the kernel command
 * line or the virtualization.
 */
static bool is_false_for_good(const Subscription *subscription)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const KeyPrefix prefix = subscription->conditions[i]->prefix;

		if (prefix != KEY_KERNEL && prefix != KEY_VIRTUAL)
			return false;
	}
	return level_now(subscription) == LEVEL_FALSE;
}

bool settled_waits_for_good(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		if (is_false_for_good(g_ptr_array_index(s->priv->subscriptions, i)))
			return true;
	}
	return false;
}

/* Is @s in U by itself? *@ret_by: a member that can keep @s in U, or NULL. */
static bool is_root(Service *s, Service **ret_by)
{
	bool is_held = false;
	/* @s waits only for external conditions, for a limited time */
	bool is_held_by_world = s->def->wait_limit_us > 0;

	*ret_by = NULL;
	if (is_moving(s))
		return true;
	if (s->state != STATE_WAITING || !conflict_lets_run(s) || settled_waits_for_good(s))
		return false;
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);
		const Level level = level_now(subscription);

		if (level == LEVEL_UNKNOWN)
			return true;
		if (level == LEVEL_FALSE) {
			is_held = true;
			is_held_by_world = is_held_by_world && wait_limit_covers(subscription);
			if (!*ret_by)
				*ret_by = settled_find_supplier(subscription);
		}
	}
	return is_held ? is_held_by_world : !engine_is_failing(s);
}

static bool is_still_supported_by(const Service *s, const Service *by)
{
	if (!by->priv->settle.is_unsettled || s->state != STATE_WAITING || !conflict_lets_run(s))
		return false;
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (level_now(subscription) != LEVEL_FALSE)
			continue;
		for (unsigned j = 0; j < term_length(subscription->term); j++) {
			const Condition *c = subscription->conditions[j];

			if (c->subject == by ||
			    (c->facility && g_ptr_array_find(c->facility->providers, by, NULL)))
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
 * Counts the services that are in U by themselves, because each other member depends on one of
 * these. Services that wait only for the login screen are not counted, so they do not delay the end
 * of the boot.
 */
static void count_for_boot(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const bool holds_up = priv->settle.is_unsettled && !priv->settle.by &&
			      !engine_waits_for_login_screen(s);

	if (priv->settle.holds_up_boot == holds_up)
		return;
	priv->settle.holds_up_boot = holds_up;
	priv->engine->n_holding_up += holds_up ? 1 : -1u;
	engine_queue(s, WORK_SETTLED_PUBLISH);
}

static void set_unsettled(Service *s, bool is_unsettled, Service *by)
{
	const bool has_changed = s->priv->settle.is_unsettled != is_unsettled;

	s->priv->settle.by = by;
	s->priv->settle.is_unsettled = is_unsettled;
	count_for_boot(s);
	if (!has_changed)
		return;
	s->priv->engine->n_unsettled += is_unsettled ? 1 : -1u;
	engine_queue(s, WORK_SETTLED_PUBLISH);
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

	if (!dependent->priv->settle.is_unsettled ||
	    dependent->priv->settle.by != collapse->leaving)
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

	if (priv->settle.is_unsettled && priv->settle.by &&
	    is_still_supported_by(s, priv->settle.by))
		return;
	if (is_root(s, &by)) {
		set_unsettled(s, true, NULL);
		return;
	}
	if (priv->settle.is_unsettled)
		collapse_from(s);
	else if (by)
		set_unsettled(s, true, by);
}

bool engine_is_settled(const Service *s)
{
	return !s->priv->settle.is_unsettled;
}

void settled_publish(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	if (priv->condition_settled)
		condition_set_level(priv->engine, priv->condition_settled,
				    priv->settle.is_unsettled ? LEVEL_FALSE : LEVEL_TRUE, NULL);
	for (unsigned i = 0; i < priv->facilities->len; i++)
		facility_publish_settled(priv->engine, g_ptr_array_index(priv->facilities, i));
	condition_watcher_settled(s);
	service_observe(s, s->state);
	priv->engine->ops.changed(priv->engine->data, s);
}

void settled_reset(Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		s->priv->settle.is_unsettled = s->priv->settle.holds_up_boot = false;
		s->priv->settle.by = NULL;
		engine_queue(s, WORK_SETTLED);
		engine_queue(s, WORK_SETTLED_PUBLISH);
	}
	engine->n_unsettled = engine->n_holding_up = 0;
}
