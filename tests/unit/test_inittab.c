/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inittab: its lines and the resulting service files.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svc-generate/inittab.h"
#include "svc-generate/respawns.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

#define HEADING OUTPUT_MARK " from /etc/inittab; changes are lost.\n"

static bool has_program(const void *data, const char *path)
{
	(void)data;
	return !g_str_has_prefix(path, "/missing/");
}

typedef struct Result {
	GeneratedFiles *output;
	DiagList *diags;
} Result;

static Result generate(const char *text, bool has_getty)
{
	const RespawnsWorld world = { .has_getty = has_getty, .has_program = has_program };
	Result r = { .output = generated_files_new(), .diags = diag_list_new() };
	g_autoptr(GPtrArray) entries = inittab_parse("/etc/inittab", text, r.diags);

	respawns_generate(entries, &world, (RespawnsOutput){ r.output, r.output }, r.diags);
	return r;
}

static void clear(Result *r)
{
	generated_files_free(r->output);
	diag_list_free(r->diags);
}

/* @text is the complete output. */
static void expect_diagnostic(const DiagList *diags, const char *text)
{
	g_autofree char *line = g_strconcat(text, "\n", NULL);

	expect_diags(diags, line);
}

static void expect_file(const Result *r, const char *name, const char *expected)
{
	g_autofree char *whole = g_strconcat(HEADING, expected, NULL);

	ck_assert_msg(generated_files_has(r->output, name), "there is no %s", name);
	ck_assert_str_eq(generated_files_add(r->output, name, "?")->str, whole);
}

/* The file of Debian's sysvinit-core, without comments. */
static const char debian[] = "# /etc/inittab\n"
			     "id:2:initdefault:\n"
			     "si::sysinit:/etc/init.d/rcS\n"
			     "~~:S:wait:/sbin/sulogin --force\n"
			     "l0:0:wait:/etc/init.d/rc 0\n"
			     "l2:2:wait:/etc/init.d/rc 2\n"
			     "l6:6:wait:/etc/init.d/rc 6\n"
			     "z6:6:respawn:/sbin/sulogin --force\n"
			     "ca:12345:ctrlaltdel:/sbin/shutdown -t1 -a -r now\n"
			     "pf::powerwait:/missing/powerfail start\n"
			     "1:2345:respawn:/sbin/getty --noclear 38400 tty1\n"
			     "#T0:23:respawn:/sbin/getty -L ttyS0 9600 vt100\n";

START_TEST(debians_file_is_logins_ctrl_alt_del_and_a_runlevel)
{
	Result r = generate(debian, true);

	expect_file(
		&r, RESPAWNS_POLICY_FILE,
		"\n# line 2\n[defaults]\nRunlevel=2\n"
		"\n# line 11\n[service getty@tty1]\nActivation=boot\nRunlevels=\nRunlevels=2 3 4 "
		"5\n");
	expect_file(
		&r, "ctrl-alt-del.svc",
		"[Service]\nDescription=ctrlaltdel of /etc/inittab: /sbin/shutdown -t1 -a -r now\n"
		"Exec=/sbin/shutdown -t1 -a -r now\nType=task\n");
	expect_file(&r, "50-inittab.policy",
		    "\n# line 9\n[service ctrl-alt-del]\nActivation=manual\n");
	ck_assert(!generated_files_has(r.output, "power-fail.svc"));
	expect_diagnostic(
		r.diags,
		"/etc/inittab:10: warning: power-fail: there is no /missing/powerfail; the line "
		"is left out");
	clear(&r);
}
END_TEST

START_TEST(without_the_template_a_login_is_a_service_of_its_own)
{
	Result r = generate("T0:23:respawn:/sbin/getty -L ttyS0 9600 vt100\n", false);

	expect_file(
		&r, "inittab-T0.svc",
		"[Service]\nDescription=respawn of /etc/inittab: /sbin/getty -L ttyS0 9600 vt100\n"
		"Exec=/sbin/getty -L ttyS0 9600 vt100\nRestart=always\nRestartDelay=1s\n"
		"RestartLimit=10/2min\n"
		"KillMode=process\nCleanup=-" SVCD_LIBDIR "/svc-utmp dead ttyS0\n"
		"\n[Conditions]\nAfter=$local_fs $remote_fs hostname keyboard-setup "
		"console-setup\n");
	expect_file(
		&r, RESPAWNS_POLICY_FILE,
		"\n# line 1\n[service inittab-T0]\nActivation=boot\nRunlevels=\nRunlevels=2 3\n");
	clear(&r);
}
END_TEST

