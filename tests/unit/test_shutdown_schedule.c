/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown schedule: its time, its announcements, and the users in whose presence ctrl-alt-del may
 * shut down.
 */
#include "config.h"

#include <check.h>
#include <glib.h>

#include "svc-sysv/allowed.h"
#include "svc-sysv/schedule.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static const struct tm half_past_ten = { .tm_hour = 22, .tm_min = 30 };

static const struct {
	const char *text;
	int minutes; /* -1: refused */
	/* clang-format off */
} times[] = {
	{ "now", 0 },     { "+0", 0 },      { "+5", 5 },       { "10", 10 },      { "+1440", 1440 },
	{ "22:30", 0 },   { "22:31", 1 },   { "23:00", 30 },   { "0:00", 90 },    { "22:29", 1439 },
	{ "08:15", 585 }, { "24:00", -1 },  { "10:60", -1 },   { "10:5", -1 },    { "10:005", -1 },
	{ ":30", -1 },    { "10:", -1 },    { "", -1 },        { "+", -1 },       { "-1", -1 },
	{ "+-1", -1 },    { "5m", -1 },     { "Now", -1 },     { "1e3", -1 },     { "99999999999", -1 },
	{ "1:2:3", -1 },  { " 5", -1 },     { "+1000000", -1 },
};
/* clang-format on */

START_TEST(a_time_is_read_as_shutdown_reads_it)
{
	int minutes = -1;
	const bool read = schedule_parse(times[_i].text, &half_past_ten, &minutes);

	ck_assert_msg(read == (times[_i].minutes >= 0), "\"%s\"", times[_i].text);
	ck_assert_msg(minutes == times[_i].minutes, "\"%s\" is %d", times[_i].text, minutes);
}
END_TEST

START_TEST(warnings_are_more_frequent_towards_the_end)
{
	g_autoptr(GString) reported = g_string_new(NULL);

	for (int left = 200; left > 0; left--) {
		if (schedule_is_announced(left))
			g_string_append_printf(reported, "%d ", left);
	}
	ck_assert_str_eq(reported->str, "180 120 60 45 30 15 10 9 8 7 6 5 4 3 2 1 ");
}
END_TEST

START_TEST(only_whole_lines_name_a_user)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/shutdown.allow");

	tree_write(tree, "/shutdown.allow", "# who may\nann\nbob # the other\n\nlast");
	ck_assert(allowed_has(path, "ann", 3));
	ck_assert(allowed_has(path, "bob\0\0\0", 6));
	ck_assert(allowed_has(path, "last", 32));
	ck_assert(!allowed_has(path, "an", 32));
	ck_assert(!allowed_has(path, "anna", 32));
	ck_assert(!allowed_has(path, "", 32));
	ck_assert(!allowed_has(path, "who", 32));
	ck_assert(!allowed_has("/nonexistent", "ann", 32));
}
END_TEST

START_TEST(the_end_of_an_overlong_line_is_not_a_name)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/shutdown.allow");
	g_autofree char *comment = g_strnfill(127, '#');
	g_autofree char *text = g_strconcat(comment, "eve\nann\n", NULL);

	tree_write(tree, "/shutdown.allow", text);
	ck_assert(!allowed_has(path, "eve", 32));
	ck_assert(allowed_has(path, "ann", 32));
}
END_TEST

static const struct {
	const char *line;
	bool is_console;
	/* clang-format off */
} lines[] = {
	{ "tty1", true },   { "tty63", true }, { "tty64", false }, { "tty0", false }, { "tty", false },
	{ "ttyS0", false }, { "pts/0", false }, { "tty1x", false }, { ":0", false },   { "", false },
};
/* clang-format on */

START_TEST(ctrl_alt_del_is_pressed_at_a_virtual_console)
{
	ck_assert_msg(allowed_is_console(lines[_i].line, 32) == lines[_i].is_console, "\"%s\"",
		      lines[_i].line);
}
END_TEST

START_TEST(a_line_of_utmp_may_have_no_end)
{
	static const char line[4] = { 't', 't', 'y', '2' };

	ck_assert(allowed_is_console(line, sizeof line));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("shutdown schedule");

	suite_add_loop(suite, "schedule", a_time_is_read_as_shutdown_reads_it, G_N_ELEMENTS(times));
	suite_add_loop(suite, "schedule", ctrl_alt_del_is_pressed_at_a_virtual_console,
		       G_N_ELEMENTS(lines));
	ADD_CASE(suite, "schedule", warnings_are_more_frequent_towards_the_end,
		 only_whole_lines_name_a_user, the_end_of_an_overlong_line_is_not_a_name,
		 a_line_of_utmp_may_have_no_end);
	return suite;
}
