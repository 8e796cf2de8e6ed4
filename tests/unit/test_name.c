/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib.h>
#include <string.h>

#include "base/limits.h"
#include "model/name.h"
#include "tests/lib/suite.h"

static const char *const good_names[] = { "ssh",           "getty@tty1", "a",     "9",
					  "systemd-udevd", "a.b_c:d+e",  "X@y@z", "@x" };

START_TEST(names_that_services_may_have)
{
	ck_assert(name_check_service(good_names[_i], NULL));
}
END_TEST

static const struct {
	const char *name;
	const char *problem;
} bad_names[] = {
	{ "", "the name of a service is empty" },
	{ ".hidden", "the name of a service must not begin with \".\"" },
	{ "..", "the name of a service must not begin with \".\"" },
	{ "-x", "the name of a service must not begin with \"-\"" },
	{ "a/b", "the name of a service contains letters, digits and _.@:+-, not \"/\"" },
	{ "../../etc/shadow", "the name of a service must not begin with \".\"" },
	{ "a b", "the name of a service contains letters, digits and _.@:+-, not \" \"" },
	{ "a\nb", "the name of a service contains letters, digits and _.@:+-, not byte 0x0a" },
	{ "\xc3\xa4", "the name of a service contains letters, digits and _.@:+-, not byte 0xc3" },
	{ "-rf", "the name of a service must not begin with \"-\"" },
	{ "%s", "the name of a service contains letters, digits and _.@:+-, not \"%\"" },
	{ "a%i", "the name of a service contains letters, digits and _.@:+-, not \"%\"" },
};

START_TEST(names_that_are_refused_with_the_reason)
{
	g_autofree char *problem = NULL;

	ck_assert(!name_check_service(bad_names[_i].name, &problem));
	ck_assert_str_eq(problem, bad_names[_i].problem);
}
END_TEST

START_TEST(a_name_has_at_most_200_bytes)
{
	g_autofree char *longest = g_strnfill(LIMIT_NAME_BYTES, 'x');
	g_autofree char *longer = g_strnfill(300, 'x');
	g_autofree char *problem = NULL;

	ck_assert(name_check_service(longest, NULL));
	ck_assert(!name_check_service(longer, &problem));
	ck_assert_str_eq(problem, "the name of a service has at most 200 bytes");
}
END_TEST

START_TEST(a_facility_begins_with_a_dollar_sign)
{
	g_autofree char *problem = NULL;

	ck_assert(name_check_facility("$network", NULL));
	ck_assert(!name_check_facility("network", &problem));
	ck_assert_str_eq(problem, "a facility name begins with $; write $network");
	ck_assert(!name_check_facility("$", NULL));
	ck_assert(!name_check_facility("$a b", NULL));
}
END_TEST

START_TEST(an_instance_is_what_follows_the_first_at_sign)
{
	g_autofree char *template = NULL;
	g_autofree char *instance = NULL;

	ck_assert(name_split_instance("getty@tty1@x", &template, &instance));
	ck_assert_str_eq(template, "getty@");
	ck_assert_str_eq(instance, "tty1@x");
	ck_assert(!name_split_instance("ssh", NULL, NULL));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("name");

	suite_add_loop(suite, "name", names_that_services_may_have, G_N_ELEMENTS(good_names));
	suite_add_loop(suite, "name", names_that_are_refused_with_the_reason,
		       G_N_ELEMENTS(bad_names));
	ADD_CASE(suite, "name", a_name_has_at_most_200_bytes, a_facility_begins_with_a_dollar_sign,
		 an_instance_is_what_follows_the_first_at_sign);
	return suite;
}
