/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests: the oracle keeps its own record of the last request (SimProcess.requested). The record
 * of the engine must agree.
 */
#include "config.h"

#include "tests/sim/requests.h"

#include <string.h>

#include "tests/sim/oracle.h"

static const Requester admin = { .uid = 0, .pid = 1 };
static const Requester activator = { .uid = 0, .pid = 99 };

static const char bus_name[] = "org.example.Sim";

/* A service before a request. */
typedef struct Before {
	ServiceState state;
	uint64_t invocation;
	WantReason want_reason;
	AdminWant requested;
	bool is_undone;
	bool restarts_by_command; /* a restart by an admin must run the restart command */
	bool may_by_command;
	bool is_restarting; /* the restart command already runs, perhaps from a removed file */
	uint64_t redo_run;
} Before;

static Before look(Machine *m, const Service *s)
{
	const SimProcess *p = machine_process(m, s->def->name);
	/*
	 * A group has no process. But a process may remain from an earlier run with the same
	 * number, if the service was forgotten in between.
	 */
	const bool is_by_script = p->is_script && p->run->is_live &&
				  p->run->invocation == s->invocation;
	const bool may_by_command = is_by_script && s->def->restart_command && service_is_up(s);

	return (Before){
		.may_by_command = may_by_command,
		.is_restarting = engine_is_restarting(s),
		.restarts_by_command = may_by_command && engine_is_settled(s) &&
				       service_is_wanted(s),
		.redo_run = machine_process(m, s->def->name)->redo_run,
		.state = s->state,
		.invocation = s->invocation,
		.want_reason = s->want_reason,
		.requested = machine_process(m, s->def->name)->requested,
		.is_undone = s->state == STATE_DONE && oracle_any_false(m, s->def->done_while),
	};
}

static bool is_running(ServiceState state)
{
	return state == STATE_STARTING || state == STATE_READY || state == STATE_DONE ||
	       state == STATE_STOPPING;
}

/*
 * Did @s end by itself, with success? If its file has got errors meanwhile, it becomes failed
 * instead of idle.
 */
static bool has_ended_well(const Service *s)
{
	return (s->state == STATE_IDLE || (s->state == STATE_FAILED && s->def->problem)) &&
	       s->invocation > 0 && s->last_success && s->result;
}

/*
 * Did @s end at this moment? It may have started again at once, because the event it waited for
 * came with its exit.
 */
static bool has_just_ended_by_itself(const Machine *m, const Service *s)
{
	for (const CauseRecord *record = s->newest_cause; record; record = record->older) {
		if (record->at_us == m->sim.now_us && record->to == STATE_IDLE &&
		    g_str_has_prefix(record->text, "it ended by itself: "))
			return true;
	}
	return false;
}

/* --- granted requests --- */

static bool may_start(Machine *m, const Service *s)
{
	return s->policy.activation != ACTIVATION_NEVER && machine_has_file(m, s->def->name) &&
	       !s->def->problem;
}

static bool can_reload(Machine *m, const Service *s)
{
	return s->def->reload.kind != ACTION_NONE &&
	       (s->state == STATE_READY ||
		(s->state == STATE_DONE && machine_process(m, s->def->name)->is_script));
}

/* The @i-th service that @group wants; NULL: a request to the group does not apply to it. */
static Service *find_member(Machine *m, const Service *group, unsigned i)
{
	const NameRef *ref = g_ptr_array_index(group->def->wants, i);
	Service *member = engine_find(m->sim.engine, ref->name);

	return member && service_is_wanted(member) && member->want_reason != WANT_LINGER &&
			       member->def->type != TYPE_GROUP ?
		       member :
		       NULL;
}

static bool can_reload_member(Machine *m, const Service *s)
{
	for (unsigned i = 0; s->def->type == TYPE_GROUP && i < s->def->wants->len; i++) {
		const Service *member = find_member(m, s, i);

		if (member && can_reload(m, member))
			return true;
	}
	return false;
}

