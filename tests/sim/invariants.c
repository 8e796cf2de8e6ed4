/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invariants: the engine's states and actions, compared with an oracle (oracle.h).
 */
#include "config.h"

#include "tests/sim/invariants.h"

#include <string.h>

#include "boot/boot-record.h"
#include "boot/progress.h"
#include "engine/explain.h"
#include "tests/sim/oracle.h"
#include "tests/sim/requests.h"

/* --- at a start --- */

static void check_conflicts_at_start(Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		if (oracle_conflict(s, other) && machine_process(m, other->def->name)->run->is_live)
			machine_fail(m, "%s was started while %s ran, which it conflicts with",
				     s->def->name, other->def->name);
	}
	if (oracle_loses_conflict(m, s))
		machine_fail(m, "%s was started, but loses a conflict", s->def->name);
}

static void check_order_at_start(Machine *m, const Service *s)
{
	g_autoptr(GHashTable) unsettled = oracle_unsettled(m);

	for (unsigned i = 0; i < s->def->after->len; i++) {
		const NameRef *ref = g_ptr_array_index(s->def->after, i);
		const Service *before = oracle_find(m, ref->name);

		if (before && before != s && g_hash_table_contains(unsettled, before))
			machine_fail(m, "%s was started before %s, which is %s, had settled",
				     s->def->name, before->def->name,
				     service_state_name(before->state));
	}
}

/* --- StartLock= --- */

/* Another service that has the same lock and starts or stops, or NULL. */
static const Service *find_lock_holder(const Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		if (other != s && g_strcmp0(other->def->start_lock, s->def->start_lock) == 0 &&
		    (other->state == STATE_STARTING || other->state == STATE_STOPPING))
			return other;
	}
	return NULL;
}

static void check_lock_at_start(Machine *m, const Service *s)
{
	const Service *other = s->def->start_lock ? find_lock_holder(m, s) : NULL;
	const CauseRecord *before = s->newest_cause->older;

	/* If @other was started with an older file, it may have another lock, or none. */
	if (other && other->started_us > m->altered_us)
		machine_fail(m, "%s was started while %s, which is %s, had the lock %s",
			     s->def->name, other->def->name, service_state_name(other->state),
			     s->def->start_lock);
	if (before && g_str_has_prefix(before->text, "waits for the lock"))
		machine_count(m, SIM_FAULT_LOCKED_OUT);
}

/* --- the login screen --- */

/* Has the login screen been on its way since the start of the boot, neither drawn nor given up? */
static bool is_login_awaited(Machine *m)
{
	const GPtrArray *tokens = policy_login_screen(engine_policy(m->sim.engine));
	const char *token =
		tokens->len > 0 ? ((const NameRef *)g_ptr_array_index(tokens, 0))->name : "";
	const Service *s = engine_find(m->sim.engine, token);
	bool is_on_its_way = s &&
			     (s->state == STATE_STARTING ||
			      (s->state == STATE_WAITING && !engine_is_settled(s))) &&
			     !s->def->problem && service_is_wanted(s) &&
			     !oracle_loses_conflict(m, s);
	Progress progress;

	progress_get(m->sim.engine, &progress);
	m->is_login_unsure |= !is_on_its_way || progress.finished ||
			      engine_is_shutting_down(m->sim.engine) ||
			      m->sim.now_us >= progress.boot_us + LIMIT_LOGIN_SCREEN_US;
	return !m->is_login_unsure;
}

static bool waits_for_login(const Service *s)
{
	return engine_class(s) == SERVICE_CLASS_AFTER_LOGIN && s->admin == ADMIN_NONE;
}

static void count_login_awaited(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (s->state == STATE_WAITING && s->n_false == 0 && waits_for_login(s))
			machine_count(m, SIM_FAULT_LOGIN_AWAITED);
	}
}

static void check_login_at_start(Machine *m, const Service *s)
{
	/*
	 * The simulation cannot see whether the screen came within this event, so it uses the state
	 * after the previous event.
	 */
	if (waits_for_login(s) && !m->is_login_unsure && is_login_awaited(m))
		machine_fail(m, "%s was started before the login screen", s->def->name);
}

/* A service that was started with an older file has the lock of that file. */
static bool has_holder_of_before(const Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if ((s->state == STATE_STARTING || s->state == STATE_STOPPING) &&
		    s->started_us <= m->altered_us)
			return true;
	}
	return false;
}

/*
 * A service without other obstacles waits only while another service has the lock. Ordering is not
 * checked here.
 */
