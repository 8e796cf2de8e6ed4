/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "tests/lib/diags.h"

Suite *make_suite(void);

static ServiceDef *parse_good(const char *lines)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autofree char *text = g_strconcat("[Service]\nExec=/bin/x\n", lines, NULL);
	ServiceDef *def = parse_text("x", text, diags);

	expect_diags(diags, "");
	return def;
}

static const struct {
	const char *lines;
	bool needs_helper;
} settings[] = {
	{ "", false },
	{ "LimitNOFILE=64\nNice=1\nUMask=077\nWorkingDirectory=/srv\nEnvironment=A=1\nOOMScoreAdjust=5\n", false },
	{ "User=1000\nGroup=1000\nSupplementaryGroups=4 24\n", false },
	{ "User=1000\n", true }, /* its groups are to be looked up */
	{ "User=www-data\nGroup=33\n", true },
	{ "Group=www-data\n", true },
	{ "Group=33\n", false },
	{ "User=0\nGroup=0\nSupplementaryGroups=audio\n", true },
	{ "EnvironmentFile=/etc/default/x\n", true },
	{ "TTYPath=/dev/tty1\n", true },
	{ "RuntimeDirectory=x\n", true },
};

START_TEST(only_names_files_and_terminals_take_the_helper)
{
	g_autoptr(ServiceDef) def = parse_good(settings[_i].lines);

	ck_assert_int_eq(exec_def_needs_helper(&def->execution), settings[_i].needs_helper);
}
END_TEST

START_TEST(a_copy_outlives_its_original)
{
	ServiceDef *def = parse_good("User=a\nGroup=b\nSupplementaryGroups=c\nEnvironment=A=1\nEnvironmentFile=-/x\n"
				     "LimitNOFILE=64\nNice=3\nTTYPath=/dev/tty1\nWorkingDirectory=/srv\nRuntimeDirectory=r\n");
	ExecDef copy;

	exec_def_copy(&copy, &def->execution);
	service_def_free(def);
	ck_assert_str_eq(copy.user, "a");
	ck_assert_str_eq(copy.group, "b");
	ck_assert_str_eq(g_ptr_array_index(copy.groups, 0), "c");
	ck_assert_str_eq(g_ptr_array_index(copy.environment, 0), "A=1");
	ck_assert_str_eq(((EnvironmentFile *)g_ptr_array_index(copy.environment_files, 0))->path, "/x");
	ck_assert(((EnvironmentFile *)g_ptr_array_index(copy.environment_files, 0))->optional);
	ck_assert_uint_eq(g_array_index(copy.rlimits, Rlimit, 0).soft, 64);
	ck_assert_int_eq(copy.nice, 3);
	ck_assert_str_eq(copy.tty, "/dev/tty1");
	ck_assert_str_eq(copy.directory, "/srv");
	ck_assert_str_eq(g_ptr_array_index(copy.runtime_directories, 0), "r");
	exec_def_clear(&copy);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("exec-def");
	TCase *tc = tcase_create("exec-def");

	tcase_add_loop_test(tc, only_names_files_and_terminals_take_the_helper, 0, G_N_ELEMENTS(settings));
	tcase_add_test(tc, a_copy_outlives_its_original);
	suite_add_tcase(suite, tc);
	return suite;
}
