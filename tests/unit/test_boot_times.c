/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot times: the critical chain, from the last wait of each service; and lines that fit a
 * terminal.
 */
#include "config.h"

#include <check.h>

#include "svcctl/boot-times.h"
#include "svcctl/job-lines.h"
#include "tests/lib/suite.h"

/*
 * udev 0-900, dbus 900-1000 after udev, gdm 1000-3000 after dbus, cron 0-50. "held" waits for an
 * external condition.
 */
static BootTimes *make_times(void)
{
	g_autoptr(GVariant) array = g_variant_ref_sink(g_variant_new_parsed(
		"[('cron', @t 10, @t 10, @t 10, @t 60, 'up', '', ''),"
		" ('dbus', @t 10, @t 910, @t 910, @t 1010, 'up', 'settled:udev', 'udev'),"
		" ('gdm', @t 10, @t 1010, @t 1010, @t 3010, 'failed', 'service:dbus', 'dbus'),"
		" ('held', @t 10, @t 0, @t 0, @t 0, 'none', '', ''),"
		" ('late', @t 2000, @t 2000, @t 2000, @t 2100, 'up', 'path:/a \"b\"', ''),"
		" ('slow', @t 10, @t 10, @t 1500, @t 0, 'none', 'StartLock=x', 'cron'),"
		" ('udev', @t 10, @t 10, @t 10, @t 910, 'up', '', '')]"));

	return boot_times_new(array);
}

static char *chain_of(const BootTimes *times, const char *name)
{
	const BootTime *end = name ? boot_times_find(times, name) : boot_times_last(times);
	g_autoptr(GPtrArray) chain = boot_times_chain(times, end);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < chain->len; i++)
		g_string_append_printf(text, "%s%s", i ? " " : "",
				       ((const BootTime *)g_ptr_array_index(chain, i))->name);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

START_TEST(the_chain_goes_back_by_what_each_waited_for_last)
{
	g_autoptr(BootTimes) times = make_times();
	g_autofree char *whole = chain_of(times, NULL);
	g_autofree char *dbus = chain_of(times, "dbus");
	g_autofree char *late = chain_of(times, "late");
	g_autofree char *held = chain_of(times, "held");

	ck_assert_str_eq(whole, "udev dbus gdm");
	ck_assert_str_eq(dbus, "udev dbus");
	ck_assert_str_eq(late, "late");
	ck_assert_str_eq(held, "held");
}
END_TEST

START_TEST(own_time_and_waiting_time_are_separate)
{
	g_autoptr(BootTimes) times = make_times();
	const BootTime *gdm = boot_times_find(times, "gdm");
	const BootTime *held = boot_times_find(times, "held");
	const BootTime *slow = boot_times_find(times, "slow");

	ck_assert_int_eq(boot_time_own(gdm, 9000), 2000);
	ck_assert_int_eq(boot_time_waited(gdm, 9000), 1000);
	ck_assert_int_eq(boot_time_own(held, 9000), 0);
	ck_assert_int_eq(boot_time_waited(held, 9000), 8990);
	ck_assert_int_eq(boot_time_own(slow, 9000), 7500);
	ck_assert_ptr_null(boot_times_find(times, "nosuch"));
}
END_TEST

START_TEST(the_longest_own_time_comes_first)
{
	g_autoptr(BootTimes) times = make_times();
	g_autoptr(GPtrArray) sorted = boot_times_by_own(times, 3010);

	ck_assert_str_eq(((const BootTime *)g_ptr_array_index(sorted, 0))->name, "gdm");
	ck_assert_str_eq(((const BootTime *)g_ptr_array_index(sorted, 1))->name, "slow");
	ck_assert_str_eq(((const BootTime *)g_ptr_array_index(sorted, 6))->name, "held");
}
END_TEST

START_TEST(the_graph_has_external_conditions_with_quoted_names)
{
	g_autoptr(BootTimes) times = make_times();
	g_autofree char *dot = boot_times_dot(times, 10, 3010);

	ck_assert_ptr_nonnull(
		strstr(dot, "\t\"gdm\" [label=\"gdm\\n2 ms, from 1 ms on\", color=red];\n"));
	ck_assert_ptr_nonnull(
		strstr(dot, "\t\"dbus\" -> \"gdm\" [label=\"service:dbus, 1 ms\", penwidth=3];\n"));
	ck_assert_ptr_nonnull(
		strstr(dot, "\t\"path:/a \\\"b\\\"\" [shape=ellipse, style=dashed];\n"));
	ck_assert_ptr_nonnull(strstr(dot, "\"held\" [label=\"held\\nnot started\"];\n"));
}
END_TEST

START_TEST(a_cycle_in_a_wrong_record_ends)
{
	g_autoptr(GVariant) array = g_variant_ref_sink(g_variant_new_parsed(
		"[('a', @t 1, @t 5, @t 5, @t 5, 'up', 'service:b', 'b'), ('b', @t 1, @t 5, @t 5, "
		"@t 5, 'up', 'service:a', 'a')]"));
	g_autoptr(BootTimes) times = boot_times_new(array);
	g_autofree char *chain = chain_of(times, "a");

	ck_assert_str_eq(chain, "b a");
}
END_TEST

static const struct {
	const char *text;
	unsigned columns;
	bool is_ascii;
	const char *expected;
} fits[] = {
	{ "short", 10, false, "short" },
	{ "exactly", 7, false, "exactly" },
	{ "too long", 7, false, "too lo…" },
	{ "too long", 7, true, "too ..." },
	{ "日本語", 5, false, "日本…" },
	{ "日本語", 6, false, "日本語" },
	{ "ab", 1, false, "" },
	{ "", 0, false, "" },
};

START_TEST(a_line_fits_the_terminal)
{
	g_autofree char *fitting = job_line_fit(fits[_i].text, fits[_i].columns, fits[_i].is_ascii);

	ck_assert_str_eq(fitting, fits[_i].expected);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_times");

	ADD_CASE(suite, "chain", the_chain_goes_back_by_what_each_waited_for_last,
		 own_time_and_waiting_time_are_separate, the_longest_own_time_comes_first,
		 the_graph_has_external_conditions_with_quoted_names,
		 a_cycle_in_a_wrong_record_ends);
	suite_add_loop(suite, "lines", a_line_fits_the_terminal, G_N_ELEMENTS(fits));
	return suite;
}
