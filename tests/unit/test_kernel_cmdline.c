/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib.h>

#include "config/kernel-cmdline.h"
#include "tests/lib/suite.h"

static const struct {
	const char *text;
	const char *tokens; /* joined with "," */
} lines[] = {
	{ "", "" },
	{ "quiet\n", "quiet" },
	{ "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro  quiet\n",
	  "BOOT_IMAGE=/vmlinuz,root=/dev/sda1,ro,quiet" },
	{ "a=\"b c\" \"d e\"=f", "a=b c,d e=f" },
	{ "a \"\" b", "a,b" },
	{ "a \"b c", "a,b c" },
};

START_TEST(arguments_are_split_as_in_the_kernel)
{
	g_auto(GStrv) tokens = kernel_cmdline_split(lines[_i].text);
	g_autofree char *joined = g_strjoinv(",", tokens);

	ck_assert_str_eq(joined, lines[_i].tokens);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("kernel-cmdline");

	suite_add_loop(suite, "kernel-cmdline", arguments_are_split_as_in_the_kernel,
		       G_N_ELEMENTS(lines));
	return suite;
}
