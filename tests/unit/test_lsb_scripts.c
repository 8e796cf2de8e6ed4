/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "lsb-compat/script-actions.h"
#include "lsb-compat/levels.h"
#include "lsb-compat/scripts.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define HEADER(name)                                                \
	"### BEGIN INIT INFO\n# Provides: " name                    \
	"\n# Required-Start:\n# Required-Stop:\n# Default-Start:\n" \
	"# Default-Stop:\n### END INIT INFO\n"
#define SCRIPT(name) "#!/bin/sh\n" HEADER(name) "exit 0\n"

static void make_executable(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(chmod(whole, 0755), 0);
}

static void write_script(const Tree *tree, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(LSB_SCRIPTS, name, NULL);

	tree_write(tree, path, text);
	make_executable(tree, path);
}

/* The diagnostics must be exactly @message. */
static GPtrArray *read_scripts(const Tree *tree, const char *message)
{
	g_autoptr(DiagList) diags = diag_list_new();
	GPtrArray *scripts;
	LsbTree below;

	lsb_tree_init(&below, tree->root);
	scripts = lsb_scripts_read(&below, diags);
	lsb_tree_clear(&below);
	expect_diags(diags, message);
	return scripts;
}

static void expect_services(const GPtrArray *scripts, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < scripts->len; i++)
		g_string_append_printf(text, "%s%s", i > 0 ? " " : "",
				       ((const LsbScript *)g_ptr_array_index(scripts, i))->service);
	ck_assert_str_eq(text->str, expected);
}

START_TEST(the_name_of_a_service_is_that_of_the_file_without_sh)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	write_script(tree, "hostname.sh", SCRIPT("hostname"));
	write_script(tree, "cron", SCRIPT("cron"));
	scripts = read_scripts(tree, "");

	expect_services(scripts, "cron hostname");
	ck_assert_str_eq(((LsbScript *)g_ptr_array_index(scripts, 1))->path,
			 "/etc/init.d/hostname.sh");
}
END_TEST

START_TEST(neither_x_nor_x_sh_is_lost)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	write_script(tree, "x", SCRIPT("x"));
	write_script(tree, "x.sh", SCRIPT("y"));
	scripts = read_scripts(
		tree,
		"/etc/init.d/x.sh: warning: /etc/init.d/x is the service x already, so the service "
		"of this script is x.sh\n");

	expect_services(scripts, "x x.sh");
}
END_TEST

START_TEST(leftovers_of_packages_and_editors_are_no_scripts)
{
	static const char *const names[] = {
		"c.bak",  "c.backup", "c.old",  "c.dpkg-dist", "c.ucf-old", "c.rpmsave",
		"c~",     "c.swp",    "c.orig", "c.core",      "core",      "c,v",
		"README", "rc",       "rcS",    "skeleton",    ".c",        "_c",
		"-c",     "+c",       "#c#",    "$c",          "c.localny", "functions",
	};
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		write_script(tree, names[i], SCRIPT("c"));
	tree_write(tree, "/etc/insserv/file-filters", "# ours\n.localny\n");
	write_script(tree, "corekeeper", SCRIPT("corekeeper"));
	tree_write(tree, "/etc/init.d/not-executable", SCRIPT("x"));
	tree_mkdir(tree, "/etc/init.d/directory");
	scripts = read_scripts(tree, "");

	expect_services(scripts, "corekeeper");
}
END_TEST

START_TEST(links_are_scripts_unless_they_lead_to_one_or_nowhere)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	write_script(tree, "nut-client", SCRIPT("nut-client"));
	tree_symlink(tree, "nut-client", "/etc/init.d/ups-monitor");
	tree_symlink(tree, "/etc/init.d/nut-client", "/etc/init.d/ups-monitor2");
	tree_write(tree, "/opt/app/rc", SCRIPT("app"));
	make_executable(tree, "/opt/app/rc");
	tree_symlink(tree, "/opt/app/rc", "/etc/init.d/app");
	tree_symlink(tree, "/lib/init/upstart-job", "/etc/init.d/job");
	tree_symlink(tree, "nobody", "/etc/init.d/dangling");
	tree_symlink(tree, "loop2", "/etc/init.d/loop1");
	tree_symlink(tree, "loop1", "/etc/init.d/loop2");
	scripts = read_scripts(
		tree,
		"/etc/init.d/dangling: warning: the link to nobody leads nowhere: No such file or "
		"directory\n"
		"/etc/init.d/loop1: warning: the link to loop2 leads nowhere: Too many levels of "
		"symbolic links\n"
		"/etc/init.d/loop2: warning: the link to loop1 leads nowhere: Too many levels of "
		"symbolic "
		"links\n");

	expect_services(scripts, "app nut-client");
}
END_TEST

