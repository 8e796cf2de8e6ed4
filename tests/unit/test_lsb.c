/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "lsb-compat/lsb.h"
#include "lsb-compat/own-jobs.h"
#include "model/policy.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define FACILITIES                                                                                                      \
	"$local_fs +mountall +umountfs\n$network +networking\n$remote_fs $local_fs +mountnfs +umountnfs +sendsigs\n"      \
	"$syslog +rsyslog\n<interactive> udev\n"

static void make_executable(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(chmod(whole, 0755), 0);
}

static void write_file(const Tree *tree, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename("/etc/init.d", name, NULL);

	tree_write(tree, path, text);
	make_executable(tree, path);
}

/* A script with a whole header: these fields, and those that it must have besides. "Provides: a\nShould-Start: b" */
static void script(const Tree *tree, const char *name, const char *fields)
{
	static const char *const needed[] = { "Required-Start", "Required-Stop", "Default-Start", "Default-Stop" };
	g_autoptr(GString) text = g_string_new("#!/bin/sh\n### BEGIN INIT INFO\n");
	g_auto(GStrv) lines = g_strsplit(fields, "\n", -1);

	for (char **line = lines; *line && **line; line++)
		g_string_append_printf(text, "# %s\n", *line);
	if (!strstr(fields, "Provides:"))
		g_string_append_printf(text, "# Provides: %s\n", name);
	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		if (!strstr(fields, needed[i]))
			g_string_append_printf(text, "# %s:%s\n", needed[i], i == 2 ? " 2" : i == 3 ? " 0" : "");
	}
	g_string_append(text, "### END INIT INFO\nexit 0\n");
	write_file(tree, name, text->str);
}

static Tree *machine(void)
{
	Tree *tree = tree_new();

	tree_write(tree, "/etc/insserv.conf", FACILITIES);
	return tree;
}

/* @data: a strv of pairs, name and service. */
static const char *find_pair(const void *data, const char *name)
{
	for (const char *const *pair = data; *pair; pair += 2) {
		if (strcmp(pair[0], name) == 0)
			return pair[1];
	}
	return NULL;
}

/* @said must be all that is complained of; what is made must be read without fault. */
static GPtrArray *read_with(const Tree *tree, const char *const *native_pairs, const char *said)
{
	const LsbNatives natives = { .find = find_pair, .data = native_pairs };
	g_autoptr(DiagList) diags = diag_list_new();
	GPtrArray *files = lsb_read(tree->root, native_pairs ? &natives : NULL, diags);

	diag_list_sort(diags);
	expect_diags(diags, said);
	return files;
}

static GPtrArray *read_machine(const Tree *tree, const char *said)
{
	return read_with(tree, NULL, said);
}

static const char *text_of(const GPtrArray *files, const char *name)
{
	for (guint i = 0; i < files->len; i++) {
		const LsbFile *file = g_ptr_array_index(files, i);

		if (strcmp(file->name, name) == 0)
			return file->text;
	}
	return "";
}

/* The values of all lines for @key in NAME.svc, with blanks between them; a new string. */
static char *value_of(const GPtrArray *files, const char *service, const char *key)
{
	g_autofree char *name = g_strconcat(service, ".svc", NULL);
	g_auto(GStrv) lines = g_strsplit(text_of(files, name), "\n", -1);
	g_autofree char *start = g_strconcat(key, "=", NULL);
	GString *value = g_string_new(NULL);

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, start))
			g_string_append_printf(value, "%s%s", value->len > 0 ? " " : "", *line + strlen(start));
	}
	return g_string_free(value, FALSE);
}

static void expect_value(const GPtrArray *files, const char *service, const char *key, const char *expected)
{
	g_autofree char *value = value_of(files, service, key);

	ck_assert_msg(strcmp(value, expected) == 0, "%s: %s=%s, expected %s", service, key, value, expected);
}

static void expect_names(const GPtrArray *files, const char *expected)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < files->len; i++)
		g_string_append_printf(names, "%s%s", i > 0 ? " " : "", ((LsbFile *)g_ptr_array_index(files, i))->name);
	ck_assert_str_eq(names->str, expected);
}

