/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit: see unit.h.
 */
#include "config.h"

#include "svc-systemd1/unit.h"

#include <string.h>

/* A global variable, because a program has one table. */
static GPtrArray *units;

static void unit_free(void *data)
{
	Unit *unit = data;

	if (unit->transient)
		transient_clear(unit->transient);
	g_free(unit->transient);
	if (unit->message)
		dbus_message_unref(unit->message);
	g_ptr_array_unref(unit->requires);
	g_ptr_array_unref(unit->wants);
	g_free(unit->description);
	g_free(unit->name);
	g_free(unit);
}

Unit *unit_find(const char *name)
{
	for (unsigned i = 0; units && i < units->len; i++) {
		Unit *unit = g_ptr_array_index(units, i);

		if (strcmp(unit->name, name) == 0)
			return unit;
	}
	return NULL;
}

Unit *unit_find_process(pid_t pid)
{
	for (unsigned i = 0; units && i < units->len; i++) {
		Unit *unit = g_ptr_array_index(units, i);

		if (unit->process == pid || unit->stopper == pid)
			return unit;
	}
	return NULL;
}

Unit *unit_get(const char *name)
{
	Unit *unit = unit_find(name);

	if (unit)
		return unit;
	if (!units)
		units = g_ptr_array_new_with_free_func(unit_free);
	if (units->len >= UNITS_MAX)
		return NULL;
	unit = g_new0(Unit, 1);
	unit->name = g_strdup(name);
	unit->kind = unit_name_kind(name);
	(void)unit_name_uid(name, &unit->uid); /* that of a scope comes from its slice */
	unit->requires = g_ptr_array_new_with_free_func(g_free);
	unit->wants = g_ptr_array_new_with_free_func(g_free);
	if (unit->kind == UNIT_USER_MANAGER)
		unit_needs_runtime_dir(unit);
	g_ptr_array_add(units, unit);
	return unit;
}

void unit_remove(Unit *unit)
{
	(void)g_ptr_array_remove(units, unit);
}

void unit_foreach(void (*function)(Unit *unit, void *data), void *data)
{
	/* backwards, because @function may remove the unit */
	for (unsigned i = units ? units->len : 0; i > 0; i--)
		function(g_ptr_array_index(units, i - 1), data);
}

const char *unit_active_state(const Unit *unit)
{
	switch (unit->state) {
	case UNIT_INACTIVE:
		return "inactive";
	case UNIT_STARTING:
	case UNIT_SPAWNED:
		return "activating";
	case UNIT_ACTIVE:
		return "active";
	case UNIT_ENDING:
	case UNIT_SIGNALLED:
		return "deactivating";
	case UNIT_FAILED:
		return "failed";
	}
	return "inactive";
}

static char *runtime_dir_of(uint32_t uid)
{
	return g_strdup_printf("user-runtime-dir@%u.service", uid);
}

void unit_needs_runtime_dir(Unit *unit)
{
	g_ptr_array_add(unit->requires, runtime_dir_of(unit->uid));
}

/* --- steps --- */

static bool is_moving(const char *name)
{
	const Unit *other = unit_find(name);

	return other && other->state != UNIT_ACTIVE && other->state != UNIT_FAILED;
}

static bool is_up(const char *name)
{
	const Unit *other = unit_find(name);

	return other && other->state == UNIT_ACTIVE;
}

static UnitStep step_of_start(const Unit *unit)
{
	for (unsigned i = 0; i < unit->requires->len; i++)
		if (is_moving(g_ptr_array_index(unit->requires, i)))
			return STEP_NONE;
	for (unsigned i = 0; i < unit->requires->len; i++)
		if (!is_up(g_ptr_array_index(unit->requires, i)))
			return STEP_FAIL;
	for (unsigned i = 0; i < unit->wants->len; i++)
		if (is_moving(g_ptr_array_index(unit->wants, i)))
			return STEP_NONE;
	return STEP_SPAWN;
}

static bool names_contain(const GPtrArray *names, const char *name)
{
	for (unsigned i = 0; i < names->len; i++)
		if (strcmp(g_ptr_array_index(names, i), name) == 0)
			return true;
	return false;
}

/* Does a unit that exists require or want it? */
static bool is_needed(const Unit *unit)
{
	for (unsigned i = 0; i < units->len; i++) {
		const Unit *other = g_ptr_array_index(units, i);

		if (other->state != UNIT_INACTIVE && other->state != UNIT_FAILED &&
		    (names_contain(other->requires, unit->name) ||
		     names_contain(other->wants, unit->name)))
			return true;
	}
	return false;
}

/* The user manager works in the runtime directory, so it ends first. */
static bool user_manager_is_gone(uint32_t uid)
{
	g_autofree char *name = g_strdup_printf("user@%u.service", uid);
	const Unit *manager = unit_find(name);

	/* one that waits for its next start has no process */
	return !manager || manager->state == UNIT_INACTIVE || manager->state == UNIT_STARTING ||
	       manager->state == UNIT_FAILED;
}

UnitStep unit_next_step(const Unit *unit)
{
	const bool is_directory = unit->kind == UNIT_RUNTIME_DIR;

	switch (unit->state) {
	case UNIT_STARTING:
		return step_of_start(unit);
	case UNIT_ACTIVE:
		/* systemd 252 has StopWhenUnneeded=yes; 257 starts and stops it by its name. */
		return is_directory && !unit->is_explicit && !is_needed(unit) ? STEP_STOP :
										STEP_NONE;
	case UNIT_ENDING:
		return !is_directory || user_manager_is_gone(unit->uid) ? STEP_SIGNAL : STEP_NONE;
	case UNIT_INACTIVE:
	case UNIT_SPAWNED:
	case UNIT_SIGNALLED:
	case UNIT_FAILED:
		return STEP_NONE;
	}
	return STEP_NONE;
}

bool unit_slice_is_active(uint32_t uid)
{
	for (unsigned i = 0; units && i < units->len; i++) {
		const Unit *unit = g_ptr_array_index(units, i);

		if (unit->uid == uid &&
		    (unit->kind == UNIT_SCOPE || unit->kind == UNIT_USER_MANAGER) &&
		    unit->state != UNIT_INACTIVE && unit->state != UNIT_FAILED)
			return true;
	}
	return false;
}

int64_t unit_first_deadline(void)
{
	int64_t first = 0;

	for (unsigned i = 0; units && i < units->len; i++) {
		const Unit *unit = g_ptr_array_index(units, i);

		if (unit->deadline_us && (!first || unit->deadline_us < first))
			first = unit->deadline_us;
	}
	return first;
}