static void check_lock(Machine *m, const Service *s)
{
	g_autoptr(GHashTable) no_requester = g_hash_table_new(NULL, NULL);

	if (!s->def->start_lock || s->state != STATE_WAITING || waits_for_login(s) ||
	    s->def->after->len > 0 || !service_is_wanted(s))
		return;
	if (oracle_all_true(m, s->when) && oracle_all_true(m, s->while_terms) &&
	    oracle_is_about_to_start(m, s, no_requester) && !oracle_loses_conflict(m, s) &&
	    !find_lock_holder(m, s) && !has_holder_of_before(m) && s->since_us > m->altered_us &&
	    m->sim.now_us > m->begun_us)
		machine_fail(m, "%s waits, and no service has the lock %s", s->def->name,
			     s->def->start_lock);
}

static bool looks_at_processes(const Machine *m, const GPtrArray *terms, const Service *of)
{
	for (unsigned i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		for (unsigned j = 0; j < term_length(term); j++) {
			const Literal *literal = term_literal(term, j);

			if (literal->prefix == KEY_ACTIVE && oracle_subject(m, literal->key) == of)
				return true;
		}
	}
	return false;
}

/*
 * If @s stops and starts within one event, the level of its active: condition changes twice, so
 * Settle= starts anew.
 */
static void forget_lapses_by(Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		if (looks_at_processes(m, other->while_terms, s))
			machine_process(m, other->def->name)->hold_false_us = 0;
	}
}

void invariants_at_start(Machine *m, const Service *s)
{
	const Term *when = oracle_find_untrue(m, s->when);
	const Term *while_term = oracle_find_untrue(m, s->while_terms);

	forget_lapses_by(m, s);
	if (machine_process(m, s->def->name)->run->is_live)
		machine_fail(m, "%s was started while it ran", s->def->name);
	if (s->policy.activation == ACTIVATION_NEVER)
		machine_fail(m, "%s was started, and its policy is never", s->def->name);
	if (s->admin == ADMIN_STOP)
		machine_fail(m, "%s was started, and an admin had stopped it", s->def->name);
	if (!service_is_wanted(s))
		machine_fail(m, "%s was started, and nothing wants it", s->def->name);
	if (s->def->problem)
		machine_fail(m, "%s was started, and its file has errors", s->def->name);
	if (when || while_term)
		machine_fail(m, "%s was started, and \"%s\" is not true", s->def->name,
			     (when ? when : while_term)->text);
	check_conflicts_at_start(m, s);
	check_order_at_start(m, s);
	check_lock_at_start(m, s);
	check_login_at_start(m, s);
}

/* --- when WaitTimeout= expires --- */

/*
 * Is it a flag, a kernel parameter, or a service: condition that is true while a daemon or task is
 * up? Other levels can change twice within one event, which is not seen here.
 */
static bool is_plain(const Machine *m, const Literal *literal)
{
	const Service *subject = oracle_subject(m, literal->key);

	if (literal->prefix == KEY_FLAG || literal->prefix == KEY_KERNEL)
		return true;
	return literal->prefix == KEY_SERVICE && !literal->negated && subject &&
	       subject->def->type != TYPE_GROUP;
}

static bool has_plain_terms(const Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);
	const GPtrArray *lists[] = { s->when, s->while_terms };

	for (unsigned i = 0; i < services->len; i++) {
		if (oracle_conflict(s, g_ptr_array_index(services, i)))
			return false;
	}
	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			for (unsigned j = 0; j < term_length(term); j++) {
				if (!is_plain(m, term_literal(term, j)))
					return false;
			}
		}
	}
	return true;
}

void invariants_at_wait_over(Machine *m, const Service *s)
{
	const SimProcess *p = machine_process(m, s->def->name);
	/*
	 * The clock of WaitTimeout= starts while a new manager still learns which services run. In
	 * the simulation that is one event.
	 */
	const bool is_known = has_plain_terms(m, s) && m->begun_us <= s->since_us;
	const int64_t begun_us = is_known ? p->perhaps_held_us : s->since_us;

	/* A wait that began with an older file may have had a shorter limit. */
	if (s->since_us > m->altered_us &&
	    (begun_us == 0 || m->sim.now_us - begun_us < s->def->wait_limit_us))
		machine_fail(m, "%s ran out of time too early", s->def->name);
	if (s->state != STATE_WAITING || !service_is_wanted(s) || oracle_loses_conflict(m, s))
		machine_fail(m, "%s ran out of time, and did not wait", s->def->name);
	if (!oracle_find_untrue(m, s->when) && !oracle_find_untrue(m, s->while_terms))
		machine_fail(m, "%s ran out of time, and all its terms are true", s->def->name);
}