/* Our own readers must have nothing to say of what was made. */
static void expect_sound(const GPtrArray *files)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Policy) policy = policy_new();

	for (guint i = 0; i < files->len; i++) {
		const LsbFile *file = g_ptr_array_index(files, i);

		if (g_str_has_suffix(file->name, ".svc")) {
			g_autofree char *name = g_strndup(file->name, strlen(file->name) - strlen(".svc"));

			service_def_free(parse_text(name, file->text, diags));
		} else {
			ck_assert(policy_parse(policy, POLICY_LAYER_VENDOR, file->name, file->text, strlen(file->text), diags));
		}
	}
	expect_diags(diags, "");
}

START_TEST(a_script_becomes_a_service_with_all_that_its_header_says)
{
	static const char text[] = "#!/bin/sh\n### BEGIN INIT INFO\n# Provides: web httpd\n# Required-Start: $remote_fs\n"
				   "# Required-Stop: $remote_fs\n# Default-Start: 2 3\n# Default-Stop: 0 6\n"
				   "# X-Interactive: true\n# Short-Description: 100% web\n### END INIT INFO\n"
				   "PIDFILE=/run/web.pid\ncase $1 in\n restart) ;;\n reload) ;;\nesac\n";
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	write_file(tree, "web.sh", text);
	tree_symlink(tree, "../init.d/web.sh", "/etc/rc2.d/S02web.sh");
	tree_symlink(tree, "../init.d/web.sh", "/etc/rc0.d/K02web.sh");
	files = read_machine(tree, "");

	expect_names(files, "rc-links/init-scripts.policy web.svc");
	ck_assert_str_eq(text_of(files, "web.svc"), "[Service]\n"
						    "Description=100% web\n"
						    "Type=script\n"
						    "Exec=/etc/init.d/web.sh start\n"
						    "Stop=/etc/init.d/web.sh stop\n"
						    "RestartCommand=/etc/init.d/web.sh restart\n"
						    "Reload=/etc/init.d/web.sh reload\n"
						    "PidFile=/run/web.pid\n"
						    "SuccessStatus=5 6\n"
						    "KillMode=process\n"
						    "StartTimeout=2h\n"
						    "StopTimeout=5min\n"
						    "StopOrder=said\n"
						    "Environment=SVCD_SCRIPT=web\n"
						    "StartLock=console\n"
						    "TTYPath=/dev/console\n"
						    "\n"
						    "[Conditions]\n"
						    "Provides=httpd\n"
						    "After=$remote_fs\n"
						    "StopBefore=$remote_fs\n");
	ck_assert_str_eq(text_of(files, LSB_POLICY_FILE),
			 "[service web]\nActivation=boot\nRunlevels=\nRunlevels=2\n");
}
END_TEST

START_TEST(facilities_are_written_as_such_and_as_their_members)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "mountall.sh", "Provides: mountall\nDefault-Start: S");
	script(tree, "rsyslog", "");
	script(tree, "late", "Required-Start: $remote_fs $syslog\nRequired-Stop: $syslog");
	files = read_machine(tree, "");

	expect_sound(files);
	expect_value(files, "late", "After", "$remote_fs $syslog mountall rsyslog");
	expect_value(files, "late", "StopBefore", "$syslog rsyslog");
	expect_value(files, "mountall", "Provides", "$local_fs $remote_fs");
	expect_value(files, "rsyslog", "Provides", "$syslog");
}
END_TEST

START_TEST(each_field_orders_as_insserv_has_it)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "a", "");
	script(tree, "b", "Should-Start: a c2 nobody\nX-Start-After: d\nX-Start-Before: e\nShould-Stop: a\nX-Stop-After: e");
	script(tree, "c", "Provides: c c2");
	script(tree, "d", "Required-Stop: c");
	script(tree, "e", "");
	files = read_machine(tree, "");

	expect_value(files, "b", "After", "a c d");
	expect_value(files, "e", "After", "b");
	expect_value(files, "b", "StopBefore", "a");
	expect_value(files, "e", "StopBefore", "b");
	expect_value(files, "d", "StopBefore", "c");
	expect_value(files, "a", "After", "");
}
END_TEST

START_TEST(scripts_are_known_by_what_they_provide_not_by_their_files)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "keys.sh", "Provides: keys.sh");
	script(tree, "dev.sh", "Provides: dev\nX-Start-Before: keys.sh");
	script(tree, "other", "Should-Start: keys dev.sh");
	script(tree, "self", "Provides: self self2\nRequired-Start: self2 +nobody");
	files = read_machine(tree, "");

	expect_value(files, "keys", "After", "dev");
	expect_value(files, "other", "After", "");
	expect_value(files, "self", "After", "");
	expect_value(files, "self", "Provides", "self2");
}
END_TEST

