/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shipped generator scripts, and how svc-generate runs them. */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lsb-compat/lsb.h"
#include "svc-generate/generators.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define SHIPPED SHIPPED_FILES "/daemons"
#define TUNNELS "openvpn.svc.d/50-instances.conf"
#define CLUSTERS "postgresql.svc.d/50-instances.conf"
#define WANTS(name) "[Conditions]\nWants=" name "\nAfter=" name "\n"
#define ON_DEMAND(name) "[service " name "]\nActivation=on-demand\n"
#define MANUAL(name, reason) "[service " name "]\nActivation=manual\nReason=" reason "\n"

#define SCRIPT                                                                                           \
	"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: samba-ad-dc\n# Required-Start:\n# Required-Stop:\n" \
	"# Default-Start: 2\n# Default-Stop: 0\n# Short-Description: a script\n### END INIT INFO\n"

static const char *find_no_service(const void *data, const char *name)
{
	(void)data;
	(void)name;
	return NULL;
}

static Generated *run(const Tree *tree, const char *directory)
{
	Generated *g = g_new0(Generated, 1);

	g->root = g_strdup(tree->root);
	g->files = generated_files_new();
	g->rc_links = generated_files_new();
	g->bus_activation = generated_files_new();
	g->diags = diag_list_new();
	g->script_diags = diag_list_new();
	generators_run(g, directory);
	return g;
}

/* The file without the line that names its generator; "" if there is no file. */
static const char *text_of(GeneratedFiles *output, const char *name)
{
	return generated_files_has(output, name) ?
		       strchr(generated_files_add(output, name, "")->str, '\n') + 1 :
		       "";
}

static void expect_errors(const Generated *g, const Tree *tree, const char *expected)
{
	g_autofree char *errors = diags_text(g->diags);
	g_auto(GStrv) parts = g_strsplit(errors, tree->root, -1);
	g_autofree char *text = g_strjoinv("", parts);

	ck_assert_str_eq(text, expected);
}

static const struct {
	const char *defaults;
	const char *expected;
} autostarts[] = {
	{ NULL, WANTS("openvpn@home") WANTS("openvpn@office") },
	{ "AUTOSTART=\"all\"\n", WANTS("openvpn@home") WANTS("openvpn@office") },
	{ "AUTOSTART=home\nAUTOSTART=\n", WANTS("openvpn@home") WANTS("openvpn@office") },
	{ "#AUTOSTART=\"home\"\nAUTOSTART=none\nOPTARGS=\"it's\n", "" },
	{ "AUTOSTART=\"office other\"\n", WANTS("openvpn@office") WANTS("openvpn@other") },
	{ "  AUTOSTART='office none' # not home\n", WANTS("openvpn@office") },
	{ "AUTOSTART=$(touch made-by-defaults)\n", "" },
};

START_TEST(autostart_selects_the_tunnels)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) g = NULL;

	tree_write(tree, "/etc/openvpn/home.conf", "");
	tree_write(tree, "/etc/openvpn/office.conf", "");
	tree_write(tree, "/etc/openvpn/update-resolv-conf", "");
	tree_mkdir(tree, "/etc/openvpn/server");
	if (autostarts[_i].defaults)
		tree_write(tree, "/etc/default/openvpn", autostarts[_i].defaults);
	g = run(tree, SHIPPED);

	ck_assert_str_eq(text_of(g->files, TUNNELS), autostarts[_i].expected);
	ck_assert(!g_file_test("made-by-defaults", G_FILE_TEST_EXISTS));
}
END_TEST

START_TEST(only_the_group_wants_a_tunnel)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) g = NULL;

	tree_write(tree, "/etc/openvpn/home.conf", "");
	g = run(tree, SHIPPED);

	expect_errors(g, tree, "");
	ck_assert_str_eq(text_of(g->files, "50-openvpn.policy"), ON_DEMAND("openvpn@home"));
}
END_TEST

