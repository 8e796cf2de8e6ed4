/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Oracle: naive algorithms, slow where that is plainer. Services that depend on each other are
 * computed together.
 */
#include "config.h"

#include "tests/sim/oracle.h"

#include <string.h>

#include "tests/sim/levels.h"

#define UNKNOWN_LIMIT_US (30 * G_USEC_PER_SEC)

/* --- names --- */

Service *oracle_find(const Machine *m, const char *name)
{
	return engine_find(m->sim.engine, name);
}

bool oracle_is_active(const Service *s)
{
	return s->state == STATE_STARTING || s->state == STATE_READY || s->state == STATE_DONE ||
	       s->state == STATE_STOPPING;
}

bool oracle_is_named(const GPtrArray *refs, const char *name)
{
	for (unsigned i = 0; i < refs->len; i++) {
		const NameRef *ref = g_ptr_array_index(refs, i);

		if (strcmp(ref->name, name) == 0)
			return true;
	}
	return false;
}

bool oracle_conflict(const Service *a, const Service *b)
{
	return a != b && (oracle_is_named(a->def->conflicts, b->def->name) ||
			  oracle_is_named(b->def->conflicts, a->def->name));
}

/* --- levels --- */

typedef struct LevelContext {
	Machine *m;
	bool for_start; /* a level that has been unknown for long counts as false */
} LevelContext;

/* A provider that is up, but is the engine's reason for a missing facility, is about to stop. */
static bool is_leaving_facility(const Machine *m, const Service *s, const char *key)
{
	g_autofree char *leaving =
		g_strdup_printf("%s is %s", s->def->name, service_state_name(s->state));
	ConditionView view;

	return engine_condition(m->sim.engine, key, &view) && g_strcmp0(view.why, leaving) == 0;
}

static Level facility_level(Machine *m, const char *key)
{
	const char *name = key_argument(key);
	const GPtrArray *services = engine_services(m->sim.engine);
	Level level = LEVEL_FALSE;

	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (!oracle_is_named(s->def->provides, name) || !service_is_wanted(s))
			continue;
		if (!service_is_up(s) || is_leaving_facility(m, s, key))
			return LEVEL_FALSE;
		level = LEVEL_TRUE;
	}
	return level;
}

/* A service counts as down as soon as it is about to stop, while its dependents stop first. */
static bool is_about_to_stop(const Machine *m, const Service *s, const char *prefix)
{
	g_autofree char *key = g_strconcat(prefix, s->def->name, NULL);
	ConditionView view;

	return engine_condition(m->sim.engine, key, &view) &&
	       g_str_has_suffix(view.why ? view.why : "", "about to stop");
}

/* The health of the present run. A level that has been unknown for long counts as false. */
static Level healthy_level(const LevelContext *context, const char *key, const Service *s)
{
	const SimProcess *p = machine_process(context->m, s->def->name);
	ConditionView view;

	if (!service_is_up(s) || is_about_to_stop(context->m, s, "healthy:"))
		return LEVEL_FALSE;
	if (p->health_run == s->invocation && p->health != HEALTH_UNKNOWN)
		return p->health == HEALTH_HEALTHY ? LEVEL_TRUE : LEVEL_FALSE;
	if (context->for_start && engine_condition(context->m->sim.engine, key, &view) &&
	    context->m->sim.now_us - view.since_us >= UNKNOWN_LIMIT_US)
		return LEVEL_FALSE;
	return LEVEL_UNKNOWN;
}

static Level level_of(const char *key, void *data)
{
	const LevelContext *context = data;
	const char *argument = key_argument(key);
	const SimLevel *external;
	const Service *s;

	if (g_str_has_prefix(key, "facility:"))
		return facility_level(context->m, key);
	if (g_str_has_prefix(key, "service:") || g_str_has_prefix(key, "active:") ||
	    g_str_has_prefix(key, "healthy:")) {
		s = oracle_find(context->m, argument);
		if (!s)
			return LEVEL_FALSE;
		if (*key == 'h')
			return healthy_level(context, key, s);
		if (*key == 'a')
			return oracle_is_active(s) ? LEVEL_TRUE : LEVEL_FALSE;
		return service_is_up(s) && !is_about_to_stop(context->m, s, "service:") ?
			       LEVEL_TRUE :
			       LEVEL_FALSE;
	}
	external = levels_find(context->m, key);
	/*
	 * The engine may have learned a moment earlier that the limit expired, so a microsecond of
	 * difference is allowed.
	 */
	if (context->for_start && external->reported == LEVEL_UNKNOWN &&
	    context->m->sim.now_us - external->reported_us >= UNKNOWN_LIMIT_US)
		return LEVEL_FALSE;
	return external->reported;
}