START_TEST(what_is_required_and_not_there_is_told)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "a", "Default-Start: 3");
	script(tree, "c", "Required-Start: a nobody $nothing\nDefault-Start: 1 2 3");
	files = read_machine(
		tree,
		"/etc/init.d/c:3: warning: Required-Start: a is not started in runlevel 2, where this service is; it "
		"starts there without\n"
		"/etc/init.d/c:3: warning: Required-Start: no line of /etc/insserv.conf or insserv.conf.d says what "
		"$nothing stands for\n"
		"/etc/init.d/c:3: warning: Required-Start: nothing provides \"nobody\"; this service starts without "
		"it\n");

	expect_value(files, "c", "After", "$nothing a");
}
END_TEST

START_TEST(what_two_provide_is_waited_for_twice)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "left", "Provides: shared");
	script(tree, "right", "Provides: shared left");
	script(tree, "user", "Required-Start: shared");
	files = read_machine(tree, "/etc/init.d/right:3: warning: Provides: \"shared\" is provided by left as "
				   "well; both are started, and who names it waits for both\n");

	expect_sound(files);
	expect_value(files, "left", "Provides", "shared");
	/* The name of a service is nobody's further name. */
	expect_value(files, "right", "Provides", "");
	expect_value(files, "user", "After", "left right");
}
END_TEST

START_TEST(all_is_behind_everything_but_another_all)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "boot", "Default-Start: S");
	script(tree, "last", "Required-Start: $all\nRequired-Stop: $all");
	script(tree, "later", "Required-Start: $ALL last");
	script(tree, "bootlast", "Required-Start: $all\nDefault-Start: S");
	script(tree, "p1", "");
	script(tree, "null", "Required-Start: $null");
	files = read_machine(tree, "");

	expect_value(files, "last", "After", "boot null p1");
	expect_value(files, "later", "After", "boot last null p1");
	/* At the boot, runlevels are not there yet. */
	expect_value(files, "bootlast", "After", "boot");
	expect_value(files, "last", "StopBefore", "boot bootlast later null p1");
	expect_value(files, "null", "After", "");
	expect_value(files, "null", "StartTimeout", "5min");
}
END_TEST

START_TEST(nothing_at_the_boot_waits_for_what_a_runlevel_starts)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "rsyslog", "");
	script(tree, "early", "Should-Start: $syslog rsyslog\nDefault-Start: S");
	script(tree, "portmap", "Default-Start: S");
	script(tree, "fileclient", "Required-Start: portmap");
	files = read_machine(tree, "");

	expect_value(files, "early", "After", "");
	expect_value(files, "fileclient", "After", "portmap");
}
END_TEST

START_TEST(a_loop_is_broken_where_it_is_weakest_and_told_whole)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "c1", "");
	script(tree, "c2", "Required-Start: c1");
	script(tree, "c3", "Required-Start: c2\nX-Start-Before: c1");
	files = read_machine(tree, "/etc/init.d/c3:4: warning: X-Start-Before: c1 is ignored, for it closes a loop: c1 "
				   "-> c3 -> c2 -> c1; correct the headers, or put one in the place of this one, in "
				   "/etc/insserv/overrides/c3\n");

	expect_value(files, "c1", "After", "");
	expect_value(files, "c2", "After", "c1");
	expect_value(files, "c3", "After", "c2");
}
END_TEST

START_TEST(of_a_loop_the_link_to_what_is_never_started_goes_first)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "a", "Should-Start: b");
	script(tree, "b", "Should-Start: off");
	script(tree, "off", "Required-Start: a\nDefault-Start:");
	files = read_machine(tree, "/etc/init.d/off:3: warning: Required-Start: a is ignored, for it closes a loop: off "
				   "-> a -> b -> off; correct the headers, or put one in the place of this one, in "
				   "/etc/insserv/overrides/off\n");

	expect_value(files, "a", "After", "b");
	expect_value(files, "b", "After", "off");
}
END_TEST

