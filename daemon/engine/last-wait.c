/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last wait: for a service that is about to start, the condition that it waited for last. This is
 * computed from the times of its conditions, so nothing is recorded while it waits.
 */
#include "config.h"

#include "engine/engine-private.h"

/* A wait that has ended, with its condition and time. */
typedef struct Wait {
	const Condition *condition; /* NULL: no wait */
	int64_t until_us;
} Wait;

/*
 * The time of the last change. An unknown level counts as false from the time when it became stale.
 * If a condition was rebuilt, with the definitions or by a new manager, the time of the service's
 * state is used.
 */
static int64_t condition_changed_us(const Condition *c)
{
	if (c->subject && key_prefix_is_internal(c->prefix)) {
		const Engine *engine = c->subject->priv->engine;

		if (c->since_us <= MAX(engine->begun_us, engine->rebuilt_us))
			return c->subject->since_us;
	}
	return c->is_stale ? c->stale_us : c->since_us;
}

static bool is_literal_true(const Subscription *subscription, unsigned i)
{
	const Condition *c = subscription->conditions[i];

	if (term_literal(subscription->term, i)->negated)
		return c->level == LEVEL_FALSE || c->is_stale;
	return c->level == LEVEL_TRUE;
}

/* A term became true when the first of its literals that are true now became true. */
static Wait subscription_wait(const Subscription *subscription)
{
	Wait wait = { 0 };

	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];

		if (is_literal_true(subscription, i) &&
		    (!wait.condition || condition_changed_us(c) < wait.until_us))
			wait = (Wait){ .condition = c, .until_us = condition_changed_us(c) };
	}
	return wait;
}

/* If two waits ended in the same event, readiness is more informative than settled:. */
static bool is_later(const Wait *a, const Wait *b)
{
	if (!a->condition || !b->condition)
		return a->condition != NULL;
	if (a->until_us != b->until_us)
		return a->until_us > b->until_us;
	return b->condition->prefix == KEY_SETTLED && a->condition->prefix != KEY_SETTLED;
}

static Wait find_last_wait(const Service *s)
{
	Wait last = { 0 };

	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Wait wait = subscription_wait(g_ptr_array_index(s->priv->subscriptions, i));

		if (is_later(&wait, &last))
			last = wait;
	}
	return last;
}

/* The provider of a facility that changed last. */
static const Service *last_provider(const Facility *f)
{
	const Service *last = NULL;

	for (unsigned i = 0; i < f->providers->len; i++) {
		const Service *s = g_ptr_array_index(f->providers, i);

		if (!last || s->since_us > last->since_us)
			last = s;
	}
	return last;
}

static const char *name_of_ended(const Condition *c, const Engine *engine)
{
	const Service *s = c->subject;

	if (c->facility)
		s = last_provider(c->facility);
	else if (!s)
		s = condition_source(engine, c);
	return s ? g_intern_string(s->def->name) : NULL;
}

LastWait engine_last_wait(const Service *s)
{
	const struct ServicePrivate *priv = s->priv;
	const Wait wait = find_last_wait(s);
	LastWait last = { 0 };

	if (wait.condition) {
		last.key = wait.condition->key;
		last.by = name_of_ended(wait.condition, priv->engine);
		last.until_us = wait.until_us;
	}
	if (priv->turn.lock && priv->turn.since_us != 0 &&
	    priv->turn.since_us < priv->engine->now_us) {
		last.lock = priv->turn.lock->name;
		last.lock_by = priv->turn.lock->last_holder;
	}
	return last;
}
