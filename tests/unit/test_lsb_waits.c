/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB scripts as services: ordering, and which token of a loop is ignored.
 */
#include "config.h"

#include <check.h>

#include "base/limits.h"
#include "lsb-compat/lsb.h"
#include "tests/lib/diags.h"
#include "tests/lib/lsb-world.h"
#include "tests/lib/suite.h"

START_TEST(facilities_are_written_as_such_and_as_their_members)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "mountall.sh", "Provides: mountall\nDefault-Start: S");
	script(w, "rsyslog", "");
	script(w, "late", "Required-Start: $remote_fs $syslog\nRequired-Stop: $syslog");
	read_scripts(w, "");

	expect_sound(w);
	expect_value(w, "late", "After", "$remote_fs $syslog mountall rsyslog");
	expect_value(w, "late", "StopBefore", "$syslog rsyslog");
	expect_value(w, "mountall", "Provides", "$local_fs $remote_fs");
	expect_value(w, "rsyslog", "Provides", "$syslog");
}
END_TEST

START_TEST(each_field_orders_as_insserv_has_it)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "a", "");
	script(w, "b",
	       "Should-Start: a c2 nobody\nX-Start-After: d\nX-Start-Before: e\nShould-Stop: a\n"
	       "X-Stop-After: e");
	script(w, "c", "Provides: c c2");
	script(w, "d", "Required-Stop: c");
	script(w, "e", "");
	read_scripts(w, "");

	expect_value(w, "b", "After", "a c d");
	expect_value(w, "e", "After", "b");
	expect_value(w, "b", "StopBefore", "a");
	expect_value(w, "e", "StopBefore", "b");
	expect_value(w, "d", "StopBefore", "c");
	expect_value(w, "a", "After", "");
}
END_TEST

START_TEST(scripts_are_known_by_what_they_provide_not_by_their_files)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "keys.sh", "Provides: keys.sh");
	script(w, "dev.sh", "Provides: dev\nX-Start-Before: keys.sh");
	script(w, "other", "Should-Start: keys dev.sh");
	script(w, "self", "Provides: self self2\nRequired-Start: self2 +nobody");
	read_scripts(w, "");

	expect_value(w, "keys", "After", "dev");
	expect_value(w, "other", "After", "");
	expect_value(w, "self", "After", "");
	expect_value(w, "self", "Provides", "self2");
}
END_TEST

START_TEST(a_missing_requirement_is_reported)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "a", "Default-Start: 3");
	script(w, "c", "Required-Start: a nobody $nothing\nDefault-Start: 1 2 3");
	read_scripts(
		w, "/etc/init.d/c:3: warning: Required-Start: a is not started in runlevel 2; this "
		   "service starts there without it\n"
		   "/etc/init.d/c:3: warning: Required-Start: no line of /etc/insserv.conf or "
		   "insserv.conf.d defines $nothing\n"
		   "/etc/init.d/c:3: warning: Required-Start: nothing provides \"nobody\"; this "
		   "service starts without "
		   "it\n");

	expect_value(w, "c", "After", "$nothing a");
}
END_TEST

/* Like a Debian without insserv, where packages still bring files for insserv.conf.d. */
START_TEST(standard_facilities_need_no_line)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	tree_write(w->tree, "/etc/insserv.conf", "");
	tree_write(w->tree, "/etc/insserv.conf.d/tables", "$tables $remote_fs tables\n");
	script(w, "a",
	       "Required-Start: $local_fs $network $named $portmap $remote_fs $syslog $time "
	       "$tables");
	read_scripts(w, "");

	expect_value(w, "a", "After",
		     "$local_fs $named $network $portmap $remote_fs $syslog $tables $time");
}
END_TEST

START_TEST(a_name_that_two_scripts_provide_means_both)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "left", "Provides: shared");
	script(w, "right", "Provides: shared left");
	script(w, "user", "Required-Start: shared");
	read_scripts(
		w,
		"/etc/init.d/right:3: warning: Provides: \"shared\" is provided by left as well; "
		"both are started, and a service that names it waits for both\n");

	expect_sound(w);
	expect_value(w, "left", "Provides", "shared");
	/* The name of a service is not an additional name of another service. */
	expect_value(w, "right", "Provides", "");
	expect_value(w, "user", "After", "left right");
}
END_TEST

START_TEST(all_comes_after_everything_except_another_all)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "boot", "Default-Start: S");
	script(w, "last", "Required-Start: $all\nRequired-Stop: $all");
	script(w, "later", "Required-Start: $ALL last");
	script(w, "bootlast", "Required-Start: $all\nDefault-Start: S");
	script(w, "p1", "");
	script(w, "null", "Required-Start: $null");
	read_scripts(w, "");

	expect_value(w, "last", "After", "boot null p1");
	expect_value(w, "later", "After", "boot last null p1");
	/* At the boot there are no runlevels yet. */
	expect_value(w, "bootlast", "After", "boot");
	expect_value(w, "last", "StopBefore", "boot bootlast later null p1");
	expect_value(w, "null", "After", "");
	expect_value(w, "null", "StartTimeout", "5min");
}
END_TEST

