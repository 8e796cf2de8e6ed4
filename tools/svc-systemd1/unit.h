/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit: the table of the units that exist at present, and their states.
 *
 * The table is pure: it starts nothing. unit_next_step() computes the next step of a unit from the
 * states of the others, so no event can be lost. start-stop.c carries the step out.
 */
#ifndef SVCD_SYSTEMD1_UNIT_H
#define SVCD_SYSTEMD1_UNIT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "svc-systemd1/transient.h"
#include "svc-systemd1/unit-name.h"

/* Sessions, and two units per user: far more than a machine has. */
enum { UNITS_MAX = 4096 };

typedef enum UnitState {
	UNIT_INACTIVE, /* about to be freed, or to be started again */
	UNIT_STARTING, /* waits for the units that it needs */
	UNIT_SPAWNED, /* its process works on the start */
	UNIT_ACTIVE,
	UNIT_ENDING, /* waits for the units that need it */
	UNIT_SIGNALLED, /* its processes are being ended */
	UNIT_FAILED,
} UnitState;

typedef struct Unit {
	char *name;
	char *description;
	UnitKind kind;
	UnitState state; /* set by start-stop.c only */
	uint32_t uid;
	Transient *transient; /* of a scope that has not started yet; with the message below */
	DBusMessage *message;
	GPtrArray *requires;
	GPtrArray *wants;
	uint32_t start_job; /* 0: none */
	uint32_t stop_job;
	pid_t process; /* starts it, and then waits for its end; 0: none */
	pid_t stopper; /* ends its processes; 0: none */
	bool sends_hup;
	bool is_explicit; /* started by its name, so it stays until it is stopped by its name */
	bool is_start_pending; /* a start that came during the stop */
	bool has_failed; /* its end will be UNIT_FAILED */
	bool is_watched; /* @process is not the user manager, and waits for the end of its cgroup */
	int64_t deadline_us; /* of the start; 0: none */
} Unit;

typedef enum UnitStep {
	STEP_NONE, /* it waits, or is at rest */
	STEP_SPAWN, /* all that it needs is up */
	STEP_FAIL, /* a unit that it requires has failed */
	STEP_STOP, /* no unit needs it any more */
	STEP_SIGNAL, /* the units that need it have ended */
} UnitStep;

Unit *unit_find(const char *name); /* NULL if there is none */
Unit *unit_find_process(pid_t pid); /* the unit of that process or stopper */
/* Returns: the unit of that name, UNIT_INACTIVE if it is new; NULL if there are too many. */
Unit *unit_get(const char *name);
void unit_remove(Unit *unit); /* frees it */
void unit_foreach(void (*function)(Unit *unit, void *data), void *data);

/* ActiveState of org.freedesktop.systemd1(5). */
const char *unit_active_state(const Unit *unit);

/* Makes it need the runtime directory of its user, as every session and user manager does. */
void unit_needs_runtime_dir(Unit *unit);

UnitStep unit_next_step(const Unit *unit);

/* A slice exists as long as it contains a unit. */
bool unit_slice_is_active(uint32_t uid);

/* The first open deadline, or 0. */
int64_t unit_first_deadline(void);

#endif