START_TEST(hostile_files_get_an_error_and_nothing_else)
{
	g_autofree char *large = g_strnfill(LIMIT_SCRIPT_BYTES + 1, '#');
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	write_script(tree, "a name", SCRIPT("a"));
	write_script(tree, "new\nline", SCRIPT("b"));
	write_script(tree, "tty@1", SCRIPT("d"));
	write_script(tree, "large", large);
	tree_write_bytes(tree, "/etc/init.d/binary", "\177ELF\1\1\0\0", 8);
	make_executable(tree, "/etc/init.d/binary");
	write_script(tree, "good", SCRIPT("good"));
	scripts = read_scripts(
		tree,
		"/etc/init.d/a name: the script is left out: the name of a service contains "
		"letters, digits and _.@:+-, not "
		"\" \"\n"
		"/etc/init.d/binary: the script is left out: it is a program, not a script\n"
		"/etc/init.d/large: the script is left out: it is larger than 1024 KiB\n"
		"/etc/init.d/new\\x0aline: the script is left out: the name of a service contains "
		"letters, digits and "
		"_.@:+-, not byte 0x0a\n"
		"/etc/init.d/tty@1: the script is left out: a name with @ belongs to an instance "
		"of a template\n");

	expect_services(scripts, "good");
}
END_TEST

START_TEST(excess_scripts_are_reported_and_skipped)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	for (int i = 0; i <= LIMIT_SCRIPTS; i++) {
		g_autofree char *name = g_strdup_printf("s%04d", i);

		write_script(tree, name, SCRIPT("s"));
	}
	scripts = read_scripts(
		tree,
		"/etc/init.d: there are more than 1000 scripts; s1000 and the scripts after it by "
		"name are "
		"left out\n");

	ck_assert_uint_eq(scripts->len, LIMIT_SCRIPTS);
}
END_TEST

START_TEST(no_link_leads_out_of_the_root)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;

	tree_symlink(tree, "/bin/sh", "/etc/init.d/outside");
	tree_symlink(tree, "../../../../../../../../../bin/sh", "/etc/init.d/outside2");
	scripts = read_scripts(
		tree,
		"/etc/init.d/outside: warning: the link to /bin/sh leads nowhere: No such file or "
		"directory\n"
		"/etc/init.d/outside2: warning: the link to ../../../../../../../../../bin/sh "
		"leads nowhere: No such file or "
		"directory\n");

	expect_services(scripts, "");
}
END_TEST

static const LsbHeader *header_of(const GPtrArray *scripts, guint index)
{
	ck_assert_uint_lt(index, scripts->len);
	return ((const LsbScript *)g_ptr_array_index(scripts, index))->header;
}

static const char *provides_of(const GPtrArray *scripts, guint index)
{
	const GPtrArray *tokens = header_of(scripts, index)->fields[LSB_PROVIDES].tokens;

	return tokens->len > 0 ? g_ptr_array_index(tokens, 0) : "";
}

START_TEST(an_override_replaces_the_whole_header)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) scripts = NULL;
	g_autofree char *pid_file = NULL;

	write_script(tree, "a",
		     "#!/bin/sh\n# pidfile: /run/a.pid\n### BEGIN INIT INFO\n# Provides: own\n");
	write_script(tree, "b", SCRIPT("own"));
	write_script(tree, "c", "#!/bin/sh\n");
	write_script(tree, "d", SCRIPT("own"));
	tree_write(tree, "/etc/insserv/overrides/a", HEADER("override"));
	tree_write(tree, "/usr/share/insserv/overrides/a", HEADER("vendor"));
	tree_write(tree, "/usr/share/insserv/overrides/b", HEADER("vendor"));
	tree_write(tree, "/usr/share/insserv/overrides/c", HEADER("vendor"));
	tree_write(tree, "/etc/insserv/overrides/d", "nothing\n");
	scripts = read_scripts(
		tree,
		"/etc/insserv/overrides/d: warning: the override is ignored: it has no header\n");

	ck_assert_str_eq(provides_of(scripts, 0), "override");
	pid_file = lsb_script_pid_file(g_ptr_array_index(scripts, 0));
	ck_assert_str_eq(pid_file, "/run/a.pid");
	ck_assert_str_eq(provides_of(scripts, 1), "own");
	ck_assert_str_eq(provides_of(scripts, 2), "vendor");
	ck_assert_str_eq(provides_of(scripts, 3), "own");
}
END_TEST