START_TEST(a_name_that_no_service_can_have_is_reported)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) g = NULL;

	tree_write(tree, "/etc/openvpn/my home.conf", "");
	tree_write(tree, "/etc/openvpn/a\n>evil.svc\n.conf", "");
	tree_write(tree, "/etc/postgresql/15/b\n>evil.svc/postgresql.conf", "");
	g = run(tree, SHIPPED);

	ck_assert_uint_ge(diag_list_count_errors(g->diags), 3);
	ck_assert_str_eq(text_of(g->files, TUNNELS), "");
	ck_assert_str_eq(text_of(g->files, CLUSTERS), "");
	ck_assert(!generated_files_has(g->files, "evil.svc"));
}
END_TEST

START_TEST(clusters_with_auto_or_without_a_setting_are_started)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *fifo = tree_path(tree, "/etc/postgresql/15/d/start.conf");
	g_autoptr(Generated) g = NULL;
	struct rusage usage;

	tree_write(tree, "/etc/postgresql/15/main/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/main/start.conf",
		   "# manual, auto, disabled\n\n auto\n");
	tree_write(tree, "/etc/postgresql/15/b/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/c/postgresql.conf", "");
	tree_write(tree, "/etc/postgresql/15/c/start.conf", "manual\n");
	tree_write(tree, "/etc/postgresql/15/d/postgresql.conf", "");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	tree_write(tree, "/etc/postgresql/15/e/postgresql.conf", "");
	tree_symlink(tree, "/dev/zero", "/etc/postgresql/15/e/start.conf");
	tree_write(tree, "/etc/postgresql/13/old/start.conf", "auto\n");
	g = run(tree, SHIPPED);

	expect_errors(g, tree, "");
	ck_assert_str_eq(text_of(g->files, CLUSTERS),
			 WANTS("postgresql@15-b") WANTS("postgresql@15-d") WANTS("postgresql@15-e")
				 WANTS("postgresql@15-main"));
	ck_assert_str_eq(text_of(g->files, "50-postgresql.policy"),
			 ON_DEMAND("postgresql@15-b") ON_DEMAND("postgresql@15-d")
				 ON_DEMAND("postgresql@15-e") ON_DEMAND("postgresql@15-main"));
	ck_assert_str_eq(text_of(g->files, "postgresql@15-main.svc.d/50-instances.conf"),
			 "[Conditions]\nWhen=path:exec:/usr/lib/postgresql/15/bin/postgres\n");
	/* No time is spent on reading a file without an end. */
	ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
	ck_assert_int_lt(usage.ru_maxrss, 500L * 1024);
}
END_TEST

#define CONF "/etc/samba/smb.conf: "
#define NO_DC MANUAL("samba-ad-dc", CONF "server role is not active directory domain controller")
#define BY_ITSELF CONF "a domain controller runs it by itself"
#define DC MANUAL("smbd", BY_ITSELF) MANUAL("nmbd", BY_ITSELF) MANUAL("winbind", BY_ITSELF)

static const struct {
	const char *configuration;
	const char *expected;
} roles[] = {
	{ "", NO_DC },
	{ "[global]\n  server role = standalone server\n", NO_DC },
	{ "[global]\n\tServer  Role=Active Directory Domain Controller\r\n", DC },
	{ "# server role = dc\n; server role = dc\n", NO_DC },
	{ "server role = dc\nserver role = member server\n", NO_DC },
	{ "disable netbios = yes\n", NO_DC MANUAL("nmbd", CONF "disable netbios = yes") },
	{ "disable netbios = no\n", NO_DC },
};

START_TEST(the_role_selects_the_daemons_of_samba)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) g = NULL;

	tree_write(tree, "/etc/samba/smb.conf", roles[_i].configuration);
	g = run(tree, SHIPPED);

	expect_errors(g, tree, "");
	ck_assert_str_eq(text_of(g->files, "links-samba.policy"), roles[_i].expected);
	ck_assert_str_eq(text_of(g->rc_links, "links-samba.policy"), roles[_i].expected);
}
END_TEST

static const struct {
	const char *text;
	const char *expected;
} choices[] = {
	{ "/usr/sbin/lightdm\n",
	  MANUAL("gdm3", "/etc/X11/default-display-manager contains /usr/sbin/lightdm")
		  MANUAL("sddm", "/etc/X11/default-display-manager contains /usr/sbin/lightdm") },
	{ "", "" },
	{ "\n", "" },
	{ "gdm3", "" },
	{ "/usr/sbin/x\n[service y]\nActivation=never\n", "" },
};

