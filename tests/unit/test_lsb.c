/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB scripts as services: the files that result from scripts with and without a header.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "lsb-compat/lsb.h"
#include "tests/lib/diags.h"
#include "tests/lib/lsb-world.h"
#include "tests/lib/suite.h"

START_TEST(a_script_becomes_a_service_with_its_whole_header)
{
	static const char text[] =
		"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: web httpd\n# Required-Start: "
		"$remote_fs\n"
		"# Required-Stop: $remote_fs\n# Default-Start: 2 3\n# Default-Stop: 0 6\n"
		"# X-Interactive: true\n# Short-Description: 100% web\n### END INIT INFO\n"
		"PIDFILE=/run/web.pid\ncase $1 in\n restart) ;;\n reload) ;;\nesac\n";
	g_autoptr(LsbWorld) w = lsb_world_new();

	write_script(w, "web.sh", text);
	tree_link_script(w->tree, "2", "S02web.sh");
	tree_link_script(w->tree, "0", "K02web.sh");
	read_scripts(w, "");

	expect_names(w, "rc-links/init-scripts.policy web.svc");
	ck_assert_str_eq(text_of(w, "web.svc"), "[Service]\n"
						"Description=100% web\n"
						"Type=script\n"
						"Exec=/etc/init.d/web.sh start\n"
						"Stop=/etc/init.d/web.sh stop\n"
						"RestartCommand=/etc/init.d/web.sh restart\n"
						"Reload=/etc/init.d/web.sh reload\n"
						"PidFile=/run/web.pid\n"
						"SuccessStatus=5 6\n"
						"Restart=on-failure\n"
						"RestartDelay=1s\n"
						"RestartLimit=5/1h\n"
						"KillMode=process\n"
						"StartTimeout=2h\n"
						"StopTimeout=5min\n"
						"StopOrder=said\n"
						"Environment=SVCD_SCRIPT=web\n"
						"StartLock=console\n"
						"TTYPath=-/dev/console\n"
						"\n"
						"[Conditions]\n"
						"Provides=httpd\n"
						"After=$remote_fs\n"
						"StopBefore=$remote_fs\n");
	ck_assert_str_eq(text_of(w, LSB_POLICY_FILE),
			 "[service web]\nActivation=boot\nRunlevels=\nRunlevels=2\n");
}
END_TEST

START_TEST(descriptions_become_one_line_of_utf8)
{
	g_autofree char *long_text = g_strnfill(5000, 'x');
	g_autofree char *header = g_strconcat("Short-Description: ", long_text, NULL);
	g_autoptr(LsbWorld) w = lsb_world_new();
	g_autofree char *value = NULL;

	script(w, "a", "Short-Description: caf\xe9 \xc3\xa9 \x01 %i");
	script(w, "b", header);
	script(w, "c", "");
	read_scripts(w, "");
	value = value_of(w, "b", "Description");

	expect_sound(w);
	expect_value(w, "a", "Description", "caf\xef\xbf\xbd \xc3\xa9   % i");
	ck_assert_uint_lt(strlen(value), 256);
	expect_value(w, "c", "Description", "c");
}
END_TEST

START_TEST(a_machine_without_scripts_has_no_files)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) files = lsb_read(tree->root, NULL, diags);

	expect_diags(diags, "");
	ck_assert_uint_eq(files->len, 0);
}
END_TEST

/* --- links --- */

START_TEST(a_script_without_a_header_is_ordered_by_its_number)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "boot", "Default-Start: S");
	script(w, "one", "Default-Start: 2");
	script(w, "three", "Default-Start: 2");
	script(w, "same", "Default-Start: 2");
	write_script(w, "plain", "#!/bin/sh\nexit 0\n");
	write_script(w, "no-links", "exit 0\n");
	tree_link_script(w->tree, "S", "S90boot");
	tree_link_script(w->tree, "2", "S01one");
	tree_link_script(w->tree, "2", "S02plain");
	tree_link_script(w->tree, "2", "S02same");
	tree_link_script(w->tree, "2", "S03three");
	tree_link_script(w->tree, "0", "K02plain");
	tree_link_script(w->tree, "0", "K03one");
	read_scripts(w, "");

	expect_sound(w);
	expect_value(w, "plain", "After", "boot one");
	expect_value(w, "three", "After", "plain");
	expect_value(w, "same", "After", "");
	expect_value(w, "plain", "StopBefore", "one");
	expect_value(w, "plain", "SuccessStatus", "");
	expect_value(w, "plain", "RestartCommand", "");
	expect_value(w, "no-links", "After", "");
	expect_value(w, "no-links", "Exec", "/bin/sh /etc/init.d/no-links start");
}
END_TEST

START_TEST(links_are_policy_and_default_start_counts_only_without_any)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "a", "Default-Start: 2 3 S");
	script(w, "off", "Default-Start:\nDefault-Stop:");
	write_script(w, "rh", "#!/bin/sh\n# chkconfig: 35 20 80\n");
	write_script(w, "plain", "#!/bin/sh\n");
	read_scripts(w, "");
	expect_sound(w);
	ck_assert_str_eq(text_of(w, LSB_POLICY_FILE),
			 "[service a]\nActivation=boot\nRunlevels=\nRunlevels=S 2 3\n\n"
			 "[service off]\nActivation=manual\n\n"
			 "[service rh]\nActivation=boot\nRunlevels=\nRunlevels=3 5\n");

	tree_link_script(w->tree, "3", "S01a");
	tree_link_script(w->tree, "3", "K01plain");
	read_scripts(w, "");
	ck_assert_str_eq(text_of(w, LSB_POLICY_FILE),
			 "[service a]\nActivation=boot\nRunlevels=\nRunlevels=3\n\n"
			 "[service plain]\nActivation=manual\n");
}
END_TEST

START_TEST(a_script_for_the_shutdown_alone_is_up_so_that_it_can_stop)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "last", "Default-Start:\nDefault-Stop: 0 6\nX-Stop-After: a");
	script(w, "a", "Default-Start: 2");
	tree_link_script(w->tree, "6", "K02last");
	tree_link_script(w->tree, "6", "K01a");
	read_scripts(w, "");

	expect_sound(w);
	expect_value(w, "last", "Exec", "/bin/true");
	expect_value(w, "last", "Stop", "/etc/init.d/last stop");
	expect_value(w, "a", "StopBefore", "last");
	ck_assert_str_eq(text_of(w, LSB_POLICY_FILE),
			 "[service a]\nActivation=manual\n\n"
			 "[service last]\nActivation=boot\nRunlevels=\nRunlevels=S\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb");

	ADD_CASE(suite, "services", a_script_becomes_a_service_with_its_whole_header,
		 descriptions_become_one_line_of_utf8, a_machine_without_scripts_has_no_files);
	ADD_CASE(suite, "links", a_script_without_a_header_is_ordered_by_its_number,
		 links_are_policy_and_default_start_counts_only_without_any,
		 a_script_for_the_shutdown_alone_is_up_so_that_it_can_stop);
	return suite;
}
