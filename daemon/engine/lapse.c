/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lapse: While= terms that are false, for how long, and the effect of OnLapse=.
 */
#include "config.h"

#include "engine/engine-private.h"

/* While its package is being removed, a service stops, whatever OnLapse= is. */
static bool is_being_removed(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind == SLOT_HOLD && slot->level == LEVEL_FALSE && slot->conditions[0]->prefix == KEY_INSTALLED)
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

static const Slot *find_false_hold(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind == SLOT_HOLD && slot->level == LEVEL_FALSE)
			return slot;
	}
	return NULL;
}

char *lapse_text(const Service *s)
{
	const Slot *slot = find_false_hold(s);

	for (unsigned i = 0; slot && i < term_length(slot->term); i++) {
		if (slot_mount_ends(slot, i))
			return g_strdup_printf("%s is about to be false: %s stops", slot->term->text,
					       slot->conditions[i]->subject->def->name);
	}
	return slot ? g_strdup_printf("%s is false", slot->term->text) : g_strdup("a condition is false");
}

/*
 * A service that this one holds on to will be down for good, so waiting for Settle= would only
 * delay its stop. A mount that stops counts even if it will return, because no process may use it
 * while it is unmounted.
 */
static bool is_lapse_final(const Service *s)
{
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->kind != SLOT_HOLD || slot->level != LEVEL_FALSE)
			continue;
		for (unsigned j = 0; j < term_length(slot->term); j++) {
			const Condition *c = slot->conditions[j];

			if ((c->prefix == KEY_SERVICE || c->prefix == KEY_HEALTHY) && c->subject && !conflict_lets_run(c->subject))
				return true;
			if (slot_mount_ends(slot, j))
				return true;
		}
	}
	return false;
}

static void reload_on_lapse(Service *s, const char *text)
{
	if (s->def->reload.kind == ACTION_NONE || !request_reload_fits(s)) {
		service_remark(s, g_strdup_printf("%s; kept, because it cannot be reloaded now (OnLapse=reload)", text));
		return;
	}
	service_remark(s, g_strdup_printf("%s; reloaded (OnLapse=reload)", text));
	request_begin_reload(s);
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

void lapse_update(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const int64_t now_us = priv->engine->now_us;

	if (priv->n_hold_false == 0) {
		priv->lapse_since_us = 0;
		priv->is_lapsed = false;
		engine_arm(s, ENGINE_TIMER_SETTLE, 0);
		return;
	}
	if (priv->is_lapsed)
		return;
	if (!priv->lapse_since_us)
		priv->lapse_since_us = MAX(now_us, 1);
	if (now_us < priv->lapse_since_us + s->def->settle_us && !is_lapse_final(s) && !is_being_removed(s)) {
		engine_arm(s, ENGINE_TIMER_SETTLE, priv->lapse_since_us + s->def->settle_us);
		return;
	}
	engine_arm(s, ENGINE_TIMER_SETTLE, 0);
	priv->is_lapsed = true;
	act_on_lapse(s);
}
