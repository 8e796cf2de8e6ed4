/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "svc-generate/consoles.h"
#include "tests/lib/suite.h"

#define HEADING OUTPUT_MARK " from the kernel's list of consoles; changes are lost.\n"

static void expect_policy(const char *active, const char *expected)
{
	g_autoptr(GeneratedFiles) output = generated_files_new();
	const GString *policy;

	consoles_generate(active, output);

	policy = generated_files_add(output, "50-consoles.policy", "the kernel's list of consoles");
	ck_assert_str_eq(policy->str, expected);
}

START_TEST(each_console_of_the_kernel_gets_a_login)
{
	expect_policy("ttyS0 hvc0\n",
		      HEADING "\n[runlevel 2]\nActivate=getty@ttyS0\nActivate=getty@hvc0\n");
}
END_TEST

START_TEST(tty0_stands_for_six_virtual_terminals)
{
	expect_policy(
		"tty0", HEADING
		"\n[runlevel 2]\nActivate=getty@tty1\nActivate=getty@tty2\nActivate=getty@tty3\n"
		"Activate=getty@tty4\nActivate=getty@tty5\nActivate=getty@tty6\n");
}
END_TEST

START_TEST(invalid_names_are_skipped)
{
	expect_policy("../x a/b tty\x01 \xff\n", HEADING);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("consoles");

	ADD_CASE(suite, "logins", each_console_of_the_kernel_gets_a_login,
		 tty0_stands_for_six_virtual_terminals, invalid_names_are_skipped);
	return suite;
}