const Term *oracle_find_untrue(Machine *m, const GPtrArray *terms)
{
	LevelContext context = { .m = m, .for_start = true };

	for (unsigned i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		if (term_evaluate(term, level_of, &context) != LEVEL_TRUE)
			return term;
	}
	return NULL;
}

bool oracle_any_false(Machine *m, const GPtrArray *terms)
{
	LevelContext context = { .m = m };

	for (unsigned i = 0; i < terms->len; i++) {
		if (term_evaluate(g_ptr_array_index(terms, i), level_of, &context) == LEVEL_FALSE)
			return true;
	}
	return false;
}

bool oracle_all_true(Machine *m, const GPtrArray *terms)
{
	LevelContext context = { .m = m };

	for (unsigned i = 0; i < terms->len; i++) {
		if (term_evaluate(g_ptr_array_index(terms, i), level_of, &context) != LEVEL_TRUE)
			return false;
	}
	return true;
}

/* --- wanting: naive spreading from the roots, until nothing changes --- */

typedef enum Grade { NOT_WANTED, LINGERING, WANTED, WANTED_BY_ADMIN } Grade;

static Grade root_of(const Service *s)
{
	if (s->admin == ADMIN_STOP || s->policy.activation == ACTIVATION_NEVER)
		return NOT_WANTED;
	if (s->admin == ADMIN_START)
		return WANTED_BY_ADMIN;
	if (s->policy.activation == ACTIVATION_BOOT && s->policy.in_runlevel)
		return WANTED;
	if ((s->admin == ADMIN_DEMAND || s->admin == ADMIN_CONNECTION) &&
	    s->policy.activation != ACTIVATION_MANUAL)
		return WANTED;
	return s->want_reason == WANT_LINGER ? LINGERING : NOT_WANTED;
}

static bool spread(Grade *grades, const GPtrArray *services, Grade from, const Service *needed)
{
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (s != needed)
			continue;
		if (s->admin == ADMIN_STOP || s->policy.activation == ACTIVATION_NEVER ||
		    grades[i] >= from)
			return false;
		if (s->policy.activation == ACTIVATION_MANUAL && from != WANTED_BY_ADMIN)
			return false;
		grades[i] = from;
		return true;
	}
	return false;
}

static bool spread_from(const Machine *m, Grade *grades, const GPtrArray *services, unsigned index)
{
	const Service *s = g_ptr_array_index(services, index);
	bool has_spread = false;
	const GPtrArray *lists[] = { s->when, s->while_terms };

	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const char *need = term_need(g_ptr_array_index(lists[l], i));

			if (need)
				has_spread |= spread(grades, services, grades[index],
						     oracle_find(m, need));
		}
	}
	for (unsigned i = 0; i < s->def->wants->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->wants, i);

		has_spread |= spread(grades, services, grades[index], oracle_find(m, ref->name));
	}
	return has_spread;
}

void oracle_wanted(Machine *m, bool *ret_wanted)
{
	const GPtrArray *services = engine_services(m->sim.engine);
	Grade grades[PLAN_MAX_SERVICES];
	bool has_spread = true;

	for (unsigned i = 0; i < services->len; i++)
		grades[i] = root_of(g_ptr_array_index(services, i));
	while (has_spread) {
		has_spread = false;
		for (unsigned i = 0; i < services->len; i++) {
			if (grades[i] != NOT_WANTED)
				has_spread |= spread_from(m, grades, services, i);
		}
	}
	for (unsigned i = 0; i < services->len; i++)
		ret_wanted[i] = grades[i] != NOT_WANTED;
}

/* --- conflicts: by rank, each service that no higher one excludes --- */