START_TEST(nothing_at_the_boot_waits_for_what_a_runlevel_starts)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "rsyslog", "");
	script(w, "early", "Should-Start: $syslog rsyslog\nDefault-Start: S");
	script(w, "portmap", "Default-Start: S");
	script(w, "fileclient", "Required-Start: portmap");
	read_scripts(w, "");

	expect_value(w, "early", "After", "");
	expect_value(w, "fileclient", "After", "portmap");
}
END_TEST

START_TEST(an_overlong_order_list_is_reported_and_cut)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(LsbWorld) w = lsb_world_new();

	for (int i = 0; i < LIMIT_LIST_ENTRIES; i++) {
		g_autofree char *name = g_strdup_printf("s%d", i);

		script(w, name, "");
	}
	script(w, "last", "Required-Start: $all");
	read_scripts(
		w,
		"/etc/init.d/last: warning: the script is ordered relative to 512 others, and only "
		"the "
		"first 480 of them, sorted by name, are used\n");

	expect_sound(w);
	ck_assert_uint_eq(w->files->len, LIMIT_LIST_ENTRIES + 2);
}
END_TEST

/* --- loops --- */

START_TEST(a_cycle_is_broken_at_its_weakest_edge_and_reported_in_full)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "c1", "");
	script(w, "c2", "Required-Start: c1");
	script(w, "c3", "Required-Start: c2\nX-Start-Before: c1");
	read_scripts(
		w, "/etc/init.d/c3:4: warning: X-Start-Before: c1 is ignored, because it closes a "
		   "loop: c1 "
		   "-> c3 -> c2 -> c1; correct the headers, or override this one in "
		   "/etc/insserv/overrides/c3\n");

	expect_value(w, "c1", "After", "");
	expect_value(w, "c2", "After", "c1");
	expect_value(w, "c3", "After", "c2");
}
END_TEST

START_TEST(a_loop_is_broken_first_at_a_service_that_is_never_started)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "a", "Should-Start: b");
	script(w, "b", "Should-Start: off");
	script(w, "off", "Required-Start: a\nDefault-Start:");
	read_scripts(
		w, "/etc/init.d/off:3: warning: Required-Start: a is ignored, because it closes a "
		   "loop: off "
		   "-> a -> b -> off; correct the headers, or override this one in "
		   "/etc/insserv/overrides/off\n");

	expect_value(w, "a", "After", "b");
	expect_value(w, "b", "After", "off");
}
END_TEST

START_TEST(a_loop_through_a_facility_does_not_come_back_by_its_name)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "rsyslog", "Required-Start: a");
	script(w, "a", "Should-Start: $syslog");
	read_scripts(
		w,
		"/etc/init.d/a:3: warning: Should-Start: $syslog is ignored, because it closes a "
		"loop: a -> "
		"rsyslog -> a; correct the headers, or override this one in "
		"/etc/insserv/overrides/a\n");

	expect_value(w, "a", "After", "");
	expect_value(w, "rsyslog", "After", "a");
}
END_TEST

START_TEST(loops_of_stopping_are_broken_by_themselves)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "a", "Required-Start: b\nRequired-Stop: b");
	script(w, "b", "Should-Stop: a");
	read_scripts(
		w,
		"/etc/init.d/b:3: warning: Should-Stop: a is ignored, because it closes a loop: a "
		"-> b -> "
		"a; correct the headers, or override this one in "
		"/etc/insserv/overrides/b\n");

	expect_value(w, "a", "After", "b");
	expect_value(w, "a", "StopBefore", "b");
	expect_value(w, "b", "StopBefore", "");
}
END_TEST

START_TEST(many_loops_end)
{
	enum { N = 40 };
	g_autoptr(GString) all = g_string_new("Required-Start:");
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(LsbWorld) w = lsb_world_new();

	/* Each requires each: 780 loops of two services. */
	for (int i = 0; i < N; i++)
		g_string_append_printf(all, " s%d", i);
	for (int i = 0; i < N; i++) {
		g_autofree char *name = g_strdup_printf("s%d", i);

		script(w, name, all->str);
	}
	w->files = lsb_read(w->tree->root, NULL, diags);

	ck_assert_uint_eq(w->files->len, N + 1);
	ck_assert_uint_ge(diag_list_length(diags), LIMIT_LOOPS);
	ck_assert_uint_le(diag_list_length(diags), LIMIT_LOOPS + N);
	expect_sound(w);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb-waits");

	ADD_CASE(suite, "order", facilities_are_written_as_such_and_as_their_members,
		 each_field_orders_as_insserv_has_it,
		 scripts_are_known_by_what_they_provide_not_by_their_files,
		 a_missing_requirement_is_reported, standard_facilities_need_no_line,
		 a_name_that_two_scripts_provide_means_both,
		 all_comes_after_everything_except_another_all,
		 nothing_at_the_boot_waits_for_what_a_runlevel_starts,
		 an_overlong_order_list_is_reported_and_cut);
	ADD_CASE(suite, "loops", a_cycle_is_broken_at_its_weakest_edge_and_reported_in_full,
		 a_loop_is_broken_first_at_a_service_that_is_never_started,
		 a_loop_through_a_facility_does_not_come_back_by_its_name,
		 loops_of_stopping_are_broken_by_themselves, many_loops_end);
	return suite;
}
