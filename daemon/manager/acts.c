/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Acts: the engine's actions are only recorded while the engine runs, because it must not be called
 * back. manager_drain() carries them out when the engine has returned, and then sends all changes.
 */
#include "config.h"

#include "base/list.h"
#include "base/log.h"
#include "manager/manager.h"

typedef struct Act {
	ActKind kind;
	const char *service; /* interned */
	uint64_t invocation;
} Act;

void acts_queue(Manager *m, ActKind kind, const Service *s)
{
	const Act act = { .kind = kind, .service = s->def->name, .invocation = s->invocation };

	values_add(&m->acts, &act, sizeof act);
	manager_drain_later(m);
}

Supervisor *manager_supervisor(const Manager *m, const char *service)
{
	return g_hash_table_lookup(m->running, service);
}

void manager_add_supervisor(Manager *m, const char *service, Supervisor *supervisor)
{
	g_hash_table_insert(m->running, (gpointer)g_intern_string(service), supervisor);
}

void acts_retire(Manager *m, const char *service)
{
	gpointer supervisor;

	if (!g_hash_table_steal_extended(m->running, service, NULL, &supervisor))
		return;
	g_ptr_array_add(m->gone, supervisor);
	manager_drain_later(m);
}

static void report(Manager *m, const Act *act, ProcessEventKind kind, const char *text)
{
	const ProcessEvent event = { .kind = kind, .text = text, .at_us = loop_now() };

	engine_process_event(m->engine, act->service, act->invocation, &event, event.at_us);
}

static void carry_out(Manager *m, const Act *act)
{
	Supervisor *supervisor = manager_supervisor(m, act->service);
	const Service *s = engine_find(m->engine, act->service);
	const bool is_current = supervisor && supervisor_invocation(supervisor) == act->invocation;

	/* The newest valid definition is used for the next action, including a stop. */
	if (is_current && s && !s->def->problem)
		supervisor_redefine(supervisor, s->def);
	switch (act->kind) {
	case ACT_START:
		if (s && s->invocation == act->invocation && !is_current && !sockets_hold_start(m, s))
			manager_add_supervisor(m, act->service, supervisor_start(&m->context, s->def, act->invocation));
		break;
	case ACT_STOP:
		if (is_current)
			supervisor_stop(supervisor);
		else
			report(m, act, PROCESS_GONE, NULL); /* no process of it is left, and the engine waits for this event */
		break;
	case ACT_RELOAD:
		if (is_current)
			supervisor_reload(supervisor);
		else
			report(m, act, PROCESS_RELOAD_FAILED, "nothing is known of its processes");
		break;
	case ACT_RESTART:
		if (is_current)
			supervisor_restart(supervisor);
		break;
	}
}

/* An action may cause others, which are appended. */
static void carry_out_all(Manager *m)
{
	for (guint i = 0; i < m->acts->len; i++) {
		const Act act = g_array_index(m->acts, Act, i);

		carry_out(m, &act);
	}
	values_free(m->acts);
	m->acts = values_new();
}

static void act(Manager *m)
{
	sockets_update(m);
	if (sockets_hold_boot(m))
		return;
	carry_out_all(m);
}

/* Sends all changed states to their receivers. */
static void tell(Manager *m)
{
	notes_send(m);
	checks_drain(m);
	records_check(m);
	history_check(m);
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
		act(m);
		tell(m);
	}
	manager_write_down(m);
	g_ptr_array_set_size(m->gone, 0);
}

static void on_drain(void *data)
{
	manager_drain(data);
}

void manager_init_drain(Manager *m)
{
	m->drain = timer_new(on_drain, m);
}

void manager_drain_later(Manager *m)
{
	if (!timer_is_armed(m->drain))
		timer_arm(m->drain, loop_now());
}