/* --- at a stop --- */

/* Does @key, of a term of another service, refer to @s by its name or by a facility? */
static bool key_means(Machine *m, const char *key, const Service *s)
{
	if (g_str_has_prefix(key, "facility:") || g_str_has_prefix(key, "settled:$"))
		return oracle_is_named(s->def->provides, key_argument(key));
	return !g_str_has_prefix(key, "active:") && oracle_subject(m, key) == s;
}

static bool starts_after(Machine *m, const Service *later, const Service *earlier)
{
	const GPtrArray *lists[] = { later->when, later->while_terms };

	for (unsigned i = 0; i < later->def->after->len; i++) {
		const NameRef *ref = g_ptr_array_index(later->def->after, i);

		if (strcmp(ref->name, earlier->def->name) == 0 ||
		    oracle_is_named(earlier->def->provides, ref->name))
			return true;
	}
	for (unsigned l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (unsigned i = 0; i < lists[l]->len; i++) {
			const Term *term = g_ptr_array_index(lists[l], i);

			for (unsigned j = 0; j < term_length(term); j++) {
				const Literal *literal = term_literal(term, j);

				if (!literal->negated && key_means(m, literal->key, earlier))
					return true;
			}
		}
	}
	return false;
}

/* Did the engine decide to stop @s, before its process ended? */
static bool is_ordered_stop(const Service *s)
{
	const CauseRecord *newest = s->newest_cause;

	return g_strcmp0(newest->text, s->result) != 0 &&
	       strcmp(newest->text, "it stops by itself") != 0 &&
	       strcmp(newest->text, "taken over from the previous manager") != 0;
}

/*
 * A completed task stays completed. DoneWhile= alone, or a start while the task is done, does not
 * repeat the work.
 */
static void check_end_of_done(Machine *m, const Service *s)
{
	const CauseRecord *newest = s->newest_cause;
	const SimProcess *p = machine_process(m, s->def->name);
	const bool is_redone = p->redo_run == s->invocation || p->perhaps_redo_run == s->invocation;

	if (newest->from != STATE_DONE || newest->to != STATE_STOPPING)
		return;
	if (g_str_has_prefix(newest->text, "start ") && !is_redone)
		machine_fail(m, "the work of %s is to be repeated, although it was done",
			     s->def->name);
	if (service_is_wanted(s) && !oracle_loses_conflict(m, s) && !is_redone &&
	    !oracle_any_false(m, s->while_terms) && (s->def->once || s->when->len == 0) &&
	    s->ready_us > m->altered_us)
		machine_fail(m, "%s was done, and there was no reason to undo it", s->def->name);
}

void invariants_at_restart(Machine *m, const Service *s)
{
	if (!service_is_up(s) || !service_is_wanted(s) || oracle_loses_conflict(m, s))
		machine_fail(m, "%s is restarted by command, and is not up to stay", s->def->name);
}

/*
 * A reload may have removed orderings that were in force at the start, so the present files decide.
 */
void invariants_at_stop(Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	check_end_of_done(m, s);
	if (m->plan->has_stop_after || !is_ordered_stop(s))
		return;
	for (unsigned i = 0; i < services->len; i++) {
		const Service *later = g_ptr_array_index(services, i);

		if (later->def->stop_order == STOP_ORDER_SAID)
			continue;
		if (later != s && later->state == STATE_STOPPING && starts_after(m, later, s) &&
		    machine_process(m, later->def->name)->run->is_live)
			machine_fail(
				m,
				"%s was asked to stop before %s, which started after it, was gone",
				s->def->name, later->def->name);
		if (later != s && engine_is_shutting_down(m->sim.engine) &&
		    !service_is_wanted(later) && oracle_is_active(later) &&
		    starts_after(m, later, s))
			machine_fail(m, "%s was asked to stop while %s still ran", s->def->name,
				     later->def->name);
	}
}

/* --- always --- */

static void check_wants(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);
	bool wanted[PLAN_MAX_SERVICES];

	oracle_wanted(m, wanted);
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (wanted[i] != service_is_wanted(s))
			machine_fail(m, "%s is %s, and should%s be wanted", s->def->name,
				     want_reason_name(s->want_reason), wanted[i] ? "" : " not");
	}
}

