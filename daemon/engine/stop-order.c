/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stop order: the services that must end before a service may stop. It is the reverse of the start
 * order. StopAfter= and StopBefore= have precedence. With StopOrder=said, all other lines of a
 * service file order only starts. A line in the file of another service follows the StopOrder= of
 * that file. The edges are made at load (load.c).
 *
 * A service that leaves or stops blocks the services in priv->stop.after. Each of these counts its
 * blockers, so the cost of an end depends on the number of services that wait for it.
 */
#include "config.h"

#include "engine/engine-private.h"

#include "base/list.h"

static void set_blocking(Service *s, bool is_blocking)
{
	if (s->priv->stop.is_blocking == is_blocking)
		return;
	s->priv->stop.is_blocking = is_blocking;
	for (unsigned i = 0; i < s->priv->stop.after->len; i++) {
		Service *later = g_ptr_array_index(s->priv->stop.after, i);

		later->priv->stop.n_blockers += is_blocking ? 1 : -1u;
		if (later->priv->stop.n_blockers == 0 && later->priv->stop.is_leaving)
			engine_queue(later, WORK_STOP);
	}
}

void stop_order_state_changed(Service *s)
{
	set_blocking(s, s->priv->stop.is_leaving || s->state == STATE_STOPPING);
}

void stop_order_set_leaving(Service *s, bool is_leaving)
{
	Engine *engine = s->priv->engine;

	if (s->priv->stop.is_leaving == is_leaving)
		return;
	s->priv->stop.is_leaving = is_leaving;
	if (is_leaving) {
		engine->n_leaving++;
		engine_queue(s, WORK_STOP);
	} else {
		engine->n_leaving--;
	}
	stop_order_state_changed(s);
	engine_queue(s, WORK_LEVEL);
	engine_queue(s, WORK_SETTLED);
}

/* --- edges --- */

static void add_declared(Engine *engine, Service *s)
{
	for (unsigned i = 0; i < s->def->stop_after->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->stop_after, i);
		Service *first = engine_resolve(engine, ref->name);

		if (!first || first == s || g_ptr_array_find(first->priv->stop.after, s, NULL))
			continue;
		list_add(&first->priv->stop.after, s, NULL);
		first->priv->stop.n_after_said++;
	}
}

/*
 * @s was started after @before, so @before stops after @s, unless StopAfter= or StopBefore=
 * reverses that.
 */
static void add_reverse(Service *s, Service *before)
{
	for (unsigned i = 0; i < before->priv->stop.n_after_said; i++) {
		if (g_ptr_array_index(before->priv->stop.after, i) == s)
			return;
	}
	if (before != s && !g_ptr_array_find(s->priv->stop.after, before, NULL))
		list_add(&s->priv->stop.after, before, NULL);
}

/* Does the line also order stops, in reverse? StopOrder= in the file that contains it decides. */
static bool orders_stopping(const Subscription *subscription, const Service *before)
{
	const Service *author = subscription->is_turned ? before : subscription->service;

	return author->def->stop_order == STOP_ORDER_REVERSE;
}

static void add_reverse_of_literal(const Subscription *subscription, const Condition *c)
{
	if (c->prefix != KEY_SERVICE && c->prefix != KEY_HEALTHY && c->prefix != KEY_SETTLED &&
	    c->prefix != KEY_FACILITY && c->prefix != KEY_MOUNTED)
		return;
	if (c->subject && orders_stopping(subscription, c->subject))
		add_reverse(subscription->service, c->subject);
	for (unsigned i = 0; c->facility && i < c->facility->providers->len; i++) {
		Service *before = g_ptr_array_index(c->facility->providers, i);

		if (orders_stopping(subscription, before))
			add_reverse(subscription->service, before);
	}
}

static void add_reverse_of_start(Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		for (unsigned j = 0; j < term_length(subscription->term); j++) {
			if (!term_literal(subscription->term, j)->negated)
				add_reverse_of_literal(subscription, subscription->conditions[j]);
		}
	}
}

void stop_order_clear(Service *s)
{
	StopState *stop = &s->priv->stop;

	list_empty(stop->after);
	stop->n_after_said = stop->n_blockers = 0;
	stop->is_blocking = false;
}

void stop_order_rebuild(Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++)
		add_declared(engine, g_ptr_array_index(engine->services, i));
	for (unsigned i = 0; i < engine->services->len; i++)
		add_reverse_of_start(g_ptr_array_index(engine->services, i));
	for (unsigned i = 0; i < engine->services->len; i++)
		stop_order_state_changed(g_ptr_array_index(engine->services, i));
}

Service *stop_order_break_cycle(Engine *engine)
{
	Service *newest = NULL;

	if (engine->n_leaving == 0 || engine->n_stopping > 0)
		return NULL;
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (s->priv->stop.is_leaving && (!newest || s->started_us > newest->started_us))
			newest = s;
	}
	return newest;
}
