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
	return state == STATE_STARTING || state == STATE_READY || state == STATE_DONE ||
	       state == STATE_STOPPING;
}

static bool is_end(int event)
{
	return event >= EVENT_GONE;
}

/* --- the walk: each test runs for each state --- */

START_TEST(each_transition_leaves_the_state)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const int to = transition_find((ServiceState)_i, (ServiceEvent)on);

		ck_assert_int_ge(to, TRANSITION_NEVER);
		ck_assert_int_lt(to, STATE_COUNT);
		ck_assert_int_ne(to, _i);
	}
}
END_TEST

START_TEST(a_start_happens_only_out_of_waiting)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		if (transition_find((ServiceState)_i, (ServiceEvent)on) == STATE_STARTING) {
			ck_assert_int_eq(_i, STATE_WAITING);
			ck_assert_int_eq(on, EVENT_ALLOWED);
		}
	}
}
END_TEST

START_TEST(what_has_processes_leaves_through_stopping_or_their_end)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const int to = transition_find((ServiceState)_i, (ServiceEvent)on);

		if (to >= 0 && has_processes((ServiceState)_i) && !has_processes((ServiceState)to))
			ck_assert(is_end(on));
	}
}
END_TEST

START_TEST(reports_of_processes_are_never_a_mistake_of_the_engine)
{
	for (int on = EVENT_READY; on < EVENT_COUNT; on++)
		ck_assert_int_ne(transition_find((ServiceState)_i, (ServiceEvent)on),
				 TRANSITION_NEVER);
}
END_TEST

START_TEST(every_state_can_be_entered_and_left)
{
	bool is_entered = _i == STATE_IDLE;
	bool is_left = false;

	for (int in = 0; in < STATE_COUNT; in++) {
		for (int on = 0; on < EVENT_COUNT; on++) {
			const int to = transition_find((ServiceState)in, (ServiceEvent)on);

			is_entered |= in != _i && to == _i;
			is_left |= in == _i && to >= 0 && to != _i;
		}
	}
	ck_assert(is_entered);
	ck_assert(is_left);
}
END_TEST

/* Because of this, the page needs only one line for all states that a run can end in. */
START_TEST(the_end_of_a_run_decides_alone_about_the_next_state)
{
	for (int on = EVENT_GONE; on < EVENT_COUNT; on++) {
		const int to = transition_find((ServiceState)_i, (ServiceEvent)on);
		const bool ends = transition_find((ServiceState)_i, EVENT_GONE) >= 0;

		ck_assert_int_eq(to, ends ? transition_find(STATE_STOPPING, (ServiceEvent)on) :
					    TRANSITION_NONE);
	}
}
END_TEST

/* --- the page --- */

static void append_state(GString *out, int state)
{
	if (state >= 0)
		g_string_append_printf(out, " %s", service_state_name((ServiceState)state));
	g_string_append(out, " |");
}

static void append_transitions(GString *out)
{
	g_string_append(out, "\n| event |");
	for (int in = 0; in < STATE_COUNT; in++)
		append_state(out, in);
	g_string_append(out, "\n|---|");
	for (int in = 0; in < STATE_COUNT; in++)
		g_string_append(out, "---|");
	for (int on = 0; !is_end(on); on++) {
		g_string_append_printf(out, "\n| %s |", service_event_name((ServiceEvent)on));
		for (int in = 0; in < STATE_COUNT; in++)
			append_state(out, transition_find((ServiceState)in, (ServiceEvent)on));
	}
	g_string_append(out, "\n| no process is left |");
	for (int in = 0; in < STATE_COUNT; in++)
		g_string_append(out, transition_find((ServiceState)in, EVENT_GONE) < 0 ?
					     " |" :
					     " next table |");
	g_string_append_c(out, '\n');
}

static void append_end(GString *out, const char *head, bool is_wanted, bool is_ordered,
		       RunResult result)
{
	g_string_append_printf(out, "| %s |", head);
	for (int restart = 0; restart < RESTART_COUNT; restart++)
		append_state(out, transition_find(STATE_STOPPING,
						  run_end_event(is_wanted, is_ordered, result,
								(RestartPolicy)restart)));
	g_string_append_c(out, '\n');
}

/*
 * "any" stands for values with the same effect: all results, and for a service that is not wanted
 * also both kinds of stop.
 */
static void append_run_ends(GString *out)
{
	g_string_append(out, "\n| wanted | stopped by svcd | the run ended with |");
	for (int restart = 0; restart < RESTART_COUNT; restart++)
		g_string_append_printf(out, " `Restart=%s` |",
				       restart_policy_name((RestartPolicy)restart));
	g_string_append(out, "\n|---|---|---|---|---|---|\n");
	append_end(out, "no | any | any", false, false, RUN_SUCCEEDED);
	append_end(out, "yes | yes | any", true, true, RUN_SUCCEEDED);
	for (int result = 0; result < RUN_COUNT; result++) {
		g_autofree char *head =
			g_strdup_printf("yes | no | %s", run_result_name((RunResult)result));

		append_end(out, head, true, false, (RunResult)result);
	}
}

START_TEST(the_result_counts_only_for_a_wanted_service_that_ended_by_itself)
{
	for (int restart = 0; restart < RESTART_COUNT; restart++) {
		ck_assert_int_eq(run_end_event(false, false, (RunResult)_i, (RestartPolicy)restart),
				 EVENT_GONE);
		ck_assert_int_eq(run_end_event(false, true, (RunResult)_i, (RestartPolicy)restart),
				 EVENT_GONE);
		ck_assert_int_eq(run_end_event(true, true, (RunResult)_i, (RestartPolicy)restart),
				 EVENT_GONE_WANTED);
	}
}
END_TEST

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
	ck_assert_msg(strstr(page, table),
		      "the tables in %s are not those of transitions.c; they should be what "
		      "PRINT_TABLE=1 CK_FORK=no tests/unit/test_transitions prints",
		      file);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("transitions");

	suite_add_loop(suite, "walk", each_transition_leaves_the_state, STATE_COUNT);
	suite_add_loop(suite, "walk", a_start_happens_only_out_of_waiting, STATE_COUNT);
	suite_add_loop(suite, "walk", what_has_processes_leaves_through_stopping_or_their_end,
		       STATE_COUNT);
	suite_add_loop(suite, "walk", reports_of_processes_are_never_a_mistake_of_the_engine,
		       STATE_COUNT);
	suite_add_loop(suite, "walk", every_state_can_be_entered_and_left, STATE_COUNT);
	suite_add_loop(suite, "walk", the_end_of_a_run_decides_alone_about_the_next_state,
		       STATE_COUNT);
	suite_add_loop(suite, "run",
		       the_result_counts_only_for_a_wanted_service_that_ended_by_itself, RUN_COUNT);
	ADD_CASE(suite, "page", the_page_prints_the_table);
	return suite;
}