START_TEST(lines_after_a_wait_line_wait)
{
	Result r = generate(
		"a:3:wait:/bin/first\nb:3:once:/bin/second\n~c:3:respawn:+/bin/third -x\n", true);

	expect_file(&r, "inittab-a.svc",
		    "[Service]\nDescription=wait of /etc/inittab: /bin/first\nExec=/bin/first\n"
		    "Type=task\n"
		    "\n[Conditions]\nAfter=$local_fs $remote_fs $syslog $network\n");
	expect_file(&r, "inittab-b.svc",
		    "[Service]\nDescription=once of /etc/inittab: /bin/second\nExec=/bin/second\n"
		    "Type=task\n"
		    "\n[Conditions]\nAfter=$local_fs $remote_fs $syslog $network inittab-a\n");
	expect_file(
		&r, "inittab-_c.svc",
		"[Service]\nDescription=respawn of /etc/inittab: /bin/third -x\nExec=/bin/third "
		"-x\n"
		"Restart=always\nRestartDelay=1s\nRestartLimit=10/2min\n"
		"\n[Conditions]\nAfter=$local_fs $remote_fs $syslog $network rc.local inittab-a\n");
	clear(&r);
}
END_TEST

START_TEST(the_boot_waits_for_no_line_of_a_runlevel)
{
	Result r = generate(
		"w:2:wait:/bin/w\na::bootwait:/bin/a\nb::boot:/bin/b\no:2:once:/bin/o\n", true);

	expect_file(
		&r, "inittab-a.svc",
		"[Service]\nDescription=bootwait of /etc/inittab: /bin/a\nExec=/bin/a\nType=task\n"
		"\n[Conditions]\nAfter=$local_fs\n");
	expect_file(&r, "inittab-b.svc",
		    "[Service]\nDescription=boot of /etc/inittab: /bin/b\nExec=/bin/b\nType=task\n"
		    "\n[Conditions]\nAfter=$local_fs inittab-a\n");
	expect_file(&r, "inittab-o.svc",
		    "[Service]\nDescription=once of /etc/inittab: /bin/o\nExec=/bin/o\nType=task\n"
		    "\n[Conditions]\nAfter=$local_fs $remote_fs $syslog $network inittab-w "
		    "inittab-a\n");
	clear(&r);
}
END_TEST

START_TEST(boot_entries_belong_to_runlevel_s_and_a_line_without_levels_to_all)
{
	Result r = generate(
		"b::boot:/bin/b\nw:06:bootwait:/bin/w\no::once:/bin/o\nn:06:once:/bin/n\n", true);

	expect_file(
		&r, RESPAWNS_POLICY_FILE,
		"\n# line 1\n[service inittab-b]\nActivation=boot\nRunlevels=\nRunlevels=S\n"
		"\n# line 2\n[service inittab-w]\nActivation=boot\nRunlevels=\nRunlevels=S\n"
		"\n# line 3\n[service inittab-o]\nActivation=boot\nRunlevels=\nRunlevels=1 2 3 4 "
		"5\n"
		"\n# line 4\n[service inittab-n]\nActivation=manual\n");
	clear(&r);
}
END_TEST

START_TEST(lines_with_shell_syntax_are_run_by_a_shell)
{
	Result r = generate("a:2:once:echo it's $HOME >/dev/null; true\n", true);

	expect_file(
		&r, "inittab-a.svc",
		"[Service]\nDescription=once of /etc/inittab: echo it's $HOME >/dev/null; true\n"
		"Exec=/bin/sh -c 'exec echo it'\\''s $HOME >/dev/null; true'\nType=task\n"
		"\n[Conditions]\nAfter=$local_fs $remote_fs $syslog $network\n");
	clear(&r);
}
END_TEST