static bool is_to_be_granted(Machine *m, RequestVerb verb, const Service *s)
{
	switch (verb) {
	case REQUEST_VERB_START:
	case REQUEST_VERB_RESTART:
		return may_start(m, s);
	case REQUEST_VERB_RELOAD:
		return can_reload(m, s) || can_reload_member(m, s);
	case REQUEST_VERB_STOP:
	case REQUEST_VERB_CLEAR:
		break;
	}
	return true;
}

/* Callers must not run a failing service more often than RestartLimit= allows on average. */
static bool has_just_failed(const Machine *m, const Service *s)
{
	return s->state == STATE_FAILED &&
	       m->sim.now_us - s->since_us < s->def->restart_window_us / s->def->restart_limit;
}

static bool is_demand_to_be_granted(Machine *m, const Service *s)
{
	return may_start(m, s) && machine_process(m, s->def->name)->requested != ADMIN_STOP &&
	       !has_just_failed(m, s) &&
	       (s->policy.activation != ACTIVATION_MANUAL || service_is_wanted(s));
}

/* --- consequences --- */

static AdminWant want_after(RequestVerb verb, const Before *before)
{
	const bool is_wanted = before->want_reason != WANT_NOTHING &&
			       before->want_reason != WANT_LINGER;

	switch (verb) {
	case REQUEST_VERB_START:
		return ADMIN_START;
	case REQUEST_VERB_STOP:
		return ADMIN_STOP;
	case REQUEST_VERB_CLEAR:
		return ADMIN_NONE;
	case REQUEST_VERB_RESTART:
		return before->requested == ADMIN_STOP || !is_wanted ? ADMIN_START :
								       before->requested;
	case REQUEST_VERB_RELOAD:
		break;
	}
	return before->requested;
}

static void note_granted(Machine *m, RequestVerb verb, SimProcess *p, const Before *before)
{
	static const SimFault faults[] = {
		[REQUEST_VERB_START] = SIM_FAULT_START,     [REQUEST_VERB_STOP] = SIM_FAULT_STOP,
		[REQUEST_VERB_RESTART] = SIM_FAULT_RESTART, [REQUEST_VERB_RELOAD] = SIM_FAULT_COUNT,
		[REQUEST_VERB_CLEAR] = SIM_FAULT_CLEAR,
	};

	if (faults[verb] != SIM_FAULT_COUNT)
		machine_count(m, faults[verb]);
	p->requested = want_after(verb, before);
	if (verb == REQUEST_VERB_START && before->is_undone) {
		machine_count(m, SIM_FAULT_UNDONE);
		p->redo_run = before->invocation;
	}
	if (verb == REQUEST_VERB_RESTART && is_running(before->state))
		p->redo_run = before->invocation;
}

/* The members of a group restart with it, except those with a restart by command. */
static void note_members(Machine *m, const Service *s)
{
	for (unsigned i = 0; s->def->type == TYPE_GROUP && i < s->def->wants->len; i++) {
		const Service *member = find_member(m, s, i);
		const Before before = member ? look(m, member) : (Before){ 0 };

		if (member && may_start(m, member) && is_running(before.state) &&
		    !before.restarts_by_command)
			machine_process(m, member->def->name)->redo_run = before.invocation;
	}
}

/* A restart by command is not a new run. */
static void check_restart(Machine *m, SimProcess *p, const Service *s, const Before *before)
{
	if (engine_is_restarting(s) && !before->is_restarting && !before->may_by_command)
		machine_fail(m, "%s was to be restarted by command, but cannot be", s->def->name);
	if (!engine_is_restarting(s) && before->restarts_by_command)
		machine_fail(m, "%s was up, and was not restarted by its command", s->def->name);
	if (engine_is_restarting(s) &&
	    (s->state != before->state || s->invocation != before->invocation))
		machine_fail(m, "%s is to be restarted by its command, and was stopped",
			     s->def->name);
	if (!engine_is_restarting(s))
		return;
	p->redo_run = before->redo_run;
	/*
	 * A running command answers this request, too. If the service is about to stop, its next
	 * run answers the request instead, which is not known here.
	 */
	if (before->is_restarting)
		p->perhaps_redo_run = before->invocation;
}

