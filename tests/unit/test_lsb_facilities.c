/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "lsb-compat/facilities.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

/* The diagnostics must be exactly @message. */
static LsbFacilities *parse(const char *text, const char *message)
{
	LsbFacilities *facilities = lsb_facilities_new();
	g_autoptr(DiagList) diags = diag_list_new();

	lsb_facilities_parse(facilities, "/etc/insserv.conf", text, strlen(text), diags);
	lsb_facilities_check(facilities, diags);
	expect_diags(diags, message);
	return facilities;
}

static void expect_list(GPtrArray *tokens, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < tokens->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "",
				       (const char *)g_ptr_array_index(tokens, i));
	g_ptr_array_unref(tokens);
	ck_assert_str_eq(text->str, expected);
}

START_TEST(a_facility_stands_for_its_members_and_theirs)
{
	g_autoptr(LsbFacilities) facilities = parse(
		"# comment\n\n$local_fs\t+mountall +umountfs\n$remote_fs $local_fs +mountnfs\n"
		"<interactive> glibc udev\n",
		"");

	expect_list(lsb_facilities_expand(facilities, "$remote_fs"), "mountnfs mountall umountfs");
	expect_list(lsb_facilities_expand(facilities, "$unknown"), "");
	expect_list(lsb_facilities_of(facilities, "mountall"), "$local_fs $remote_fs");
	expect_list(lsb_facilities_of(facilities, "glibc"), "");
	ck_assert(lsb_facilities_has(facilities, "$local_fs"));
	ck_assert(!lsb_facilities_has(facilities, "$unknown"));
	ck_assert(lsb_facilities_is_interactive(facilities, "udev"));
	ck_assert(!lsb_facilities_is_interactive(facilities, "mountall"));
}
END_TEST

START_TEST(lines_for_one_facility_add_up)
{
	g_autoptr(LsbFacilities) facilities =
		parse("$named = bind9\r\n$named: +unbound,+dnsmasq\n$named bind9\n", "");

	expect_list(lsb_facilities_expand(facilities, "$named"), "bind9 unbound dnsmasq");
}
END_TEST

START_TEST(a_facility_cycle_is_reported_and_harmless)
{
	g_autoptr(LsbFacilities) facilities = parse(
		"$a $b one\n$b $c\n$c $a two\n$d $d three\n",
		"/etc/insserv.conf:1: warning: $a refers to itself; remove it from one of the "
		"lines of this cycle\n"
		"/etc/insserv.conf:2: warning: $b refers to itself; remove it from one of the "
		"lines of this cycle\n"
		"/etc/insserv.conf:3: warning: $c refers to itself; remove it from one of the "
		"lines of this cycle\n"
		"/etc/insserv.conf:4: warning: $d refers to itself; remove it from one of the "
		"lines of this cycle\n");

	expect_list(lsb_facilities_expand(facilities, "$a"), "one two");
	expect_list(lsb_facilities_expand(facilities, "$d"), "three");
	expect_list(lsb_facilities_of(facilities, "two"), "$a $b $c");
}
END_TEST

START_TEST(lines_without_meaning_are_reported)
{
	g_autoptr(LsbFacilities) facilities = parse(
		"$all one\nnetwork one\n$ one\n$x \xff +one $y ++two\n",
		"/etc/insserv.conf:1: warning: $all has a fixed meaning; the line is ignored\n"
		"/etc/insserv.conf:2: warning: the line is ignored, because it does not begin with "
		"a facility, such as $network, "
		"or with <interactive>\n"
		"/etc/insserv.conf:3: warning: the line is ignored: the name of a facility is "
		"empty\n"
		"/etc/insserv.conf:4: warning: $x: \"\\xff\" is ignored: the name of a service "
		"contains letters, digits "
		"and _.@:+-, not byte 0xff\n"
		"/etc/insserv.conf:4: warning: $x: \"+two\" is ignored: a name must not begin "
		"with \"+\"\n"
		"/etc/insserv.conf:4: warning: $x: no line defines $y\n");

	expect_list(lsb_facilities_expand(facilities, "$x"), "one");
	ck_assert(!lsb_facilities_has(facilities, "$all"));
}
END_TEST

START_TEST(a_chain_of_ten_thousand_facilities_is_followed)
{
	g_autoptr(GString) text = g_string_new("$f10000 end\n");
	g_autoptr(LsbFacilities) facilities = lsb_facilities_new();
	g_autoptr(DiagList) diags = diag_list_new();

	for (int i = 0; i < 10000; i++)
		g_string_append_printf(text, "$f%d $f%d\n", i, i + 1);
	lsb_facilities_parse(facilities, "/etc/insserv.conf", text->str, text->len, diags);
	lsb_facilities_check(facilities, diags);

	expect_diags(diags, "");
	expect_list(lsb_facilities_expand(facilities, "$f0"), "end");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb facilities");

	ADD_CASE(suite, "insserv.conf", a_facility_stands_for_its_members_and_theirs,
		 lines_for_one_facility_add_up, a_facility_cycle_is_reported_and_harmless,
		 lines_without_meaning_are_reported,
		 a_chain_of_ten_thousand_facilities_is_followed);
	return suite;
}
