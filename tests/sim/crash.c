/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: notes may be lost, and processes may end while there is no manager.
 */
#include "config.h"

#include "tests/sim/crash.h"

#include <string.h>

#include "boot/boot-record.h"
#include "boot/boot.h"
#include "tests/sim/levels.h"
#include "tests/sim/process.h"
#include "tests/sim/requests.h"

static void keep_boot_record(Machine *m)
{
	g_autofree char *news = boot_record_take_news(m->sim.engine);

	if (news)
		g_string_append(m->boot_record, news);
}

void crash_now(Machine *m)
{
	const GPtrArray *services = engine_services(m->sim.engine);

	machine_count(m, SIM_FAULT_MANAGER_CRASH);
	machine_trace(m, "manager crashes");
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		char note[128];

		engine_note(m->sim.engine, s, note, sizeof(note));
		if (*note)
			m->notes[machine_index(s->def->name)] = g_strdup(note);
		if (s->state == STATE_STOPPING)
			machine_count(m, SIM_FAULT_CRASH_AT_STOP);
		if (engine_timer_at(s, ENGINE_TIMER_WAIT))
			machine_count(m, SIM_FAULT_WAITED_ACROSS_CRASH);
		if (s->admin == ADMIN_DEMAND)
			machine_count(m, SIM_FAULT_DEMAND_ACROSS_CRASH);
		if (s->admin == ADMIN_CONNECTION)
			machine_count(m, SIM_FAULT_CONNECTION_ACROSS_CRASH);
		machine_process(m, s->def->name)->was_listening = s->listens != LISTENS_CLOSED;
		if (engine_is_restarting(s))
			machine_count(m, SIM_FAULT_COMMAND_ACROSS_CRASH);
	}
	boot_note_global(m->sim.engine, m->global_note, sizeof(m->global_note));
	keep_boot_record(m);
	g_clear_pointer(&m->sim.engine, engine_free);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		process_forget_health(&m->processes[i]);
	levels_forget(m);
	/* A new manager starts the wait for Settle= anew. */
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		m->processes[i].hold_false_us = 0;
	m->manager_back_us = m->sim.now_us + chance_time(&m->chance, 2 * G_USEC_PER_SEC);
}

static bool recover_one(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const char *name = plan_service_name(index);
	g_autofree char *note = g_steal_pointer(&m->notes[index]);
	bool is_alive = p->run->is_live;
	const Service *s;
	bool is_read;

	p->is_unexplained = false;
	if (!note && !p->run->is_live)
		return true;
	if (note && machine_happens(m, 3)) {
		machine_count(m, SIM_FAULT_NOTE_LOST);
		*note = '\0';
		p->held_us = p->perhaps_held_us = 0;
		requests_forget(p);
	}
	if (p->run->is_live && p->run->is_main_live && machine_happens(m, 3)) {
		machine_count(m, SIM_FAULT_END_UNSEEN);
		p->run->is_live = p->run->is_main_live = p->run->is_stop_requested = is_alive =
			false;
		p->n_script = 0;
	}
	/*
	 * PID 1 has no row for a completed task. A phase in its note makes the task count as alive.
	 */
	if (p->run->is_live && !p->run->is_main_live && p->n_script == 0)
		is_alive = note && *note && chance_percent(&m->chance, 50);
	/* For the engine, a service without a process and without a note never ran. */
	if (!is_alive && (!(note && *note) || !engine_find(m->sim.engine, name)))
		p->run->is_live = false;
	if (is_alive && p->n_script > 0 && p->script[0].kind == PROCESS_EXITED &&
	    p->script[0].at_us <= m->sim.now_us)
		machine_count(m, SIM_FAULT_EXIT_UNSEEN);
	machine_trace(m, "recover %s \"%s\"%s", name, machine_text(m, note ? note : ""),
		      is_alive ? " alive" : "");
	if (p->was_listening)
		engine_recover_listening(m->sim.engine, name);
	is_read = engine_recover(m->sim.engine, name, note ? note : "", is_alive,
				 p->run->invocation, p->run->is_main_live ? 1000 + (pid_t)index : 0,
				 m->sim.now_us);
	s = engine_find(m->sim.engine, name);
	if (!s)
		requests_forget(p);
	/*
	 * A completed service without its note counts as ended, because the engine learns only that
	 * no process lives.
	 */
	if (!is_alive && s && s->state != STATE_DONE)
		p->run->is_live = false;
	p->is_script = s && s->def->type == TYPE_SCRIPT;
	p->is_unexplained = is_alive && !(note && *note);
	/*
	 * If a new file has turned a daemon into a task, and the note is lost, the daemon counts as
	 * a working task. So it ends now.
	 */
	if (s && s->state == STATE_STARTING && is_alive &&
	    (p->n_script == 0 || (p->is_restarting && p->n_script == 1)))
		process_exits_now(m, p);
	return is_read || !is_alive;
}

void crash_recover(Machine *m)
{
	if (!boot_recover_global(m->sim.engine, m->global_note, m->sim.now_us))
		machine_fail(m, "the engine cannot read its own note \"%s\"", m->global_note);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (!recover_one(m, i))
			machine_fail(m, "the engine cannot read its own note of %s",
				     plan_service_name(i));
	}
	boot_record_recover(m->sim.engine, m->boot_record->str, m->boot_record->len);
}