/* CheckCommand= of @s fails: nothing changes. */
static void refuse(Machine *m, RequestVerb verb, const Service *s)
{
	const Before before = look(m, s);
	const AdminWant admin_before = s->admin;

	machine_count(m, SIM_FAULT_CHECK_FAILED);
	machine_trace(m, "check of %s before request %u: failed", s->def->name, (unsigned)verb);
	engine_refuse(m->sim.engine, verb, s->def->name, &admin, "exit status 1", m->sim.now_us,
		      NULL);
	if (s->state != before.state || s->invocation != before.invocation ||
	    s->want_reason != before.want_reason || s->admin != admin_before)
		machine_fail(m, "a failed check has changed %s", s->def->name);
}

bool requests_ask(Machine *m, RequestVerb verb, const char *name)
{
	const Service *s = engine_find(m->sim.engine, name);
	const Before before = s ? look(m, s) : (Before){ 0 };
	const bool is_due = s && is_to_be_granted(m, verb, s);
	SimProcess *p = machine_process(m, name);
	bool is_granted;

	if (s && engine_needs_check(s, verb) && !is_due)
		machine_fail(m, "%s is to be checked before a request that is refused anyhow",
			     name);
	if (s && engine_needs_check(s, verb) && machine_happens(m, 30)) {
		refuse(m, verb, s);
		return false;
	}
	/* The engine may start or stop the service before engine_request() returns. */
	if (is_due)
		note_granted(m, verb, p, &before);
	if (is_due && verb == REQUEST_VERB_RESTART)
		note_members(m, s);
	is_granted = engine_request(m->sim.engine, verb, name, &admin, m->sim.now_us, NULL);
	machine_trace(m, "request %u of %s: %s", (unsigned)verb, name,
		      is_granted ? "granted" : "refused");
	if (!is_granted)
		machine_count(m, SIM_FAULT_REFUSED);
	if (is_granted != is_due)
		machine_fail(m, "request %u of %s was %s", (unsigned)verb, name,
			     is_granted ? "granted" : "refused");
	if (is_granted && verb == REQUEST_VERB_RESTART)
		check_restart(m, p, s, &before);
	return is_granted;
}

void requests_poke(Machine *m)
{
	const RequestVerb verb = chance_below(&m->chance, REQUEST_VERB_CLEAR + 1);

	(void)requests_ask(m, verb,
			   plan_service_name(chance_below(&m->chance, m->plan->n_services)));
}

/* --- demands --- */

static void check_granted(Machine *m, const Service *s, const Before *before)
{
	if (!service_is_wanted(s))
		machine_fail(m, "%s was requested on the bus, and is not wanted", s->def->name);
	if (s->state == STATE_IDLE || s->state == STATE_FAILED)
		machine_fail(m, "%s was requested on the bus, and is still %s", s->def->name,
			     service_state_name(s->state));
	if (before->state == STATE_BACKOFF && s->state != STATE_BACKOFF)
		machine_fail(m, "a call on the bus has shortened the backoff of %s", s->def->name);
	if (is_running(before->state) && before->want_reason != WANT_NOTHING &&
	    (s->state != before->state || s->invocation != before->invocation))
		machine_fail(m, "a call on the bus has changed the processes of %s", s->def->name);
}

static void check_refused(Machine *m, const Service *s, const Before *before)
{
	if (s->state != before->state || s->want_reason != before->want_reason ||
	    s->invocation != before->invocation)
		machine_fail(m, "a call on the bus was refused, and has changed %s", s->def->name);
}

