/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Actions: while the engine runs, its actions are only recorded, because an EngineOps function must
 * not call the engine. manager_drain() carries them out when the engine has returned, and then
 * sends all changes.
 */
#include "config.h"

#include "base/list.h"
#include "base/log.h"
#include "manager/manager.h"

typedef struct EngineAct {
	EngineActionKind kind;
	const char *service; /* interned */
	uint64_t invocation;
} EngineAct;

/* EngineAct, in a list of base/list.h; carried out when the engine has returned */
static GArray *actions;
static Timer *drain; /* calls manager_drain() in the next turn of the loop */
static Timer *writer; /* calls manager_write_down() after the starts that were carried out */
static GHashTable *running; /* interned name -> Supervisor *, owned */
static GPtrArray *gone; /* Supervisor *; freed when none of their functions runs */

void actions_queue(EngineActionKind kind, const Service *s)
{
	const EngineAct action = { .kind = kind,
				   .service = s->def->name,
				   .invocation = s->invocation };

	values_add(&actions, &action, sizeof action);
	manager_drain_later();
}

bool actions_are_pending(void)
{
	return actions->len > 0;
}

Supervisor *manager_supervisor(const char *service)
{
	return g_hash_table_lookup(running, service);
}

void manager_add_supervisor(const char *service, Supervisor *supervisor)
{
	g_hash_table_insert(running, (gpointer)g_intern_string(service), supervisor);
}

void actions_retire(const char *service)
{
	gpointer supervisor;

	if (!g_hash_table_steal_extended(running, service, NULL, &supervisor))
		return;
	g_ptr_array_add(gone, supervisor);
	manager_drain_later();
}

static void report(Manager *m, const EngineAct *action, ProcessEventKind kind, const char *text)
{
	const ProcessEvent event = { .kind = kind, .text = text, .at_us = loop_now() };

	engine_process_event(m->engine, action->service, action->invocation, &event, event.at_us);
}

static void carry_out(Manager *m, const EngineAct *action)
{
	Supervisor *supervisor = manager_supervisor(action->service);
	const Service *s = engine_find(m->engine, action->service);
	const bool is_current = supervisor &&
				supervisor_invocation(supervisor) == action->invocation;

	/* The newest valid definition is used for the next action, including a stop. */
	if (is_current && s && !s->def->problem)
		supervisor_redefine(supervisor, s->def);
	switch (action->kind) {
	case ENGINE_ACTION_START:
		if (s && s->invocation == action->invocation && !is_current &&
		    !sockets_hold_start(m, s))
			manager_add_supervisor(action->service,
					       supervisor_start(&m->context, s->def,
								action->invocation));
		break;
	case ENGINE_ACTION_STOP:
		if (is_current)
			supervisor_stop(supervisor);
		else
			/* the service has no process left, and the engine waits for this event */
			report(m, action, PROCESS_GONE, NULL);
		break;
	case ENGINE_ACTION_RELOAD:
		if (is_current)
			supervisor_reload(supervisor);
		else
			report(m, action, PROCESS_RELOAD_FAILED, "its processes are not known");
		break;
	case ENGINE_ACTION_RESTART:
		if (is_current)
			supervisor_restart(supervisor);
		break;
	}
}

/* An action may cause others, which are appended. */
static void carry_out_all(Manager *m)
{
	for (guint i = 0; i < actions->len; i++) {
		const EngineAct action = g_array_index(actions, EngineAct, i);

		carry_out(m, &action);
	}
	values_free(actions);
	actions = values_new();
}

static void carry_out_unless_held(Manager *m)
{
	sockets_update(m);
	if (sockets_hold_boot())
		return;
	carry_out_all(m);
}

static void send_changes(Manager *m)
{
	notes_send(m);
	checks_drain(m);
	records_check(m);
	boot_history_check(m);
	last_success_check(m);
	power_check_finished(m);
}

void manager_write_down(Manager *m)
{
	if (m->engine && !m->recovery)
		boot_file_check(m);
	log_catch_up();
}

void manager_drain(Manager *m)
{
	if (m->engine && !m->recovery) {
		carry_out_unless_held(m);
		send_changes(m);
	}
	timer_arm(writer, loop_now());
	g_ptr_array_set_size(gone, 0);
}

static void free_supervisor(gpointer data)
{
	supervisor_free(data);
}

static void on_drain(void *data)
{
	manager_drain(data);
}

static void on_write(void *data)
{
	manager_write_down(data);
}

void actions_init(Manager *m)
{
	actions = values_new();
	drain = timer_new(on_drain, m);
	writer = timer_new(on_write, m);
	running = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_supervisor);
	gone = g_ptr_array_new_with_free_func(free_supervisor);
}

void manager_drain_later(void)
{
	if (!timer_is_armed(drain))
		timer_arm(drain, loop_now());
}
