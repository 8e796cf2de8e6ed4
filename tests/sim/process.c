/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process: random scripts of events, and their reports to the engine.
 */
#include "config.h"

#include "tests/sim/process.h"

#include <string.h>

#define MS G_TIME_SPAN_MILLISECOND

/* --- scripts --- */

static void script_add(SimProcess *p, int64_t at_us, ProcessEventKind kind, bool success)
{
	g_assert(p->n_script < MAX_SCRIPT);
	p->script[p->n_script++] = (ScriptLine){ .at_us = at_us, .kind = kind, .success = success };
}

static bool script_has(const SimProcess *p, ProcessEventKind kind)
{
	for (unsigned i = 0; i < p->n_script; i++) {
		if (p->script[i].kind == kind)
			return true;
	}
	return false;
}

/* The script leaves no process. */
static void script_leaves_nothing(SimProcess *p, int64_t at_us)
{
	script_add(p, at_us, PROCESS_EXITED, true);
	p->script[p->n_script - 1].is_done = true;
}

/* The process runs for a while, and ends by itself. */
static void script_end(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	int64_t end_us = at_us + chance_time(&m->chance, 20 * G_USEC_PER_SEC);
	const bool success = chance_percent(&m->chance, 40);

	if (chance_percent(&m->chance, 15)) {
		script_add(p, end_us, PROCESS_STOPPING, true);
		machine_count(m, SIM_FAULT_STOPS_ITSELF);
		end_us += chance_time(&m->chance, 500 * MS);
	}
	script_add(p, end_us, PROCESS_EXITED, success);
	script_add(p, end_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE, false);
	machine_count(m, success ? SIM_FAULT_GOOD_END : SIM_FAULT_CRASH);
}

static bool script_failed_start(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	bool is_refused = false;
	int64_t fails_us;

	if (machine_happens(m, 3)) {
		fails_us = at_us;
		is_refused = true;
		machine_count(m, SIM_FAULT_FORK_FAILS);
	} else if (machine_happens(m, 5)) {
		fails_us = at_us;
		machine_count(m, SIM_FAULT_EXEC_FAILS);
	} else if (machine_happens(m, 8)) {
		fails_us = at_us + chance_time(&m->chance, 300 * MS);
		machine_count(m, SIM_FAULT_CRASH_EARLY);
	} else if (machine_happens(m, 5)) {
		fails_us = at_us + s->def->start_limit_us;
		machine_count(m, SIM_FAULT_SLOW_READY);
	} else {
		return false;
	}
	script_add(p, fails_us, PROCESS_START_FAILED, false);
	p->script[p->n_script - 1].is_refused = is_refused;
	script_add(p, fails_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE,
		   false);
	return true;
}

/* Type=script: it leaves a daemon, nothing, a process that ends soon, or nothing for a while. */
static void script_start_of_script(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	const unsigned kind = chance_below(&m->chance, 10);

	if (kind >= 7) {
		script_leaves_nothing(p, at_us);
		machine_count(m, SIM_FAULT_LEFT_NOTHING);
	}
	if (kind == 8)
		return;
	if (kind >= 7) {
		at_us += chance_time(&m->chance, 5 * G_USEC_PER_SEC);
		machine_count(m, SIM_FAULT_CAME_LATER);
	}
	script_add(p, at_us, PROCESS_READY, true);
	if (kind == 6 && m->has_faults) {
		script_leaves_nothing(p, at_us + chance_time(&m->chance, G_USEC_PER_SEC));
		machine_count(m, SIM_FAULT_LOOSE_END);
	} else if (machine_happens(m, 25)) {
		script_end(m, p, at_us, s);
	}
}

/* In an orderly machine all steps last equally long, so they end in the order of the requests. */
static int64_t duration(Machine *m, int64_t limit_us)
{
	const int64_t us = chance_time(&m->chance, limit_us);

	return m->is_orderly ? 10 * MS + m->n_durations++ : us;
}

void process_start(Machine *m, SimProcess *p, const Service *s)
{
	const int64_t delay_us = chance_time(&m->chance, 2 * MS);
	int64_t at_us = m->sim.now_us + (m->is_orderly ? 0 : delay_us);

	p->n_script = 0;
	script_add(p, at_us, PROCESS_STARTED, true);
	if (script_failed_start(m, p, at_us, s))
		return;
	at_us += duration(m, 800 * MS);
	if (s->def->type == TYPE_TASK) {
		const bool success = !machine_happens(m, 15);

		script_add(p, at_us, PROCESS_EXITED, success);
		if (!success) {
			machine_count(m, SIM_FAULT_TASK_FAILS);
			script_add(p, at_us + chance_time(&m->chance, 50 * MS), PROCESS_GONE,
				   false);
		}
		return;
	}
	if (s->def->type == TYPE_SCRIPT) {
		script_start_of_script(m, p, at_us, s);
		return;
	}
	script_add(p, at_us, PROCESS_READY, true);
	if (machine_happens(m, 25))
		script_end(m, p, at_us, s);
}

