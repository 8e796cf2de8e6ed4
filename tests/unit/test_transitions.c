/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transitions: a walk over the whole table, and the page that prints it.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/transitions.h"
#include "tests/lib/suite.h"

#define PAGE "how-svcd-decides.md"
#define TABLE_BEGIN "<!-- tables made from daemon/engine/transitions.c -->\n"
#define TABLE_END "<!-- end of the tables -->\n"

static bool has_processes(ServiceState state)
{
	return state == STATE_STARTING || state == STATE_READY || state == STATE_DONE || state == STATE_STOPPING;
}

/* --- the walk: each test runs for each state --- */

START_TEST(what_changes_nothing_moves_nothing)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition row = transition_find((ServiceState)_i, (ServiceEvent)on);

		if (row.action == DO_NEVER || row.action == DO_STRAY || row.action == DO_IGNORE) {
			ck_assert_int_eq(row.to, _i);
		}
	}
}
END_TEST

START_TEST(a_start_happens_only_out_of_waiting)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition row = transition_find((ServiceState)_i, (ServiceEvent)on);

		if (row.action == DO_START || (row.to == STATE_STARTING && _i != STATE_STARTING)) {
			ck_assert_int_eq(_i, STATE_WAITING);
			ck_assert_int_eq(on, EVENT_ALLOWED);
		}
	}
}
END_TEST

START_TEST(what_has_processes_leaves_through_stopping_or_their_end)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition row = transition_find((ServiceState)_i, (ServiceEvent)on);
		const bool is_end = on == EVENT_GONE || on == EVENT_GONE_WANTED || on == EVENT_SPENT ||
				    on == EVENT_RETRY || on == EVENT_GIVE_UP;

		if (has_processes((ServiceState)_i) && !has_processes(row.to))
			ck_assert(is_end);
		if (row.to == STATE_STOPPING && _i != STATE_STOPPING)
			ck_assert_int_eq(row.action, DO_STOP);
	}
}
END_TEST

START_TEST(reports_of_processes_are_never_a_mistake_of_the_engine)
{
	const ServiceEvent reports[] = { EVENT_READY, EVENT_SUCCEEDED, EVENT_START_FAILED, EVENT_EXITED,
				       EVENT_STOPS_ITSELF };

	for (unsigned i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		ck_assert_int_ne(transition_find((ServiceState)_i, reports[i]).action, DO_NEVER);
}
END_TEST

START_TEST(every_state_can_be_entered_and_left)
{
	bool is_entered = _i == STATE_IDLE;
	bool is_left = false;

	for (int in = 0; in < STATE_COUNT; in++) {
		for (int on = 0; on < EVENT_COUNT; on++) {
			const Transition row = transition_find((ServiceState)in, (ServiceEvent)on);

			is_entered |= in != _i && (int)row.to == _i;
			is_left |= in == _i && (int)row.to != _i;
		}
	}
	ck_assert(is_entered);
	ck_assert(is_left);
}
END_TEST

/* --- the page --- */

/* The next state, and the action if there is one; empty: "never" or "stray". */
static void append_cell(GString *out, ServiceState in, ServiceEvent on)
{
	const Transition row = transition_find(in, on);

	if (row.action == DO_NEVER || row.action == DO_STRAY)
		g_string_append(out, " |");
	else if (row.action == DO_IGNORE || row.to == in)
		g_string_append(out, " - |");
	else
		g_string_append_printf(out, " %s |", service_state_name(row.to));
}

static void append_transitions(GString *out)
{
	g_string_append(out, "\n| event |");
	for (int in = 0; in < STATE_COUNT; in++)
		g_string_append_printf(out, " %s |", service_state_name((ServiceState)in));
	g_string_append(out, "\n|---|");
	for (int in = 0; in < STATE_COUNT; in++)
		g_string_append(out, "---|");
	for (int on = 0; on < EVENT_COUNT; on++) {
		g_string_append_printf(out, "\n| %s |", service_event_name((ServiceEvent)on));
		for (int in = 0; in < STATE_COUNT; in++)
			append_cell(out, (ServiceState)in, (ServiceEvent)on);
	}
	g_string_append_c(out, '\n');
}

static void append_run_ends(GString *out)
{
	g_string_append(out, "\n| the run ended with |");
	for (int restart = 0; restart < RESTART_COUNT; restart++)
		g_string_append_printf(out, " `Restart=%s` |", restart_policy_name((RestartPolicy)restart));
	g_string_append(out, "\n|---|---|---|---|\n");
	for (int result = 0; result < RUN_COUNT; result++) {
		g_string_append_printf(out, "| %s |", run_result_name((RunResult)result));
		for (int restart = 0; restart < RESTART_COUNT; restart++)
			g_string_append_printf(out, " %s |", service_event_name(run_end_event(false, (RunResult)result,
											       (RestartPolicy)restart)));
		g_string_append_c(out, '\n');
	}
}

static char *print_table(void)
{
	GString *out = g_string_new(TABLE_BEGIN);

	append_transitions(out);
	append_run_ends(out);
	g_string_append(out, "\n" TABLE_END);
	return g_string_free(out, FALSE);
}

START_TEST(the_page_prints_the_table)
{
	const char *top = getenv("srcdir");
	g_autofree char *file = g_build_filename(top ? top : ".", "docs", PAGE, NULL);
	g_autofree char *table = print_table();
	g_autofree char *page = NULL;

	if (getenv("PRINT_TABLE")) {
		fputs(table, stdout);
		return;
	}
	ck_assert_msg(g_file_get_contents(file, &page, NULL, NULL), "cannot read %s", file);
	ck_assert_msg(strstr(page, table), "the tables in %s are not those of transitions.c; they should be what "
		      "PRINT_TABLE=1 CK_FORK=no tests/unit/test_transitions prints", file);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("transitions");

	suite_add_loop(suite, "walk", what_changes_nothing_moves_nothing, STATE_COUNT);
	suite_add_loop(suite, "walk", a_start_happens_only_out_of_waiting, STATE_COUNT);
	suite_add_loop(suite, "walk", what_has_processes_leaves_through_stopping_or_their_end, STATE_COUNT);
	suite_add_loop(suite, "walk", reports_of_processes_are_never_a_mistake_of_the_engine, STATE_COUNT);
	suite_add_loop(suite, "walk", every_state_can_be_entered_and_left, STATE_COUNT);
	ADD_CASE(suite, "page", the_page_prints_the_table);
	return suite;
}
