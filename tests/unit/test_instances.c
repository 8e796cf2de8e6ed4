/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svc-generate/instances.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define TUNNELS "openvpn.svc.d/50-instances.conf"
#define CLUSTERS "postgresql.svc.d/50-instances.conf"

/* The file without the line that names its generator; "" if there is no file. */
static const char *text_of(Output *output, const char *name)
{
	return output_has(output, name) ? strchr(output_file(output, name, "")->str, '\n') + 1 : "";
}

static const struct {
	const char *defaults;
	const char *expected;
} autostarts[] = {
	{ NULL, "[Conditions]\nWants=openvpn@home\nAfter=openvpn@home\nWants=openvpn@office\nAfter=openvpn@office\n" },
	{ "AUTOSTART=\"all\"\n",
	  "[Conditions]\nWants=openvpn@home\nAfter=openvpn@home\nWants=openvpn@office\nAfter=openvpn@office\n" },
	{ "#AUTOSTART=\"home\"\nAUTOSTART=none\nOPTARGS=\"it's\n", "" },
	{ "AUTOSTART=\"office other\"\n",
	  "[Conditions]\nWants=openvpn@office\nAfter=openvpn@office\nWants=openvpn@other\nAfter=openvpn@other\n" },
};

START_TEST(autostart_says_which_tunnels)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/etc/openvpn");
	g_autoptr(Output) output = output_new();
	g_autoptr(DiagList) diags = diag_list_new();

	tree_write(tree, "/etc/openvpn/home.conf", "");
	tree_write(tree, "/etc/openvpn/office.conf", "");
	tree_write(tree, "/etc/openvpn/update-resolv-conf", "");
	tree_mkdir(tree, "/etc/openvpn/server");
	instances_openvpn(directory, autostarts[_i].defaults, output, diags);

	expect_diags(diags, "");
	ck_assert_str_eq(text_of(output, TUNNELS), autostarts[_i].expected);
}
END_TEST

START_TEST(a_name_that_no_service_can_have_is_told)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/etc/openvpn");
	g_autoptr(Output) output = output_new();
	g_autoptr(DiagList) diags = diag_list_new();

	tree_write(tree, "/etc/openvpn/my home.conf", "");
	instances_openvpn(directory, NULL, output, diags);

	ck_assert_uint_eq(diag_list_count_errors(diags), 1);
	ck_assert_str_eq(text_of(output, TUNNELS), "");
}
END_TEST

START_TEST(clusters_are_started_that_say_auto_or_nothing)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/etc/postgresql");
	g_autoptr(Output) output = output_new();
	g_autoptr(DiagList) diags = diag_list_new();

	tree_write(tree, "/etc/postgresql/15/main/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/main/start.conf", "# manual, auto, disabled\n\nauto\n");
	tree_write(tree, "/etc/postgresql/15/b/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/c/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/c/start.conf", "manual\n");
	tree_write(tree, "/etc/postgresql/13/old/start.conf", "auto\n");
	instances_postgresql(directory, output, diags);

	expect_diags(diags, "");
	ck_assert_str_eq(text_of(output, CLUSTERS), "[Conditions]\nWants=postgresql@15-b\nAfter=postgresql@15-b\n"
						    "Wants=postgresql@15-main\nAfter=postgresql@15-main\n");
	ck_assert_str_eq(text_of(output, "50-instances.policy"), "\n[service postgresql@15-b]\nActivation=on-demand\n"
								 "\n[service postgresql@15-main]\nActivation=on-demand\n");
	ck_assert_str_eq(text_of(output, "postgresql@15-main.svc.d/50-instances.conf"),
			 "[Conditions]\nWhen=path:exec:/usr/lib/postgresql/15/bin/postgres\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("instances");

	suite_add_loop(suite, "configurations", autostart_says_which_tunnels, G_N_ELEMENTS(autostarts));
	ADD_CASE(suite, "configurations", a_name_that_no_service_can_have_is_told,
		 clusters_are_started_that_say_auto_or_nothing);
	return suite;
}