START_TEST(a_loop_through_a_facility_does_not_come_back_by_its_name)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "rsyslog", "Required-Start: a");
	script(tree, "a", "Should-Start: $syslog");
	files = read_machine(tree, "/etc/init.d/a:3: warning: Should-Start: $syslog is ignored, for it closes a loop: a -> "
				   "rsyslog -> a; correct the headers, or put one in the place of this one, in "
				   "/etc/insserv/overrides/a\n");

	expect_value(files, "a", "After", "");
	expect_value(files, "rsyslog", "After", "a");
}
END_TEST

START_TEST(loops_of_stopping_are_broken_by_themselves)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "a", "Required-Start: b\nRequired-Stop: b");
	script(tree, "b", "Should-Stop: a");
	files = read_machine(tree, "/etc/init.d/b:3: warning: Should-Stop: a is ignored, for it closes a loop: a -> b -> "
				   "a; correct the headers, or put one in the place of this one, in /etc/insserv/overrides/b\n");

	expect_value(files, "a", "After", "b");
	expect_value(files, "a", "StopBefore", "b");
	expect_value(files, "b", "StopBefore", "");
}
END_TEST

START_TEST(many_loops_end)
{
	enum { N = 40 };
	g_autoptr(GString) all = g_string_new("Required-Start:");
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	/* Each requires each: 780 loops of two alone. */
	for (int i = 0; i < N; i++)
		g_string_append_printf(all, " s%d", i);
	for (int i = 0; i < N; i++) {
		g_autofree char *name = g_strdup_printf("s%d", i);

		script(tree, name, all->str);
	}
	files = lsb_read(tree->root, NULL, diags);

	ck_assert_uint_eq(files->len, N + 1);
	ck_assert_uint_ge(diag_list_length(diags), LIMIT_LOOPS);
	ck_assert_uint_le(diag_list_length(diags), LIMIT_LOOPS + N);
	expect_sound(files);
}
END_TEST

START_TEST(a_script_without_a_header_is_ordered_by_its_number)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "boot", "Default-Start: S");
	script(tree, "one", "Default-Start: 2");
	script(tree, "three", "Default-Start: 2");
	script(tree, "same", "Default-Start: 2");
	write_file(tree, "plain", "#!/bin/sh\nexit 0\n");
	write_file(tree, "no-links", "exit 0\n");
	tree_symlink(tree, "../init.d/boot", "/etc/rcS.d/S90boot");
	tree_symlink(tree, "../init.d/one", "/etc/rc2.d/S01one");
	tree_symlink(tree, "../init.d/plain", "/etc/rc2.d/S02plain");
	tree_symlink(tree, "../init.d/same", "/etc/rc2.d/S02same");
	tree_symlink(tree, "../init.d/three", "/etc/rc2.d/S03three");
	tree_symlink(tree, "../init.d/plain", "/etc/rc0.d/K02plain");
	tree_symlink(tree, "../init.d/one", "/etc/rc0.d/K03one");
	files = read_machine(tree, "");

	expect_sound(files);
	expect_value(files, "plain", "After", "boot one");
	expect_value(files, "three", "After", "plain");
	expect_value(files, "same", "After", "");
	expect_value(files, "plain", "StopBefore", "one");
	expect_value(files, "plain", "SuccessStatus", "");
	expect_value(files, "plain", "RestartCommand", "");
	expect_value(files, "no-links", "After", "");
	expect_value(files, "no-links", "Exec", "/bin/sh /etc/init.d/no-links start");
}
END_TEST

START_TEST(links_are_policy_and_default_start_counts_only_without_any)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) without = NULL;
	g_autoptr(GPtrArray) with = NULL;

	script(tree, "a", "Default-Start: 2 3 S");
	script(tree, "off", "Default-Start:\nDefault-Stop:");
	write_file(tree, "rh", "#!/bin/sh\n# chkconfig: 35 20 80\n");
	write_file(tree, "plain", "#!/bin/sh\n");
	without = read_machine(tree, "");
	tree_symlink(tree, "../init.d/a", "/etc/rc3.d/S01a");
	tree_symlink(tree, "../init.d/plain", "/etc/rc3.d/K01plain");
	with = read_machine(tree, "");

	expect_sound(without);
	ck_assert_str_eq(text_of(without, LSB_POLICY_FILE),
			 "[service a]\nActivation=boot\nRunlevels=\nRunlevels=S 2 3\n\n"
			 "[service off]\nActivation=manual\n\n"
			 "[service rh]\nActivation=boot\nRunlevels=\nRunlevels=3 5\n");
	ck_assert_str_eq(text_of(with, LSB_POLICY_FILE), "[service a]\nActivation=boot\nRunlevels=\nRunlevels=3\n\n"
							 "[service plain]\nActivation=manual\n");
}
END_TEST

