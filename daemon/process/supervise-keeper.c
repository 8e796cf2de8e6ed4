/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, from the keeper: processes that began, ended or were adopted. What follows from it the steps know.
 */
#include "config.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/errors.h"
#include "process/supervise.h"
#include "process/supervise-private.h"

void supervisor_clear_row(Supervisor *s, enum ProcessRole role)
{
	ProcessRow *row = &s->rows[role];

	g_clear_pointer(&row->status, ready_fd_free);
	g_clear_pointer(&row->problem, g_free);
}

/* Of another version's row nothing is known but that it runs beside the main process. */
static enum ProcessRole role_of(const struct ProcessId *id)
{
	return id->role < ROLE_COUNT ? (enum ProcessRole)id->role : ROLE_CONTROL;
}

static void spawn_failed(Supervisor *s, enum ProcessRole role, int error)
{
	struct MessageExited exit = { .code = CLD_EXITED, .status = 127, .at_us = (uint64_t)loop_now() };
	ProcessRow *row = &s->rows[role];

	row->in_use = false;
	g_free(row->problem);
	/* A row is busy when an earlier run's probe cannot be killed. */
	row->problem = role_is_probe(role) && error == EBUSY ? g_strdup("an earlier one cannot be killed") :
							       g_strdup_printf("cannot start a process: %s", g_strerror(error));
	if (role_is_probe(role))
		probe_ended(s, role, &exit);
	else if (role == ROLE_CONTROL)
		supervisor_row(s)->control_ended(s, &exit);
	else if (s->is_stopping)
		supervisor_row(s)->main_ended(s, &exit);
	else
		supervisor_fail_start(s, STEP_REST, "%s", row->problem);
	supervisor_clear_row(s, role);
}

void supervisor_on_spawned(Supervisor *s, const struct MessageSpawned *message)
{
	enum ProcessRole role = role_of(&message->id);
	ProcessRow *row = &s->rows[role];
	ProcessEvent started = { .kind = PROCESS_STARTED, .pid = message->pid, .at_us = (int64_t)message->at_us };

	if (!row->in_use || row->pid > 0)
		return; /* told again in a replay */
	if (!role_is_probe(role))
		s->is_refused = errnum_is_passing((int)message->error);
	if (message->error) {
		spawn_failed(s, role, message->error);
	} else {
		row->pid = message->pid;
		if (role == ROLE_MAIN)
			supervisor_emit(s, &started);
		supervisor_arm(s);
	}
	supervisor_settle(s);
}

static void handle_exit(Supervisor *s, const struct MessageExited *message)
{
	enum ProcessRole role = role_of(&message->id);
	ProcessRow *row = &s->rows[role];

	supervisor_drain(s, role);
	row->in_use = false;
	row->pid = 0;
	if (role == ROLE_MAIN) {
		g_free(s->last_exit);
		s->last_exit = g_memdup2(message, sizeof(*message));
		supervisor_row(s)->main_ended(s, message);
	} else if (role_is_probe(role)) {
		probe_ended(s, role, message);
	} else {
		supervisor_row(s)->control_ended(s, message);
	}
	supervisor_clear_row(s, role);
	/* Only now the row is free: the note says what comes next, and its first act may need the row. */
	keeper_link_ack(s->context->link, &message->id, supervisor_note(s));
	supervisor_settle(s);
}

void supervisor_on_exited(Supervisor *s, const struct MessageExited *message)
{
	enum ProcessRole role = role_of(&message->id);

	if (!s->has_begun) {
		g_free(s->early_exits[role]);
		s->early_exits[role] = g_memdup2(message, sizeof(*message));
		return;
	}
	handle_exit(s, message);
}

void supervisor_take_early_exits(Supervisor *s)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		if (s->early_exits[role])
			handle_exit(s, s->early_exits[role]);
	}
}

void supervisor_on_adopted(Supervisor *s, const struct MessageAdopted *message)
{
	if (!s->has_begun)
		return; /* asked for by the manager before; we ask again */
	step_adopted(s, message->pid, message->error);
	supervisor_settle(s);
}
