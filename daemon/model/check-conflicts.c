/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, conflicts: two services that policy wants together, although one of them excludes the
 * other. The engine decides which one runs (engine/conflict.c). The need for such a decision is an
 * error of the policy.
 */
#include "config.h"

#include <string.h>

#include "model/check-private.h"

typedef struct ConflictSearch {
	const Policy *policy;
	GPtrArray *runlevels; /* names, sorted */
	GHashTable *reported; /* the pairs "one two" that were reported, names sorted */
	DiagList *diags;
} ConflictSearch;

/*
 * Does an entry of policy want @def in @runlevel? A service that only NewServices= wants gives way,
 * because it may not even be installed.
 */
static bool is_wanted(const Policy *policy, const ServiceDef *def, const char *runlevel,
		      PolicyDecision *ret)
{
	policy_decide(policy, def->name, runlevel, ret);
	return ret->activation == ACTIVATION_BOOT && ret->in_runlevel && !ret->is_default;
}

static bool is_new_pair(ConflictSearch *search, const ServiceDef *one, const ServiceDef *two)
{
	const bool in_order = strcmp(one->name, two->name) < 0;

	return g_hash_table_add(search->reported,
				g_strdup_printf("%s %s", (in_order ? one : two)->name,
						(in_order ? two : one)->name));
}

/* Compares as the engine does: by the order in policy, then by name. */
static bool comes_first(const ServiceDef *one, const PolicyDecision *of_one, const ServiceDef *two,
			const PolicyDecision *of_two)
{
	return of_one->order != of_two->order ? of_one->order < of_two->order :
						strcmp(one->name, two->name) < 0;
}

static void report(ConflictSearch *search, const char *runlevel, const ServiceDef *winner,
		   const PolicyDecision *of_winner, const ServiceDef *loser,
		   const PolicyDecision *of_loser, const NameRef *conflict)
{
	g_autofree char *winner_at = origin_format(of_winner->runlevel_origin);
	g_autofree char *conflict_at = origin_format(conflict->origin);

	diag_error(search->diags, of_loser->runlevel_origin, loser->name,
		   "runlevel %s wants %s, and %s wants %s, but they conflict (%s); %s runs, %s "
		   "waits; take one out: "
		   "Activate=-%s in [runlevel %s]",
		   policy_runlevel_title(search->policy, runlevel), loser->name, winner_at,
		   winner->name, conflict_at, winner->name, loser->name, loser->name, runlevel);
}

static void look_at_pair(ConflictSearch *search, const ServiceDef *one, const ServiceDef *two,
			 const NameRef *conflict)
{
	for (guint i = 0; i < search->runlevels->len; i++) {
		const char *runlevel = g_ptr_array_index(search->runlevels, i);
		PolicyDecision of_one;
		PolicyDecision of_two;

		if (!is_wanted(search->policy, one, runlevel, &of_one) ||
		    !is_wanted(search->policy, two, runlevel, &of_two))
			continue;
		if (!is_new_pair(search, one, two))
			return;
		if (comes_first(one, &of_one, two, &of_two))
			report(search, runlevel, one, &of_one, two, &of_two, conflict);
		else
			report(search, runlevel, two, &of_two, one, &of_one, conflict);
		return;
	}
}

void check_conflicts(const ServiceSet *set, const Policy *policy, DiagList *diags)
{
	const GPtrArray *list = service_set_list(set);
	g_autoptr(GPtrArray) runlevels = policy_runlevels(policy);
	g_autoptr(GHashTable)
		reported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	ConflictSearch search = {
		.policy = policy, .runlevels = runlevels, .reported = reported, .diags = diags
	};

	for (guint i = 0; i < list->len; i++) {
		const ServiceDef *def = g_ptr_array_index(list, i);

		for (guint j = 0; j < def->conflicts->len; j++) {
			const NameRef *ref = g_ptr_array_index(def->conflicts, j);
			const ServiceDef *other = service_set_find(set, ref->name);

			/*
			 * A service with StandIn= gives way, and a service with an error does not
			 * run. So there is nothing to decide.
			 */
			if (other && other != def && other->stand_in == def->stand_in &&
			    !def->problem && !other->problem)
				look_at_pair(&search, def, other, ref);
		}
	}
}