static void demand(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);
	const Before before = look(m, s);
	const bool is_due = is_demand_to_be_granted(m, s);
	bool is_granted;

	if (is_due && p->requested == ADMIN_NONE)
		p->requested = ADMIN_DEMAND;
	is_granted = engine_demand(m->sim.engine, s->def->name, bus_name, &activator, m->sim.now_us,
				   NULL);
	machine_trace(m, "demand of %s: %s", s->def->name, is_granted ? "granted" : "refused");
	machine_count(m, is_granted ? SIM_FAULT_DEMAND : SIM_FAULT_DEMAND_REFUSED);
	if (is_granted && before.state == STATE_FAILED)
		machine_count(m, SIM_FAULT_DEMAND_AFTER_FAILURE);
	if (is_granted != is_due)
		machine_fail(m, "a call on the bus for %s was %s", s->def->name,
			     is_granted ? "granted" : "refused");
	else if (is_granted)
		check_granted(m, s, &before);
	else
		check_refused(m, s, &before);
}

void requests_poke_demand(Machine *m)
{
	const char *name = plan_service_name(chance_below(&m->chance, m->plan->n_services));
	const Service *s = engine_find(m->sim.engine, name);

	if (s)
		demand(m, s);
	else if (engine_demand(m->sim.engine, name, bus_name, &activator, m->sim.now_us, NULL))
		machine_fail(m, "a call on the bus for %s was granted, and it does not exist",
			     name);
}

/* --- connections --- */

static void check_connected(Machine *m, const Service *s, const Before *before)
{
	machine_count(m, before->state == STATE_FAILED ? SIM_FAULT_CONNECTION_AFTER_FAILURE :
							 SIM_FAULT_CONNECTION);
	if (s->state == STATE_FAILED && s->is_failed_for_good)
		machine_count(m, SIM_FAULT_NOT_TAKEN);
	else if (s->state == STATE_IDLE || s->state == STATE_FAILED)
		machine_fail(m, "a client came to %s, and it is still %s", s->def->name,
			     service_state_name(s->state));
	if (!service_is_wanted(s))
		machine_fail(m, "a client came to %s, and it is not wanted", s->def->name);
}

/*
 * Most clients connect to a listening socket, because "no service accepted" would otherwise be too
 * rare. The others come too late.
 */
static const char *choose_listener(Machine *m)
{
	const unsigned first = chance_below(&m->chance, m->plan->n_services);
	const bool is_any = chance_percent(&m->chance, 25);

	for (unsigned i = 0; i < m->plan->n_services && !is_any; i++) {
		const char *name = plan_service_name((first + i) % m->plan->n_services);
		const Service *s = engine_find(m->sim.engine, name);

		if (s && s->awaits_connection)
			return name;
	}
	return plan_service_name(first);
}

void requests_poke_connection(Machine *m)
{
	const char *name = choose_listener(m);
	const Service *s = engine_find(m->sim.engine, name);
	const bool is_due = s && s->awaits_connection;
	const Before before = s ? look(m, s) : (Before){ 0 };
	SimProcess *p = machine_process(m, name);

	if (is_due && p->requested == ADMIN_NONE)
		p->requested = ADMIN_CONNECTION;
	machine_trace(m, "connection to %s%s", name, is_due ? "" : ", too late");
	engine_connection(m->sim.engine, name, "/run/s", m->sim.now_us);
	if (is_due) {
		check_connected(m, s, &before);
	} else if (s) {
		machine_count(m, SIM_FAULT_CONNECTION_LATE);
		check_refused(m, s, &before);
	}
}

/* Does another service name @s in Conflicts=? */
static bool is_conflicted(const Machine *m, const Service *s)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *other = g_ptr_array_index(services, i);

		for (unsigned j = 0; j < other->def->conflicts->len; j++) {
			const NameRef *ref = g_ptr_array_index(other->def->conflicts, j);

			if (strcmp(ref->name, s->def->name) == 0)
				return true;
		}
	}
	return false;
}