START_TEST(a_script_for_the_shutdown_alone_is_up_so_that_it_can_stop)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "last", "Default-Start:\nDefault-Stop: 0 6\nX-Stop-After: a");
	script(tree, "a", "Default-Start: 2");
	tree_symlink(tree, "../init.d/last", "/etc/rc6.d/K02last");
	tree_symlink(tree, "../init.d/a", "/etc/rc6.d/K01a");
	files = read_machine(tree, "");

	expect_sound(files);
	expect_value(files, "last", "Exec", "/bin/true");
	expect_value(files, "last", "Stop", "/etc/init.d/last stop");
	expect_value(files, "a", "StopBefore", "last");
	ck_assert_str_eq(text_of(files, LSB_POLICY_FILE), "[service a]\nActivation=manual\n\n"
							  "[service last]\nActivation=boot\nRunlevels=\nRunlevels=S\n");
}
END_TEST

START_TEST(a_service_with_a_file_of_its_own_takes_the_place_of_the_script)
{
	static const char *const natives[] = { "hostname", "hostname", "bus", "dbus", "dbus", "dbus", "netd", "netd", NULL };
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "hostname.sh", "Provides: hostname\nRequired-Start: user\nDefault-Start: S");
	script(tree, "bus", "Provides: bus messagebus");
	script(tree, "user", "Required-Start: messagebus hostname netd\nRequired-Stop: netd");
	script(tree, "first", "Provides: first netd\nX-Start-Before: hostname\nX-Stop-After: netd\nDefault-Start: S");
	files = read_with(tree, natives, "");

	expect_names(files, "first.svc rc-links/init-scripts.policy user.svc");
	expect_value(files, "user", "After", "dbus first hostname netd");
	expect_value(files, "user", "StopBefore", "first netd");
	expect_value(files, "first", "Before", "hostname");
	expect_value(files, "first", "StopAfter", "netd");
	/* The further name is the other's. */
	expect_value(files, "first", "Provides", "");
	ck_assert_ptr_nonnull(strstr(text_of(files, LSB_POLICY_FILE), "[service dbus]\nActivation=boot\n"));
}
END_TEST

START_TEST(order_leads_on_through_scripts_that_are_not_run)
{
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	script(tree, "networking", "Default-Start: S");
	script(tree, "umountnfs.sh", "Provides: umountnfs\nShould-Stop: $network\nDefault-Start:");
	script(tree, "sendsigs", "Required-Stop: umountnfs\nDefault-Start:");
	script(tree, "halt", "");
	script(tree, "daemon", "Required-Stop: $remote_fs");
	files = read_machine(tree, "");

	expect_names(files, "daemon.svc networking.svc rc-links/init-scripts.policy");
	expect_value(files, "daemon", "StopBefore", "$remote_fs networking");
	ck_assert_ptr_null(strstr(text_of(files, LSB_POLICY_FILE), "halt"));
}
END_TEST

START_TEST(scripts_of_the_early_boot_run_unless_a_service_of_ours_does_their_work)
{
	static const char *const natives[] = { "checkroot", "checkroot", "checkroot.sh", "checkroot", NULL };
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) alone = NULL;
	g_autoptr(GPtrArray) with = NULL;

	script(tree, "checkroot.sh", "Provides: checkroot\nDefault-Start: S");
	script(tree, "mountall.sh", "Provides: mountall\nRequired-Start: checkroot\nDefault-Start: S");
	script(tree, "lvm2", "X-Start-Before: mountall\nDefault-Start: S");
	script(tree, "user", "Required-Start: mountall\nRequired-Stop: mountall");
	alone = read_machine(tree, "");
	with = read_with(tree, natives, "");

	expect_names(alone, "checkroot.svc lvm2.svc mountall.svc rc-links/init-scripts.policy user.svc");
	expect_value(alone, "user", "After", "mountall");
	expect_names(with, "lvm2.svc rc-links/init-scripts.policy user.svc");
	expect_value(with, "user", "After", "$local_fs checkroot lvm2");
	expect_value(with, "user", "StopBefore", "$local_fs");
	expect_value(with, "lvm2", "Before", "");
}
END_TEST

