/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wait limit: WaitTimeout=. While nothing but the world outside holds a wanted service back, it has so long to wait, and
 * counts as unsettled; then it has failed, with the terms that did not become true as the reason.
 *
 * The clock begins when the services that it waits for are out of the way, and is taken back when the world has supplied
 * all that it was to supply. In between it runs on whatever services do, so that a flapping one cannot wind it up again.
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"

/* What the kernel was told at boot does not change, and a package is set up by an admin: nobody waits for either. */
static bool may_change(const Condition *c)
{
	return !key_prefix_is_internal(c->prefix) && c->prefix != KEY_KERNEL && c->prefix != KEY_VIRTUAL &&
	       c->prefix != KEY_INSTALLED;
}

bool wait_limit_covers(const Slot *slot)
{
	for (unsigned i = 0; i < term_length(slot->term); i++) {
		if (may_change(slot->conditions[i]))
			return true;
	}
	return false;
}

/* Any term that the world is still to make true? *@ret_others: and one that it cannot. */
static bool waits_for_world(const Service *s, bool *ret_others)
{
	bool waits = false;

	*ret_others = false;
	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->start_level == LEVEL_TRUE)
			continue;
		if (wait_limit_covers(slot))
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
		/* It is in the note. A state that is just being left is told with its cause, a moment later. */
		if (s->state == STATE_WAITING)
			priv->engine->ops->changed(priv->engine->data, s);
	}
	engine_arm(s, ENGINE_TIMER_WAIT, until_us);
}

void wait_limit_update(Service *s)
{
	const int64_t limit_us = s->def->wait_limit_us;
	const int64_t latest_us = s->priv->engine->now_us + limit_us;
	int64_t until_us = s->priv->wait_until_us;
	bool has_others;

	if (limit_us == 0 || s->state != STATE_WAITING || !conflict_lets_run(s) || !waits_for_world(s, &has_others))
		until_us = 0;
	else if (until_us == 0 && !has_others)
		until_us = latest_us;
	/* What a note or an earlier file says is never later than that. */
	set_until(s, MIN(until_us, latest_us));
}

/* "label:DATA did not become true within 90 s: no volume has this label" */
static char *describe(const Service *s)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *limit = text_format_duration(s->def->wait_limit_us);
	const char *why = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		if (slot->start_level == LEVEL_TRUE || !wait_limit_covers(slot))
			continue;
		g_string_append_printf(text, "%s%s", n++ ? " and " : "", slot->term->text);
		why = term_length(slot->term) == 1 ? slot->conditions[0]->why : NULL;
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
	s->last_success = false;
	g_free(s->result);
	s->result = describe(s);
	/* Unknown until now or false: true will be news, and a new chance. */
	s->priv->was_false = true;
	service_apply(s, EVENT_WAIT_OVER, g_strdup(s->result));
}

int64_t service_wait_until(const Service *s)
{
	return s->state == STATE_WAITING ? s->priv->wait_until_us : 0;
}