/*
 * The longest time in which the dependents of @s, one after the other, and then @s itself stop.
 */
static int64_t longest_stop(const Machine *m, const Service *s)
{
	/* The present StopTimeout= may be wrong, because a file may have changed since the stop. */
	return s->def->settle_us + engine_services(m->sim.engine)->len * PLAN_LONGEST_STOP_US;
}

static void check_hold(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);

	if (s->def->on_lapse != ON_LAPSE_STOP || !oracle_is_active(s) ||
	    s->def->type == TYPE_GROUP || !oracle_any_false(m, s->while_terms)) {
		p->hold_false_us = 0;
		return;
	}
	if (p->hold_false_us == 0)
		p->hold_false_us = m->sim.now_us;
	if (s->state != STATE_STOPPING && m->sim.now_us - p->hold_false_us > s->def->settle_us &&
	    !m->plan->has_stop_after) {
		const GPtrArray *services = engine_services(m->sim.engine);

		for (unsigned i = 0; i < services->len; i++) {
			const Service *later = g_ptr_array_index(services, i);

			if (later != s && oracle_is_active(later) && starts_after(m, later, s))
				return; /* it waits for the end of @later */
		}
		machine_fail(m, "%s runs although a While term is false for %.3f s", s->def->name,
			     (double)(m->sim.now_us - p->hold_false_us) / G_USEC_PER_SEC);
	}
	if (m->sim.now_us - p->hold_false_us > longest_stop(m, s))
		machine_fail(m, "%s runs although a While term is false for %.3f s", s->def->name,
			     (double)(m->sim.now_us - p->hold_false_us) / G_USEC_PER_SEC);
}

/*
 * The clock of WaitTimeout= starts when only external conditions hold the service, and then runs
 * on. A service with an ordering may have to wait for others first, which is not known here. A new
 * manager soon reports limits that expired while there was no manager.
 */
static void check_wait(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);
	const bool had_others = p->has_others;

	p->has_others = s->def->wait_limit_us > 0 && oracle_is_held_by_others(m, s);
	if (s->state != STATE_WAITING || s->def->wait_limit_us == 0 ||
	    oracle_loses_conflict(m, s) || !oracle_waits_for_world(m, s)) {
		p->held_us = p->perhaps_held_us = 0;
		return;
	}
	if (p->held_us == 0 && !p->has_others)
		p->held_us = m->sim.now_us;
	/*
	 * Within one event the wait may start, and other services may stop or the kernel command
	 * line may be read again.
	 */
	if (p->perhaps_held_us == 0 &&
	    (p->held_us || (!had_others && s->since_us == m->sim.now_us)))
		p->perhaps_held_us = m->sim.now_us;
	/*
	 * A term that is not plain may have become true and false again within an event, which
	 * restarts the clock.
	 */
	if (p->held_us && has_plain_terms(m, s) &&
	    m->sim.now_us - p->held_us > s->def->wait_limit_us && s->def->after->len == 0 &&
	    s->since_us > m->altered_us && m->sim.now_us > m->begun_us)
		machine_fail(m, "%s has waited for the world for %.3f s", s->def->name,
			     (double)(m->sim.now_us - p->held_us) / G_USEC_PER_SEC);
}

static void check_processes(Machine *m, const Service *s)
{
	const SimProcess *p = machine_process(m, s->def->name);

	if (p->run->is_live && !oracle_is_active(s))
		machine_fail(m, "%s is %s and has processes", s->def->name,
			     service_state_name(s->state));
}

/* The health belongs to this run, and was reported to this manager. */
static void check_health(Machine *m, const Service *s)
{
	const SimProcess *p = machine_process(m, s->def->name);
	const Health due = service_is_up(s) && p->health_run == s->invocation ? p->health :
										HEALTH_UNKNOWN;

	if (s->health != due)
		machine_fail(m, "%s is %s, and should be %s", s->def->name, health_name(s->health),
			     health_name(due));
}

/* The progress never decreases, not even when the manager crashes, and is 1 only at the end. */
static void check_progress(Machine *m)
{
	const double fraction = progress_fraction(m->sim.engine, m->sim.now_us);
	Progress progress;

	progress_get(m->sim.engine, &progress);
	if (!(fraction >= m->shown && fraction <= 1) || (fraction == 1) != progress.finished)
		machine_fail(m, "progress is %.9f after %.9f%s", fraction, m->shown,
			     progress.finished ? ", finished" : "");
	if (progress_rest(m->sim.engine, m->sim.now_us) < 0)
		machine_fail(m, "the remaining time of the boot is negative");
	m->shown = fraction;
}