static bool is_down(const Service *s)
{
	return s->state == STATE_IDLE || (s->state == STATE_FAILED && !s->is_failed_for_good);
}

static void check_sockets(Machine *m, const Service *s)
{
	const bool is_forbidden = s->policy.activation == ACTIVATION_NEVER ||
				  s->admin == ADMIN_STOP;

	if (s->listens != LISTENS_CLOSED && !is_running(s->state) &&
	    (is_forbidden || !s->def->socket || s->def->problem))
		machine_fail(m, "%s listens, but must not", s->def->name);
	if (s->awaits_connection && (s->listens == LISTENS_CLOSED || !is_down(s)))
		machine_fail(m, "%s waits for a connection, and is %s", s->def->name,
			     service_state_name(s->state));
	if (s->listens == LISTENS_ALL && !is_running(s->state) && s->policy.is_default &&
	    !service_is_wanted(s))
		machine_fail(m, "no policy names %s, and it listens on the network", s->def->name);
	if (s->listens != LISTENS_CLOSED && s->state == STATE_IDLE && !service_is_wanted(s) &&
	    !s->awaits_connection && s->def->conflicts->len == 0 && !is_conflicted(m, s))
		machine_fail(m, "%s listens, and its sockets are not watched for clients",
			     s->def->name);
}

/* --- duration of a request --- */

void requests_change_runlevel(Machine *m, const char *runlevel)
{
	const bool is_change = g_strcmp0(engine_runlevel(m->sim.engine), runlevel) != 0;

	for (unsigned i = 0; is_change && i < PLAN_MAX_SERVICES; i++)
		m->processes[i].requested = ADMIN_NONE;
	if (!engine_set_runlevel(m->sim.engine, runlevel, &admin, m->sim.now_us, NULL))
		machine_fail(m, "runlevel %s was refused", runlevel);
}

void requests_forget(SimProcess *p)
{
	p->requested = ADMIN_NONE;
	p->redo_run = p->perhaps_redo_run = 0;
}

void requests_take_over(Machine *m)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		SimProcess *p = &m->processes[i];
		const Service *s =
			p->is_unexplained ? engine_find(m->sim.engine, plan_service_name(i)) : NULL;

		if (!s)
			continue;
		if (s->admin == ADMIN_START)
			p->requested = ADMIN_START;
		else if (!service_is_wanted(s) && s->policy.activation != ACTIVATION_NEVER &&
			 !engine_is_shutting_down(m->sim.engine))
			machine_fail(m, "%s was alive for an unknown reason, and is not kept",
				     s->def->name);
	}
}

void requests_check(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);

	check_sockets(m, s);
	/* A client's request ends with the daemon. */
	if ((p->requested == ADMIN_DEMAND || p->requested == ADMIN_CONNECTION) &&
	    s->admin == ADMIN_NONE && (has_ended_well(s) || has_just_ended_by_itself(m, s))) {
		machine_count(m, SIM_FAULT_DEMAND_OVER);
		p->requested = ADMIN_NONE;
	}
	if (s->admin != p->requested)
		machine_fail(m, "the last request to %s is \"%s\", and the engine has \"%s\"",
			     s->def->name, admin_want_name(p->requested),
			     admin_want_name(s->admin));
	if ((s->admin == ADMIN_DEMAND || s->admin == ADMIN_CONNECTION) && service_is_wanted(s) &&
	    s->state == STATE_IDLE)
		machine_fail(m, "%s has ended, and is still requested by a client", s->def->name);
}

void requests_check_at_rest(Machine *m, const Service *s)
{
	const SimProcess *p = machine_process(m, s->def->name);

	if (engine_is_restarting(s))
		machine_fail(m, "the restart of %s does not end", s->def->name);
	if (p->redo_run && p->redo_run == s->invocation && service_is_up(s))
		machine_fail(m,
			     "an admin asked for another run of %s, and it goes on with the same",
			     s->def->name);
}