START_TEST(display_managers_that_were_not_chosen_are_left_to_an_admins_start)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) g = NULL;

	tree_write(tree, "/etc/X11/default-display-manager", choices[_i].text);
	g = run(tree, SHIPPED);

	expect_errors(g, tree, "");
	ck_assert_str_eq(text_of(g->files, "links-display-manager.policy"), choices[_i].expected);
	ck_assert_str_eq(text_of(g->rc_links, "links-display-manager.policy"),
			 choices[_i].expected);
}
END_TEST

START_TEST(a_choice_in_a_configuration_is_read_after_the_links)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *script = tree_path(tree, "/etc/init.d/samba-ad-dc");
	const LsbNatives natives = { .find = find_no_service };
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) files = NULL;
	unsigned n_policies = 0;

	tree_write(tree, "/etc/init.d/samba-ad-dc", SCRIPT);
	ck_assert_int_eq(chmod(script, 0755), 0);
	tree_link_script(tree, "2", "S01samba-ad-dc");
	files = lsb_read(tree->root, &natives, diags);

	for (guint i = 0; i < files->len; i++) {
		const LsbFile *file = g_ptr_array_index(files, i);

		if (!g_str_has_prefix(file->name, "rc-links/"))
			continue;
		n_policies++;
		ck_assert_int_lt(strcmp(file->name, "rc-links/links-samba.policy"), 0);
		ck_assert_int_lt(strcmp(file->name, "rc-links/links-display-manager.policy"), 0);
	}
	ck_assert_uint_eq(n_policies, 1);
}
END_TEST

static void add_generator(const Tree *tree, const char *text)
{
	g_autofree char *path = tree_path(tree, "/scripts/x.generate");

	tree_write(tree, "/scripts/x.generate", text);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

START_TEST(a_script_runs_only_if_the_configuration_of_its_name_exists)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/scripts");
	g_autoptr(Generated) before = NULL;
	g_autoptr(Generated) after = NULL;

	add_generator(tree, "#!/bin/sh\nprintf 'lost\\n>a.svc\\n[Service]\\n\\nExec=/bin/a\\n'\n");
	before = run(tree, directory);
	tree_mkdir(tree, "/etc/x");
	after = run(tree, directory);

	ck_assert(!generated_files_has(before->files, "a.svc"));
	ck_assert_str_eq(text_of(after->files, "a.svc"), "[Service]\nExec=/bin/a\n");
	ck_assert_ptr_nonnull(strstr(generated_files_add(after->files, "a.svc", "")->str,
				     "/etc/x; changes are lost.\n"));
}
END_TEST

START_TEST(a_script_that_fails_is_reported_and_its_former_output_is_kept)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *directory = tree_path(tree, "/scripts");
	g_autoptr(Generated) g = NULL;

	tree_mkdir(tree, "/etc/x");
	add_generator(tree,
		      "#!/bin/sh\nprintf '>a.svc\\n[Service]\\n'\necho 'no luck' >&2\nexit 3\n");
	g = run(tree, directory);

	expect_errors(g, tree,
		      "/etc/x: /scripts/x.generate: Child process exited with code 3\n"
		      "/etc/x: no luck\n");
	ck_assert_str_eq(text_of(g->files, "a.svc"), "[Service]\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("generators");

	suite_add_loop(suite, "shipped", autostart_selects_the_tunnels, G_N_ELEMENTS(autostarts));
	suite_add_loop(suite, "shipped", the_role_selects_the_daemons_of_samba,
		       G_N_ELEMENTS(roles));
	suite_add_loop(suite, "shipped",
		       display_managers_that_were_not_chosen_are_left_to_an_admins_start,
		       G_N_ELEMENTS(choices));
	ADD_CASE(suite, "shipped", only_the_group_wants_a_tunnel,
		 a_name_that_no_service_can_have_is_reported,
		 clusters_with_auto_or_without_a_setting_are_started,
		 a_choice_in_a_configuration_is_read_after_the_links);
	ADD_CASE(suite, "scripts", a_script_runs_only_if_the_configuration_of_its_name_exists,
		 a_script_that_fails_is_reported_and_its_former_output_is_kept);
	return suite;
}
