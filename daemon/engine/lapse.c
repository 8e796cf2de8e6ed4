/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lapse: measures for how long While= terms are false, and applies OnLapse=.
 */
#include "config.h"

#include "engine/engine-private.h"

/* While its package is being removed, a service stops, whatever OnLapse= is. */
static bool is_being_removed(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind == TERM_WHILE && subscription->level == LEVEL_FALSE &&
		    subscription->conditions[0]->prefix == KEY_INSTALLED)
			return true;
	}
	return false;
}

OnLapse engine_on_lapse(const Service *s)
{
	const PolicyService *extra = policy_service(s->priv->engine->policy, s->def->name);

	if (is_being_removed(s))
		return ON_LAPSE_STOP;
	return extra && extra->has_on_lapse ? extra->on_lapse : s->def->on_lapse;
}

static const Subscription *find_false_while(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind == TERM_WHILE && subscription->level == LEVEL_FALSE)
			return subscription;
	}
	return NULL;
}

char *lapse_text(const Service *s)
{
	const Subscription *subscription = find_false_while(s);

	for (unsigned i = 0; subscription && i < term_length(subscription->term); i++) {
		if (subscription_mount_ends(subscription, i))
			return g_strdup_printf("%s is about to be false: %s stops",
					       subscription->term->text,
					       subscription->conditions[i]->subject->def->name);
	}
	return subscription ? g_strdup_printf("%s is false", subscription->term->text) :
			      g_strdup("a condition is false");
}

/*
 * Does a false While= term name a service that will stay down? Then waiting for Settle= would only
 * delay the stop. The same applies to a mount that stops, even if it will return, because no
 * process may use it while it is unmounted.
 */
static bool is_lapse_final(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind != TERM_WHILE || subscription->level != LEVEL_FALSE)
			continue;
		for (unsigned j = 0; j < term_length(subscription->term); j++) {
			const Condition *c = subscription->conditions[j];

			if ((c->prefix == KEY_SERVICE || c->prefix == KEY_HEALTHY) && c->subject &&
			    !conflict_lets_run(c->subject))
				return true;
			if (subscription_mount_ends(subscription, j))
				return true;
		}
	}
	return false;
}

static void reload_on_lapse(Service *s, const char *text)
{
	if (s->def->reload.kind == ACTION_NONE || !request_reload_fits(s)) {
		service_remark(
			s, g_strdup_printf(
				   "%s; kept, because it cannot be reloaded now (OnLapse=reload)",
				   text));
		return;
	}
	service_remark(s, g_strdup_printf("%s; reloaded (OnLapse=reload)", text));
	run_begin_reload(s);
}

static void act_on_lapse(Service *s)
{
	g_autofree char *text = lapse_text(s);

	switch (engine_on_lapse(s)) {
	case ON_LAPSE_STOP:
		service_retry_stop(s);
		break;
	case ON_LAPSE_COUNT:
		break;
	case ON_LAPSE_KEEP:
		service_remark(s, g_strdup_printf("%s; kept (OnLapse=keep)", text));
		break;
	case ON_LAPSE_RELOAD:
		reload_on_lapse(s, text);
		break;
	}
}

void lapse_end(Service *s)
{
	s->priv->lapse = (LapseState){ 0 };
	engine_arm(s, ENGINE_TIMER_SETTLE, 0);
}

void lapse_update(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const int64_t now_us = priv->engine->now_us;

	if (priv->terms.n_while_false == 0) {
		lapse_end(s);
		return;
	}
	if (priv->lapse.is_over)
		return;
	if (!priv->lapse.since_us)
		priv->lapse.since_us = MAX(now_us, 1);
	if (now_us < priv->lapse.since_us + s->def->settle_us && !is_lapse_final(s) &&
	    !is_being_removed(s)) {
		engine_arm(s, ENGINE_TIMER_SETTLE, priv->lapse.since_us + s->def->settle_us);
		return;
	}
	engine_arm(s, ENGINE_TIMER_SETTLE, 0);
	priv->lapse.is_over = true;
	act_on_lapse(s);
}