START_TEST(events_of_the_machine_start_services_of_fixed_names)
{
	Result r = generate(
		"pf::powerfail:/bin/pf\npn::powerfailnow:/bin/pn\npo::powerokwait:/bin/po\n"
		"kb::kbrequest:/bin/kb\n"
		"p2::powerwait:/bin/p2\n",
		true);

	ck_assert(generated_files_has(r.output, "power-fail.svc") &&
		  generated_files_has(r.output, "power-fail-now.svc") &&
		  generated_files_has(r.output, "power-ok.svc") &&
		  generated_files_has(r.output, "keyboard-request.svc"));
	expect_diagnostic(
		r.diags,
		"/etc/inittab:5: an earlier line already defines power-fail; this line is left "
		"out");
	clear(&r);
}
END_TEST

static const struct {
	const char *line;
	const char *problem;
	/* clang-format off */
} bad[] = {
	{ "1:2:respawn", "this line is left out, because it is not ID:RUNLEVELS:ACTION:COMMAND" },
	{ ":2:respawn:/bin/x", "an id has one to four characters; the line is left out" },
	{ "12345:2:respawn:/bin/x", "an id has one to four characters; the line is left out" },
	{ "a/b:2:respawn:/bin/x", "an id contains only letters, digits and ~_.+-; the line is left out" },
	{ "..:2x:respawn:/bin/x", "runlevels are 0 to 9, S, a, b and c; the line is left out" },
	{ "1:2:respwan:/bin/x", "init(8) knows no action \"respwan\"; the line is left out" },
	{ "1:2:respawn:", "there is no command; the line is left out" },
	{ "1:2:respawn:+ ", "there is no command; the line is left out" },
	{ "1:2:respawn:/bin/\xff", "the command is not UTF-8, and a service file cannot contain it; the line is left out" },
	{ "1:2:respawn:/bin/x\033[2J", "the command contains a control character; the line is left out" },
	{ "1:23:initdefault:", "the runlevel of initdefault must be 1 to 5; the line is left out" },
	{ "1:0:initdefault:", "the runlevel of initdefault must be 1 to 5; the line is left out" },
	{ "1:6:initdefault:", "the runlevel of initdefault must be 1 to 5; the line is left out" },
	{ "1:a:ondemand:/bin/x", "warning: svcd has no runlevels a, b and c; the line is left out" },
};
/* clang-format on */

START_TEST(a_bad_line_is_reported_and_the_others_count)
{
	g_autofree char *text = g_strdup_printf("%s\r\nok:2:once:/bin/ok\n", bad[_i].line);
	g_autofree char *expected = g_strdup_printf("/etc/inittab:1: %s", bad[_i].problem);
	Result r = generate(text, true);

	expect_diagnostic(r.diags, expected);
	ck_assert(generated_files_has(r.output, "inittab-ok.svc"));
	clear(&r);
}
END_TEST

START_TEST(a_repeated_id_is_ignored)
{
	Result r = generate("a:2:once:/bin/a\na:3:once:/bin/b\n", true);

	expect_diagnostic(
		r.diags, "/etc/inittab:2: an earlier line has the id \"a\"; this line is left out");
	clear(&r);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("inittab");

	ADD_CASE(suite, "meaning", debians_file_is_logins_ctrl_alt_del_and_a_runlevel,
		 without_the_template_a_login_is_a_service_of_its_own, lines_after_a_wait_line_wait,
		 the_boot_waits_for_no_line_of_a_runlevel,
		 boot_entries_belong_to_runlevel_s_and_a_line_without_levels_to_all,
		 lines_with_shell_syntax_are_run_by_a_shell,
		 events_of_the_machine_start_services_of_fixed_names);
	suite_add_loop(suite, "mistakes", a_bad_line_is_reported_and_the_others_count,
		       G_N_ELEMENTS(bad));
	ADD_CASE(suite, "mistakes", a_repeated_id_is_ignored);
	return suite;
}
