/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wait limit: WaitTimeout=. While only external conditions delay a wanted service, its wait is
 * limited, and it counts as unsettled. After the limit it fails, and the reason names the terms
 * that did not become true.
 *
 * The timer starts when the other services that it waits for are up, and stops when all external
 * conditions are true. In between, changes of services do not affect it, so a flapping service
 * cannot restart the timer.
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"

/*
 * The kernel command line never changes, and only an admin installs packages, and a time comes by
 * itself. A wait for one of these has no limit.
 */
static bool may_change(const Condition *c)
{
	return !key_prefix_is_internal(c->prefix) && c->prefix != KEY_KERNEL &&
	       c->prefix != KEY_VIRTUAL && c->prefix != KEY_INSTALLED && c->prefix != KEY_DUE &&
	       c->prefix != KEY_TIME;
}

bool wait_limit_covers(const Subscription *subscription)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		if (may_change(subscription->conditions[i]))
			return true;
	}
	return false;
}

/*
 * Does a term wait for an external condition? *@ret_others: does another term wait for anything
 * else?
 */
static bool waits_for_world(const Service *s, bool *ret_others)
{
	bool waits = false;

	*ret_others = false;
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->start_level == LEVEL_TRUE)
			continue;
		if (wait_limit_covers(subscription))
			waits = true;
		else
			*ret_others = true;
	}
	return waits;
}

static void set_until(Service *s, int64_t until_us)
{
	struct ServicePrivate *priv = s->priv;

	if (priv->wait_until_us != until_us) {
		priv->wait_until_us = until_us;
		engine_queue(s, WORK_SETTLED);
		/*
		 * The note contains the limit, so the change is reported. If the service is leaving
		 * its state, the new state is reported with its cause a moment later.
		 */
		if (s->state == STATE_WAITING)
			priv->engine->ops.changed(priv->engine->data, s);
	}
	engine_arm(s, ENGINE_TIMER_WAIT, until_us);
}

void wait_limit_update(Service *s)
{
	const int64_t limit_us = s->def->wait_limit_us;
	const int64_t latest_us = s->priv->engine->now_us + limit_us;
	int64_t until_us = s->priv->wait_until_us;
	bool has_others;

	if (limit_us == 0 || s->state != STATE_WAITING || !conflict_lets_run(s) ||
	    !waits_for_world(s, &has_others))
		until_us = 0;
	else if (until_us == 0 && !has_others)
		until_us = latest_us;
	/* A limit from a note or an earlier file may be too late. */
	set_until(s, MIN(until_us, latest_us));
}

/* "label:DATA did not become true within 90 s: no volume has this label" */
static char *describe(const Service *s)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *limit = text_format_duration(s->def->wait_limit_us);
	const char *why = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->start_level == LEVEL_TRUE || !wait_limit_covers(subscription))
			continue;
		g_string_append_printf(text, "%s%s", n++ ? " and " : "", subscription->term->text);
		why = term_length(subscription->term) == 1 ? subscription->conditions[0]->why :
							     NULL;
	}
	g_string_append_printf(text, " did not become true within %s", limit);
	if (n == 1 && why)
		g_string_append_printf(text, ": %s", why);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

void wait_limit_over(Service *s)
{
	if (s->state != STATE_WAITING)
		return;
	run_set_result(s, false, false, describe(s));
	/* A term was unknown or false. When all are true, the service gets a new chance. */
	run_set_was_false(s, true);
	service_apply(s, EVENT_WAIT_OVER, g_strdup(s->result));
}

void wait_limit_restore(Service *s, int64_t until_us)
{
	s->priv->wait_until_us = until_us;
}

int64_t service_wait_until(const Service *s)
{
	return s->state == STATE_WAITING ? s->priv->wait_until_us : 0;
}