START_TEST(links_are_read_with_their_levels_and_numbers)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GHashTable) table = NULL;
	const LsbLinks *links;
	LsbTree below;

	write_script(tree, "cron", SCRIPT("cron"));
	tree_link_script(tree, "2", "S20cron");
	tree_link_script(tree, "2", "S17cron");
	tree_symlink(tree, "/etc/init.d/cron", "/etc/rcS.d/S05cron");
	tree_link_script(tree, "6", "K03cron");
	tree_symlink(tree, "../init.d/cron", "/etc/rc3.d/cron");
	tree_link_script(tree, "2", "S01gone");
	tree_write(tree, "/etc/rcS.d/S06rogue", SCRIPT("rogue"));
	lsb_tree_init(&below, tree->root);
	table = lsb_rc_links_read(&below);
	lsb_tree_clear(&below);
	links = g_hash_table_lookup(table, "cron");

	ck_assert_uint_eq(g_hash_table_size(table), 1);
	ck_assert_ptr_nonnull(links);
	ck_assert_uint_eq(links->start, 1u << 2 | LSB_LEVEL_S);
	ck_assert_uint_eq(links->stop, 1u << 6);
	ck_assert_uint_eq(links->start_number[2], 17);
	ck_assert_uint_eq(links->start_number[7], 5);
	ck_assert_uint_eq(links->stop_number[6], 3);
}
END_TEST

/* Texts of scripts, and whether each has the action "reload". */
static const struct {
	const char *text;
	bool has;
} reloads[] = {
	{ "case $1 in\n  reload)\n", true },
	{ "  restart|reload|force-reload)\n", true },
	{ "  reload|force-reload)\n", true },
	{ "  \"reload\")\n", true },
	{ "start) x ;; reload) y ;;\n", true },
	{ "do_reload() {\n", true },
	{ "do_reload() {\n  true\n}\ncase $1 in\n  start)\n", false },
	{ "  restart|force-reload)\n", false },
	{ "  force-reload)\n", false },
	{ "  try-reload|reload-or-restart)\n", false },
	{ "echo \"Usage: $0 {start|stop|reload|restart}\" (x)\n", false },
	{ "# reload)\n", false },
	{ "$DAEMON reload || exit 1\n", false },
	{ "", false },
};

START_TEST(a_script_has_an_action_if_a_case_names_it)
{
	ck_assert_msg(lsb_action_exists(reloads[_i].text, strlen(reloads[_i].text), "reload") ==
			      reloads[_i].has,
		      "%s", reloads[_i].text);
}
END_TEST

START_TEST(an_action_that_is_answered_with_3_is_refused)
{
	static const char refused[] =
		"  restart|reload|force-reload)\n\techo not supported >&2\n\texit 3\n\t;;\n";
	static const char assigned[] = "  reload)\n\tRETVAL=3\n\tlog_failure_msg no\n\t;;\n";
	static const char other[] = "  reload) kill -HUP $PID ;;\n  *)\n\texit 3\n\t;;\n";

	ck_assert(lsb_action_is_refused(refused, strlen(refused), "reload"));
	ck_assert(lsb_action_is_refused(assigned, strlen(assigned), "reload"));
	ck_assert(!lsb_action_is_refused(other, strlen(other), "reload"));
}
END_TEST