/*
 * The times of a record are in the order of the events, and none is in the future.
 */
static void check_boot_record(Machine *m, const Service *s)
{
	const BootRecord *r = boot_record_get(s);

	if (!r)
		return;
	if ((r->allowed_us && r->allowed_us < r->wanted_us) ||
	    (r->started_us && r->started_us < r->allowed_us) ||
	    (r->over_us && r->over_us < r->started_us) ||
	    MAX(r->started_us, r->over_us) > m->sim.now_us)
		machine_fail(m,
			     "%s: the times of its boot record: wanted %" G_GINT64_FORMAT
			     ", allowed %" G_GINT64_FORMAT ", started %" G_GINT64_FORMAT
			     ", over %" G_GINT64_FORMAT,
			     s->def->name, r->wanted_us, r->allowed_us, r->started_us, r->over_us);
	if ((r->result == BOOT_RESULT_NONE) != (r->over_us == 0) || (r->last_by && !r->last))
		machine_fail(m, "%s: its boot record contradicts itself", s->def->name);
}

void invariants_always(Machine *m)
{
	const GPtrArray *services;

	if (!m->sim.engine || m->failure)
		return;
	services = engine_services(m->sim.engine);
	check_wants(m);
	check_progress(m);
	if (is_login_awaited(m))
		count_login_awaited(m);
	for (unsigned i = 0; i < services->len; i++) {
		check_health(m, g_ptr_array_index(services, i));
		check_hold(m, g_ptr_array_index(services, i));
		check_wait(m, g_ptr_array_index(services, i));
		check_lock(m, g_ptr_array_index(services, i));
		requests_check(m, g_ptr_array_index(services, i));
		check_processes(m, g_ptr_array_index(services, i));
		check_boot_record(m, g_ptr_array_index(services, i));
	}
}

/* --- at rest --- */

/* Did @s end by itself, with success, and without a restart by Restart=? */
static bool is_spent(const Service *s)
{
	/* Restart= and Type= may have changed since. */
	return s->state == STATE_IDLE && s->invocation > 0 && s->last_success && s->result;
}

static void check_wanted_at_rest(Machine *m, const Service *s)
{
	const bool is_held = oracle_find_untrue(m, s->when) ||
			     oracle_find_untrue(m, s->while_terms);

	if (s->def->problem || service_is_up(s) || is_spent(s))
		return;
	if (s->state == STATE_FAILED && (!s->last_success || s->is_failed_for_good))
		return;
	if (s->state == STATE_WAITING && s->def->wait_limit_us > 0 &&
	    !oracle_loses_conflict(m, s) && oracle_is_held_by_world_only(m, s))
		machine_fail(m, "at rest %s waits for the world, and its WaitTimeout= is over",
			     s->def->name);
	if (s->state == STATE_WAITING && (is_held || oracle_loses_conflict(m, s)))
		return;
	machine_fail(m, "at rest %s is %s: %s", s->def->name, service_state_name(s->state),
		     service_cause(s));
}

/* Each state has an explanation. */
static void check_explained(Machine *m, const Service *s)
{
	g_autoptr(GPtrArray) reasons = explain_service(m->sim.engine, s->def->name, m->sim.now_us);

	if (reasons->len < 2)
		machine_fail(m, "%s is not explained", s->def->name);
}

void invariants_at_rest(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (service_is_wanted(s))
			check_wanted_at_rest(m, s);
		else if (oracle_is_active(s) || s->state == STATE_WAITING)
			machine_fail(m, "at rest %s is %s, and nothing wants it", s->def->name,
				     service_state_name(s->state));
		check_explained(m, s);
		requests_check_at_rest(m, s);
		if (service_is_up(s) && oracle_loses_conflict(m, s))
			machine_fail(m, "at rest %s runs, and should have lost a conflict",
				     s->def->name);
	}
	if (!engine_is_at_rest(m->sim.engine))
		machine_fail(m, "nothing moves, but the engine is not at rest");
}

void invariants_when_stopped(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	invariants_at_rest(m);
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (!service_is_wanted(s) && machine_process(m, s->def->name)->run->is_live)
			machine_fail(m, "%s still runs after the shutdown", s->def->name);
	}
	if (!engine_is_stopped(m->sim.engine))
		machine_fail(m, "all services have stopped, but the engine does not report it");
}