static bool ranks_above(const Service *a, const Service *b)
{
	const int64_t a_at = a->admin == ADMIN_START ? a->admin_at_us : -1;
	const int64_t b_at = b->admin == ADMIN_START ? b->admin_at_us : -1;
	const unsigned a_order = a->policy.is_default ? UINT_MAX : a->policy.order;
	const unsigned b_order = b->policy.is_default ? UINT_MAX : b->policy.order;

	if (a->def->stand_in != b->def->stand_in)
		return b->def->stand_in;
	if (a_at != b_at)
		return a_at > b_at;
	if (a_order != b_order)
		return a_order < b_order;
	return strcmp(a->def->name, b->def->name) < 0;
}

static bool is_false_until_next_boot(Machine *m, const Term *term)
{
	LevelContext context = { .m = m };

	for (unsigned i = 0; i < term_length(term); i++) {
		if (term_literal(term, i)->prefix != KEY_KERNEL)
			return false;
	}
	return term_evaluate(term, level_of, &context) == LEVEL_FALSE;
}

/* Will @s not start again? It has ended, or a term is false until the next boot. */
static bool has_given_up(Machine *m, const Service *s)
{
	const GPtrArray *lists[] = { s->when, s->while_terms };

	if (oracle_is_active(s))
		return false;
	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			if (is_false_until_next_boot(m, g_ptr_array_index(lists[l], i)))
				return true;
		}
	}
	return s->def->problem || s->state == STATE_FAILED || s->state == STATE_IDLE;
}

static bool has_settled(const Term *term)
{
	for (unsigned i = 0; i < term_length(term); i++) {
		if (term_literal(term, i)->prefix == KEY_SETTLED)
			return true;
	}
	return false;
}

static bool is_meant(Machine *m, const Literal *literal, const Service *s)
{
	const char *argument = key_argument(literal->key);

	if (literal->negated || !key_prefix_is_internal(literal->prefix))
		return false;
	return *argument == '$' ? oracle_is_named(s->def->provides, argument) :
				  oracle_find(m, argument) == s;
}

static bool names(Machine *m, const Service *s, const Service *other)
{
	const GPtrArray *lists[] = { s->when, s->while_terms };

	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			for (unsigned j = 0; j < term_length(term) && !has_settled(term); j++) {
				if (is_meant(m, term_literal(term, j), other))
					return true;
			}
		}
	}
	return false;
}

/* Does a chain of at most @n_steps references lead from @s to @other? */
static bool leads_to(Machine *m, const Service *s, const Service *other, unsigned n_steps)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	if (s == other || names(m, s, other))
		return true;
	for (unsigned i = 0; n_steps > 0 && i < services->len; i++) {
		const Service *next = g_ptr_array_index(services, i);

		if (next != s && names(m, s, next) && leads_to(m, next, other, n_steps - 1))
			return true;
	}
	return false;
}

bool oracle_loses_conflict(Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		if (oracle_conflict(s, other) && service_is_wanted(other) &&
		    ranks_above(other, s) && !oracle_loses_conflict(m, other) &&
		    (!s->def->stand_in || other->def->stand_in || !has_given_up(m, other) ||
		     leads_to(m, other, s, services->len)))
			return true;
	}
	return false;
}

/* --- settled: spread from the moving services --- */

static bool is_moving(const Service *s)
{
	return (s->state == STATE_STARTING || s->state == STATE_STOPPING ||
		s->state == STATE_BACKOFF) &&
	       !engine_is_failing(s);
}

Service *oracle_subject(const Machine *m, const char *key)
{
	if (!g_str_has_prefix(key, "service:") && !g_str_has_prefix(key, "settled:") &&
	    !g_str_has_prefix(key, "active:") && !g_str_has_prefix(key, "healthy:"))
		return NULL;
	return oracle_find(m, key_argument(key));
}

static bool has_after_facility(const Service *s)
{
	for (unsigned i = 0; i < s->def->after->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->after, i);

		if (*ref->name == '$')
			return true;
	}
	return false;
}

