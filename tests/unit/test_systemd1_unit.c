/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a unit of svc-systemd1 waits for: user managers, their directories, and sessions.
 */
#include "config.h"

#include <glib.h>

#include "svc-systemd1/unit.h"
#include "tests/lib/suite.h"

#define DIRECTORY "user-runtime-dir@1000.service"
#define MANAGER "user@1000.service"

static Unit *unit_in(const char *name, UnitState state)
{
	Unit *unit = unit_get(name);

	unit->state = state;
	return unit;
}

/* As logind 252 requests it. */
static Unit *session_in(UnitState state)
{
	Unit *unit = unit_in("session-1.scope", state);

	unit->uid = 1000;
	g_ptr_array_add(unit->wants, g_strdup(DIRECTORY));
	g_ptr_array_add(unit->wants, g_strdup(MANAGER));
	return unit;
}

static void remove_unit(Unit *unit, void *data)
{
	(void)data;
	unit_remove(unit);
}

static void tear_down(void)
{
	unit_foreach(remove_unit, NULL);
}

START_TEST(a_session_waits_for_the_user_manager)
{
	Unit *directory = unit_in(DIRECTORY, UNIT_SPAWNED);
	Unit *manager = unit_in(MANAGER, UNIT_STARTING);
	const Unit *session = session_in(UNIT_STARTING);

	ck_assert_int_eq(unit_next_step(session), STEP_NONE);
	ck_assert_int_eq(unit_next_step(manager), STEP_NONE);

	directory->state = UNIT_ACTIVE;
	ck_assert_int_eq(unit_next_step(manager), STEP_SPAWN);
	manager->state = UNIT_SPAWNED;
	ck_assert_int_eq(unit_next_step(session), STEP_NONE);

	manager->state = UNIT_ACTIVE;
	ck_assert_int_eq(unit_next_step(session), STEP_SPAWN);
}
END_TEST

START_TEST(a_session_starts_without_a_user_manager_that_failed)
{
	(void)unit_in(DIRECTORY, UNIT_ACTIVE);
	(void)unit_in(MANAGER, UNIT_FAILED);

	ck_assert_int_eq(unit_next_step(session_in(UNIT_STARTING)), STEP_SPAWN);
}
END_TEST

START_TEST(a_user_manager_fails_with_its_directory)
{
	(void)unit_in(DIRECTORY, UNIT_FAILED);

	ck_assert_int_eq(unit_next_step(unit_in(MANAGER, UNIT_STARTING)), STEP_FAIL);
}
END_TEST

START_TEST(the_directory_is_removed_after_the_user_manager)
{
	const Unit *directory = unit_in(DIRECTORY, UNIT_ENDING);
	Unit *manager = unit_in(MANAGER, UNIT_SIGNALLED);

	ck_assert_int_eq(unit_next_step(directory), STEP_NONE);

	unit_remove(manager);
	ck_assert_int_eq(unit_next_step(directory), STEP_SIGNAL);
}
END_TEST

START_TEST(a_login_during_the_logout_does_not_deadlock)
{
	const Unit *directory = unit_in(DIRECTORY, UNIT_ENDING);
	/* requested again, and without a process */
	const Unit *manager = unit_in(MANAGER, UNIT_STARTING);

	ck_assert_int_eq(unit_next_step(directory), STEP_SIGNAL);
	ck_assert_int_eq(unit_next_step(manager), STEP_NONE);
}
END_TEST

START_TEST(a_directory_that_no_unit_needs_is_stopped)
{
	const Unit *directory = unit_in(DIRECTORY, UNIT_ACTIVE);
	Unit *session = session_in(UNIT_ACTIVE);

	ck_assert_int_eq(unit_next_step(directory), STEP_NONE);

	unit_remove(session);
	ck_assert_int_eq(unit_next_step(directory), STEP_STOP);
}
END_TEST

START_TEST(a_directory_that_was_started_by_its_name_stays)
{
	Unit *directory = unit_in(DIRECTORY, UNIT_ACTIVE);

	directory->is_explicit = true;
	ck_assert_int_eq(unit_next_step(directory), STEP_NONE);
}
END_TEST

START_TEST(a_slice_is_active_while_it_contains_a_unit)
{
	ck_assert(!unit_slice_is_active(1000));
	(void)unit_in(DIRECTORY, UNIT_ACTIVE); /* it has no process */
	ck_assert(!unit_slice_is_active(1000));
	(void)session_in(UNIT_ACTIVE);
	ck_assert(unit_slice_is_active(1000));
	ck_assert(!unit_slice_is_active(1001));
}
END_TEST

START_TEST(the_table_has_a_limit)
{
	for (int i = 0; i < UNITS_MAX; i++) {
		g_autofree char *name = g_strdup_printf("session-%d.scope", i);

		ck_assert_ptr_nonnull(unit_get(name));
	}
	ck_assert_ptr_null(unit_get("session-x.scope"));
	ck_assert_ptr_nonnull(unit_get("session-7.scope"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("systemd1_unit");

	ADD_CASE_AROUND(suite, "units", NULL, tear_down, a_session_waits_for_the_user_manager,
			a_session_starts_without_a_user_manager_that_failed,
			a_user_manager_fails_with_its_directory,
			the_directory_is_removed_after_the_user_manager,
			a_login_during_the_logout_does_not_deadlock,
			a_directory_that_no_unit_needs_is_stopped,
			a_directory_that_was_started_by_its_name_stays,
			a_slice_is_active_while_it_contains_a_unit, the_table_has_a_limit);
	return suite;
}
