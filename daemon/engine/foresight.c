/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Foresight: who starts next, so that what its start needs can be made while nothing else is to be done.
 *
 * A guess from the present levels. Nothing follows from it here, so it need not be right: who is not named starts as
 * fast as ever, and who is named and does not start has had something made for him in vain.
 */
#include "config.h"

#include "engine/engine-private.h"

/* As many terms are looked at: what is cheap for one is so for a thousand that wait for the same service. */
#define LOOKED_AT 16

static bool names(const Slot *slot, const Service *s)
{
	for (unsigned i = 0; i < term_length(slot->term); i++) {
		if (slot->conditions[i]->subject == s && !term_literal(slot->term, i)->negated)
			return true;
	}
	return false;
}

/* Is each of its terms that is not true one that names @other? */
static bool waits_only_for(const Service *s, const Service *other)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->slots, i);

		n += slot->start_level != LEVEL_TRUE && names(slot, other);
	}
	return n > 0 && n == s->n_false;
}

static bool is_among(const Service *s, const Service *const *found, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (found[i] == s)
			return true;
	}
	return false;
}

unsigned engine_foresee(const Engine *engine, const char *service, const Service **ret_next, unsigned max)
{
	const Service *s = engine_find(engine, service);
	const Condition *c = s ? s->priv->condition_service : NULL;
	unsigned n = 0;

	for (unsigned i = 0; c && i < MIN(c->slots->len, LOOKED_AT) && n < max; i++) {
		const Service *next = ((const Slot *)g_ptr_array_index(c->slots, i))->service;

		if (next->state == STATE_WAITING && !service_is_group(next) && service_is_wanted(next) &&
		    !next->priv->is_suppressed && !is_among(next, ret_next, n) && waits_only_for(next, s))
			ret_next[n++] = next;
	}
	return n;
}