static char *in_quotes(const char *word)
{
	return word ? g_strdup_printf("`%s`", word) : g_strdup("");
}

START_TEST(every_own_job_is_told_in_the_docs)
{
	g_autofree char *page = NULL;
	const LsbOwnJob *job;
	size_t n = 0;

	ck_assert(g_file_get_contents(LSB_README, &page, NULL, NULL));
	for (; (job = lsb_own_job_at(n)) != NULL; n++) {
		g_autofree char *native = in_quotes(job->native);
		g_autofree char *stands_for = in_quotes(job->stands_for);
		g_autofree char *row = g_strdup_printf("\n| `%s` | %s | %s | %s |\n", job->file, native, stands_for, job->reason);

		ck_assert_ptr_eq(lsb_own_job_find(job->file), job);
		ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_ptr_null(lsb_own_job_find("cron"));
}
END_TEST

START_TEST(descriptions_become_one_line_of_utf8)
{
	g_autofree char *long_text = g_strnfill(5000, 'x');
	g_autofree char *header = g_strconcat("Short-Description: ", long_text, NULL);
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;
	g_autofree char *value = NULL;

	script(tree, "a", "Short-Description: caf\xe9 \xc3\xa9 \x01 %i");
	script(tree, "b", header);
	script(tree, "c", "");
	files = read_machine(tree, "");
	value = value_of(files, "b", "Description");

	expect_sound(files);
	expect_value(files, "a", "Description", "caf\xef\xbf\xbd \xc3\xa9   % i");
	ck_assert_uint_lt(strlen(value), 256);
	expect_value(files, "c", "Description", "c");
}
END_TEST

START_TEST(a_machine_without_scripts_has_no_files)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GPtrArray) files = read_machine(tree, "");

	ck_assert_uint_eq(files->len, 0);
}
END_TEST

START_TEST(an_order_to_more_than_a_list_can_hold_is_told_and_cut)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Tree) tree = machine();
	g_autoptr(GPtrArray) files = NULL;

	for (int i = 0; i < LIMIT_LIST_ENTRIES; i++) {
		g_autofree char *name = g_strdup_printf("s%d", i);

		script(tree, name, "");
	}
	script(tree, "last", "Required-Start: $all");
	files = read_machine(tree, "/etc/init.d/last: warning: it is ordered to 512 others, and only the first 480 "
				   "of them by name count\n");

	expect_sound(files);
	ck_assert_uint_eq(files->len, LIMIT_LIST_ENTRIES + 2);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb");

	ADD_CASE(suite, "services", a_script_becomes_a_service_with_all_that_its_header_says,
		 descriptions_become_one_line_of_utf8, a_machine_without_scripts_has_no_files);
	ADD_CASE(suite, "order", facilities_are_written_as_such_and_as_their_members,
		 each_field_orders_as_insserv_has_it, scripts_are_known_by_what_they_provide_not_by_their_files,
		 what_is_required_and_not_there_is_told, what_two_provide_is_waited_for_twice,
		 all_is_behind_everything_but_another_all, nothing_at_the_boot_waits_for_what_a_runlevel_starts,
		 an_order_to_more_than_a_list_can_hold_is_told_and_cut);
	ADD_CASE(suite, "loops", a_loop_is_broken_where_it_is_weakest_and_told_whole,
		 of_a_loop_the_link_to_what_is_never_started_goes_first,
		 a_loop_through_a_facility_does_not_come_back_by_its_name, loops_of_stopping_are_broken_by_themselves,
		 many_loops_end);
	ADD_CASE(suite, "links", a_script_without_a_header_is_ordered_by_its_number,
		 links_are_policy_and_default_start_counts_only_without_any,
		 a_script_for_the_shutdown_alone_is_up_so_that_it_can_stop);
	ADD_CASE(suite, "natives", a_service_with_a_file_of_its_own_takes_the_place_of_the_script,
		 order_leads_on_through_scripts_that_are_not_run,
		 scripts_of_the_early_boot_run_unless_a_service_of_ours_does_their_work,
		 every_own_job_is_told_in_the_docs);
	return suite;
}