static const struct {
	const char *text;
	bool has;
} daemons[] = {
	{ "start) start-stop-daemon --start --quiet --exec $DAEMON ;;\n", true },
	{ "\tstart_daemon -p $P $DAEMON\n", true },
	{ "#!/usr/bin/env /lib/init/init-d-script\nDAEMON=/usr/sbin/x\n", true },
	{ "stop) killproc $DAEMON ;;\n", true },
	{ "status) status_of_proc -p $PID $DAEMON x ;;\n", true },
	{ "PIDFILE=$(nsd-checkconf -o pidfile /etc/nsd/nsd.conf)\n", true },
	{ "MY_PIDFILE=/run/x.pid\n", false },
	{ "#!/bin/sh\n# start-stop-daemon is not used\n\t# start_daemon\n", false },
	{ "start) restart_daemons; my-start-stop-daemon-x ;;\n", false },
	{ "start) sysctl -q --system ;;\n", false },
};

START_TEST(scripts_that_start_a_daemon_are_marked)
{
	ck_assert_msg(lsb_text_has_daemon(daemons[_i].text, strlen(daemons[_i].text)) ==
			      daemons[_i].has,
		      "%s", daemons[_i].text);
}
END_TEST

static const struct {
	const char *text;
	const char *path;
} pid_files[] = {
	{ "PIDFILE=/run/x.pid\n", "/run/x.pid" },
	{ "NAME=x\nPIDFILE=/var/run/$NAME.pid\n", "/var/run/x.pid" },
	{ "NAME=\"x\" # name\nDIR=/run/${NAME}\nPIDFILE=\"${DIR}/d.pid\"\n", "/run/x/d.pid" },
	{ "pidfile='/run/x.pid'\n", "/run/x.pid" },
	{ "PIDFILE=/run/$UNKNOWN.pid\n", NULL },
	{ "PIDFILE=$(get_pid_file)\n", NULL },
	{ "NAME=a\nNAME=$(get_name)\nPIDFILE=/run/$NAME.pid\n", NULL },
	{ "PIDFILE=`get`\n", NULL },
	{ "PIDFILE=relative\n", NULL },
	{ "  PIDFILE=/run/branch.pid\n", NULL },
	{ "PIDFILE=\"/run/open\n", NULL },
	{ "PIDFILE=/run/${NAME\n", NULL },
	{ "PIDFILE=\n", NULL },
};

/*
 * Each value is twice as long as the previous one. The twentieth has a megabyte; no machine can
 * hold the sixtieth.
 */
START_TEST(variables_that_grow_without_end_are_no_pid_file)
{
	g_autoptr(GString) text = g_string_new("A=/run/xxxxxxxxxxxxxxx\n");
	g_autofree char *path = NULL;

	for (int i = 0; i < 60; i++)
		g_string_append(text, "A=$A$A\n");
	g_string_append(text, "PIDFILE=$A\n");
	path = lsb_pid_file_guess(text->str, text->len);
	ck_assert_ptr_null(path);
}
END_TEST

START_TEST(a_pid_file_is_known_from_a_plain_assignment)
{
	g_autofree char *path = lsb_pid_file_guess(pid_files[_i].text, strlen(pid_files[_i].text));

	ck_assert_pstr_eq(path, pid_files[_i].path);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb scripts");

	ADD_CASE(suite, "files", the_name_of_a_service_is_that_of_the_file_without_sh,
		 neither_x_nor_x_sh_is_lost, leftovers_of_packages_and_editors_are_no_scripts,
		 links_are_scripts_unless_they_lead_to_one_or_nowhere,
		 hostile_files_get_an_error_and_nothing_else,
		 excess_scripts_are_reported_and_skipped, no_link_leads_out_of_the_root,
		 an_override_replaces_the_whole_header,
		 links_are_read_with_their_levels_and_numbers);
	suite_add_loop(suite, "texts", scripts_that_start_a_daemon_are_marked,
		       G_N_ELEMENTS(daemons));
	suite_add_loop(suite, "texts", a_script_has_an_action_if_a_case_names_it,
		       G_N_ELEMENTS(reloads));
	suite_add_loop(suite, "texts", a_pid_file_is_known_from_a_plain_assignment,
		       G_N_ELEMENTS(pid_files));
	ADD_CASE(suite, "texts", an_action_that_is_answered_with_3_is_refused,
		 variables_that_grow_without_end_are_no_pid_file);
	return suite;
}