void process_restart(Machine *m, SimProcess *p, const Service *s)
{
	const bool had_daemon = p->run->is_main_live;
	const bool fails = machine_happens(m, 25);
	int64_t at_us = m->sim.now_us + chance_time(&m->chance, 2 * G_USEC_PER_SEC);

	p->n_script = 0;
	script_add(p, at_us, fails ? PROCESS_RESTART_FAILED : PROCESS_RESTARTED, !fails);
	if (fails)
		machine_count(m, SIM_FAULT_COMMAND_FAILED);
	if (had_daemon && machine_happens(m, 25)) {
		machine_count(m, SIM_FAULT_COMMAND_ENDS);
		script_add(p, at_us, PROCESS_EXITED, !fails);
		script_add(p, at_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE,
			   false);
	} else if (!had_daemon && chance_percent(&m->chance, 50)) {
		script_add(p, at_us, PROCESS_READY, true);
	}
}

void process_stop(Machine *m, SimProcess *p, const Service *s)
{
	int64_t at_us = m->sim.now_us + duration(m, 100 * MS);

	p->n_script = 0;
	if (machine_happens(m, 15)) {
		at_us = m->sim.now_us + s->def->stop_limit_us;
		machine_count(m, SIM_FAULT_IGNORES_TERM);
	}
	if (p->run->is_main_live)
		script_add(p, at_us, PROCESS_EXITED, chance_percent(&m->chance, 80));
	script_add(p, at_us, PROCESS_GONE, false);
}

/* --- HealthCommand= --- */

void process_forget_health(SimProcess *p)
{
	p->health_at_us = 0;
	p->health = HEALTH_UNKNOWN;
}

void process_begin_health(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);

	if (s->state != STATE_READY || !s->def->health || !p->run->is_main_live ||
	    p->run->is_stop_requested)
		p->health_at_us = 0;
	else if (!p->health_at_us &&
		 (m->has_faults || p->health_run != s->invocation || p->health != HEALTH_HEALTHY))
		p->health_at_us =
			m->sim.now_us + duration(m, (m->has_faults ? 40 : 1) * G_USEC_PER_SEC);
}

/* HealthAction=restart: the process ends as if by itself. */
static void end_unhealthy(Machine *m, SimProcess *p, const Service *s)
{
	p->n_script = 0;
	script_add(p, m->sim.now_us, PROCESS_EXITED, false);
	script_add(p, m->sim.now_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE,
		   false);
}

void process_answer_health(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const char *name = plan_service_name(index);
	const bool is_well = !machine_happens(m, 25);
	const Service *s = engine_find(m->sim.engine, name);

	if (!is_well)
		machine_count(m, SIM_FAULT_UNHEALTHY);
	p->health_at_us = 0;
	p->health = is_well ? HEALTH_HEALTHY : HEALTH_UNHEALTHY;
	p->health_run = p->run->invocation;
	machine_trace(m, "%s: %s", name, health_name(p->health));
	simulation_report(&m->sim, name,
			  (ProcessEvent){ .kind = PROCESS_HEALTH,
					  .success = is_well,
					  .text = m->is_reworded ? OTHER_TEXT : NULL });
	if (!is_well && s->def->health_action == HEALTH_ACTION_RESTART && s->state == STATE_READY &&
	    !p->run->is_stop_requested)
		end_unhealthy(m, p, s);
}

/* --- events --- */

bool process_ends_by_itself(const SimProcess *p)
{
	return !p->run->is_main_live && script_has(p, PROCESS_GONE) &&
	       !script_has(p, PROCESS_READY);
}

void process_exits_now(Machine *m, SimProcess *p)
{
	script_add(p, m->sim.now_us, PROCESS_EXITED, true);
}

void process_notify(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const ScriptLine line = p->script[0];
	const ProcessEvent event = {
		.kind = line.kind,
		.pid = 1000 + (pid_t)index,
		.success = line.success,
		.is_done = line.is_done,
		.is_refused = line.is_refused,
		.status = line.success ? 0 : 1,
		.text = m->is_reworded ? OTHER_TEXT : NULL,
		.at_us = line.at_us,
	};

	memmove(p->script, p->script + 1, --p->n_script * sizeof(p->script[0]));
	machine_trace(m, "%s: %s", plan_service_name(index), process_event_kind_name(line.kind));
	p->is_ready |= line.kind == PROCESS_READY;
	if (line.kind == PROCESS_RESTARTED || line.kind == PROCESS_RESTART_FAILED)
		p->is_restarting = false;
	simulation_report(&m->sim, plan_service_name(index), event);
}

void process_calm(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const Service *s = m->sim.engine ? engine_find(m->sim.engine, plan_service_name(index)) :
					   NULL;

	for (unsigned i = 0; i < p->n_script; i++) {
		const ProcessEventKind kind = p->script[i].kind;

		if (kind == PROCESS_READY ||
		    (p->is_restarting && kind != PROCESS_EXITED && !script_has(p, PROCESS_READY)))
			p->n_script = i + 1;
	}
	/*
	 * A process that is ready and not asked to stop keeps running, unless the engine takes it
	 * for a working task (crash_recover()).
	 */
	if (s && s->state == STATE_STARTING)
		return;
	if (p->run->is_main_live && p->is_ready && !p->run->is_stop_requested && p->n_script > 0 &&
	    p->script[0].kind == PROCESS_EXITED)
		p->n_script = 0;
}