bool oracle_is_about_to_start(Machine *m, const Service *s, GHashTable *unsettled)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	if (s->def->problem || oracle_find_untrue(m, s->when) ||
	    oracle_find_untrue(m, s->while_terms))
		return false;
	for (unsigned i = 0; i < services->len; i++) {
		Service *other = g_ptr_array_index(services, i);

		if (oracle_conflict(s, other) && oracle_is_active(other))
			return false;
		if (oracle_is_named(s->def->after, other->def->name) &&
		    g_hash_table_contains(unsettled, other))
			return false;
	}
	/* After=$facility is not evaluated here. */
	return !has_after_facility(s);
}

static bool is_term_of_world(const Term *term)
{
	for (unsigned i = 0; i < term_length(term); i++) {
		if (term_literal(term, i)->prefix == KEY_FLAG)
			return true;
	}
	return false;
}

/* Is an external term not true? Is another term not true? */
static void find_holders(Machine *m, const Service *s, bool *ret_world, bool *ret_others)
{
	LevelContext context = { .m = m, .for_start = true };
	const GPtrArray *lists[] = { s->when, s->while_terms };

	*ret_world = *ret_others = false;
	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			if (term_evaluate(term, level_of, &context) == LEVEL_TRUE)
				continue;
			*(is_term_of_world(term) ? ret_world : ret_others) = true;
		}
	}
}

bool oracle_waits_for_world(Machine *m, const Service *s)
{
	bool by_world;
	bool by_others;

	find_holders(m, s, &by_world, &by_others);
	return by_world;
}

bool oracle_is_held_by_others(Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);
	bool by_world;
	bool by_others;

	find_holders(m, s, &by_world, &by_others);
	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		if (oracle_conflict(s, other) && oracle_is_active(other))
			return true;
	}
	return by_others;
}

bool oracle_is_held_by_world_only(Machine *m, const Service *s)
{
	return oracle_waits_for_world(m, s) && !oracle_is_held_by_others(m, s);
}

/* The kernel command line is constant until the next boot. */
static bool is_term_of_kernel(const Term *term)
{
	for (unsigned i = 0; i < term_length(term); i++) {
		if (term_literal(term, i)->prefix != KEY_KERNEL)
			return false;
	}
	return true;
}

/* Does the kernel command line hold @s until the next boot? */
static bool waits_for_good(Machine *m, const Service *s)
{
	LevelContext context = { .m = m, .for_start = true };
	const GPtrArray *lists[] = { s->when, s->while_terms };

	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			if (is_term_of_kernel(term) &&
			    term_evaluate(term, level_of, &context) != LEVEL_TRUE)
				return true;
		}
	}
	return false;
}

static bool is_unsettled(Machine *m, const Service *s, GHashTable *unsettled)
{
	LevelContext context = { .m = m, .for_start = true };
	const GPtrArray *lists[] = { s->when, s->while_terms };

	if (is_moving(s))
		return true;
	if (s->state != STATE_WAITING || !service_is_wanted(s) || oracle_loses_conflict(m, s) ||
	    waits_for_good(m, s))
		return false;
	if (oracle_is_about_to_start(m, s, unsettled))
		return !engine_is_failing(s);
	if (s->def->wait_limit_us > 0 && !has_after_facility(s) &&
	    oracle_is_held_by_world_only(m, s))
		return true;
	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			if (term_evaluate(term, level_of, &context) == LEVEL_TRUE)
				continue;
			for (unsigned j = 0; j < term_length(term); j++) {
				const Service *subject =
					oracle_subject(m, term_literal(term, j)->key);

				if (subject && subject != s &&
				    g_hash_table_contains(unsettled, subject))
					return true;
			}
		}
	}
	for (unsigned i = 0; i < s->def->after->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->after, i);
		const Service *subject = oracle_find(m, ref->name);

		if (subject && subject != s && g_hash_table_contains(unsettled, subject))
			return true;
	}
	return false;
}

GHashTable *oracle_unsettled(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);
	GHashTable *unsettled = g_hash_table_new(NULL, NULL);
	bool has_grown = true;

	while (has_grown) {
		has_grown = false;
		for (unsigned i = 0; i < services->len; i++) {
			Service *s = g_ptr_array_index(services, i);

			if (!g_hash_table_contains(unsettled, s) && is_unsettled(m, s, unsettled))
				has_grown = g_hash_table_add(unsettled, s);
		}
	}
	return unsettled;
}
