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

#define TABLE_BEGIN "<!-- table of transitions: made from daemon/engine/transitions.c -->\n"
#define TABLE_END "<!-- end of the table -->\n"

static bool has_processes(ServiceState state)
{
	return state == STATE_STARTING || state == STATE_READY || state == STATE_DONE || state == STATE_STOPPING;
}

/* --- the walk: each test is run for every state --- */

START_TEST(every_pair_has_its_own_row)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition *row = transition_find((ServiceState)_i, (ServiceEvent)on);

		ck_assert_int_eq(row->in, _i);
		ck_assert_int_eq(row->on, on);
		ck_assert_int_lt(row->to, STATE_COUNT);
		ck_assert_ptr_nonnull(row->remark);
	}
}
END_TEST

START_TEST(what_changes_nothing_moves_nothing)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition *row = transition_find((ServiceState)_i, (ServiceEvent)on);

		if (row->action == DO_NEVER || row->action == DO_STRAY || row->action == DO_IGNORE) {
			ck_assert_int_eq(row->to, row->in);
			ck_assert_str_ne(row->remark, "");
		}
	}
}
END_TEST

START_TEST(a_start_happens_only_out_of_waiting)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition *row = transition_find((ServiceState)_i, (ServiceEvent)on);

		if (row->action == DO_START || (row->to == STATE_STARTING && row->in != STATE_STARTING)) {
			ck_assert_int_eq(row->in, STATE_WAITING);
			ck_assert_int_eq(row->on, EVENT_ALLOWED);
		}
	}
}
END_TEST

START_TEST(what_has_processes_leaves_through_stopping_or_their_end)
{
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition *row = transition_find((ServiceState)_i, (ServiceEvent)on);
		const bool is_end = on == EVENT_GONE || on == EVENT_GONE_WANTED || on == EVENT_SPENT ||
				    on == EVENT_RETRY || on == EVENT_GIVE_UP;

		if (has_processes(row->in) && !has_processes(row->to))
			ck_assert(is_end);
		if (row->to == STATE_STOPPING && row->in != STATE_STOPPING)
			ck_assert_int_eq(row->action, DO_STOP);
	}
}
END_TEST

START_TEST(words_of_processes_are_never_our_mistake)
{
	const ServiceEvent words[] = { EVENT_READY, EVENT_SUCCEEDED, EVENT_START_FAILED, EVENT_EXITED,
				       EVENT_STOPS_ITSELF };

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ck_assert_int_ne(transition_find((ServiceState)_i, words[i])->action, DO_NEVER);
}
END_TEST

START_TEST(every_state_can_be_entered_and_left)
{
	bool is_entered = _i == STATE_IDLE;
	bool is_left = false;

	for (int in = 0; in < STATE_COUNT; in++) {
		for (int on = 0; on < EVENT_COUNT; on++) {
			const Transition *row = transition_find((ServiceState)in, (ServiceEvent)on);

			is_entered |= in != _i && (int)row->to == _i;
			is_left |= in == _i && (int)row->to != _i;
		}
	}
	ck_assert(is_entered);
	ck_assert(is_left);
}
END_TEST

/* --- the page --- */

static void append_state(GString *out, ServiceState in)
{
	g_string_append_printf(out, "\n| in %s, on | goes to | and does | |\n|---|---|---|---|\n", service_state_name(in));
	for (int on = 0; on < EVENT_COUNT; on++) {
		const Transition *row = transition_find(in, (ServiceEvent)on);

		g_string_append_printf(out, "| %s | %s | %s | %s |\n", service_event_name(row->on),
				       row->to == in ? "stays" : service_state_name(row->to),
				       transition_action_name(row->action), row->remark);
	}
}

static char *print_table(void)
{
	GString *out = g_string_new(TABLE_BEGIN);

	for (int in = 0; in < STATE_COUNT; in++)
		append_state(out, (ServiceState)in);
	g_string_append(out, "\n" TABLE_END);
	return g_string_free(out, FALSE);
}

START_TEST(the_page_prints_the_table)
{
	const char *top = getenv("srcdir");
	g_autofree char *file = g_build_filename(top ? top : ".", "docs", "engine.md", NULL);
	g_autofree char *table = print_table();
	g_autofree char *page = NULL;

	if (getenv("PRINT_TABLE")) {
		fputs(table, stdout);
		return;
	}
	ck_assert_msg(g_file_get_contents(file, &page, NULL, NULL), "cannot read %s", file);
	ck_assert_msg(strstr(page, table), "the table in %s is not that of transitions.c; it should be what "
		      "PRINT_TABLE=1 CK_FORK=no tests/unit/test_transitions prints", file);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("transitions");

	suite_add_loop(suite, "walk", every_pair_has_its_own_row, STATE_COUNT);
	suite_add_loop(suite, "walk", what_changes_nothing_moves_nothing, STATE_COUNT);
	suite_add_loop(suite, "walk", a_start_happens_only_out_of_waiting, STATE_COUNT);
	suite_add_loop(suite, "walk", what_has_processes_leaves_through_stopping_or_their_end, STATE_COUNT);
	suite_add_loop(suite, "walk", words_of_processes_are_never_our_mistake, STATE_COUNT);
	suite_add_loop(suite, "walk", every_state_can_be_entered_and_left, STATE_COUNT);
	ADD_CASE(suite, "page", the_page_prints_the_table);
	return suite;
}
