/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl on the command line: common options, help, terminals, and an svcd that is not running.
 */
#include "config.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/lib/svcctl-world.h"

/* clang-format off */
static const Typed typed[] = {
	{ "runlevel", 0, "N 2\n", "" },
	{ "runlevel 3", 0, "the runlevel is now 3\n", "" },
	{ "runlevel 9", 2, "", "svcctl: there is no runlevel \"9\"\n  svcctl runlevel --help\n" },
	{ "poweroff", 0, "poweroff: services are being stopped\n", "" },
	{ "--version", 0, "svcctl " PACKAGE_VERSION "\nsvcd " PACKAGE_VERSION "\n", "" },
	{ "-V", 0, "svcctl " PACKAGE_VERSION "\nsvcd " PACKAGE_VERSION "\n", "" },
	{ "explode", 2, "", "svcctl: there is no verb \"explode\"\n  svcctl --help\n" },
	{ "mask upper odd", 2, "",
	  "svcctl: there is no \"mask\"; use svcctl set upper odd never\n" },
	{ "daemon-reload", 2, "",
	  "svcctl: there is no \"daemon-reload\"; use svcctl reload-files\n" },
	{ "shutdown -r now", 2, "",
	  "svcctl: there is no \"shutdown\"; use "
	  "svcctl poweroff --at TIME, or svcctl reboot --at TIME\n" },
	{ "signal HUP upper", 2, "",
	  "svcctl: there is no \"signal\"; use svcctl reload --signal HUP upper\n" },
	{ "list --failed", 2, "",
	  "svcctl: there is no \"--failed\"; use svcctl list --state failed\n" },
	{ "log -u upper", 2, "", "svcctl: there is no \"-u\"; use svcctl log NAME\n" },
	{ "is-active --quiet upper", 2, "",
	  "svcctl: there is no \"is-active\"; use svcctl is up upper\n" },
	{ "stat", 2, "", "svcctl: there is no verb \"stat\"; did you mean start?\n  svcctl --help\n" },
	{ "start", 2, "", "svcctl: start: which service? svcctl start NAME...\n  svcctl start --help\n" },
	{ "reboot now", 2, "", "svcctl: reboot: too many arguments: svcctl reboot\n  svcctl reboot --help\n" },
	{ "list --wait", 2, "", "svcctl: list does not take --wait\n  svcctl list --help\n" },
	{ "list --colour", 2, "", "svcctl: there is no option --colour\n  svcctl --help\n" },
	{ "list --timeout", 2, "", "svcctl: --timeout needs a value\n  svcctl --help\n" },
	{ "list -t soon", 2, "", "svcctl: --timeout takes a time like 5 or 2min, not \"soon\"\n  svcctl --help\n" },
	{ "list --json=fat", 2, NULL, "" },
	{ "cat nosuch --root /var/empty/nowhere", 4, "",
	  "svcctl: --root /var/empty/nowhere: there is no such directory\n  svcctl --help\n" },
	{ "check --root /var/empty/nowhere", 4, "",
	  "svcctl: --root /var/empty/nowhere: there is no such directory\n  svcctl --help\n" },
	{ "cat nosuch --root /proc/self", 4, "",
	  "svcctl: no file describes a service named nosuch\n  svcctl check\n" },
};
/* clang-format on */

START_TEST(json_behind_a_wrong_option_is_respected)
{
	g_autoptr(BusWorld) bw = machine();
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "list --colour --json", &out, &err), 2);
	ck_assert(json_object_has_member(parse_answer(parser, out), "error"));
	ck_assert_str_eq(err, "");
}
END_TEST

START_TEST(the_overview_is_wrapped)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_auto(GStrv) lines = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "--width 40", &out, NULL), 0);
	lines = g_strsplit(out, "\n", -1);
	for (size_t i = 0; lines[i]; i++)
		ck_assert_msg(g_utf8_strlen(lines[i], -1) <= 40, "%s", lines[i]);
	ck_assert_msg(strstr(out, "\n  svcctl explain broken\n") != NULL, "%s", out);
}
END_TEST

static const char *const verbs[] = { "status",       "list",     "explain", "log",      "start",
				     "stop",         "restart",  "reload",  "clear",    "cat",
				     "check",        "flag",     "wait",    "monitor",  "runlevel",
				     "reload-files", "poweroff", "reboot",  "undo",     "new",
				     "import",       "edit",     "is",      "complete", "reexec" };

/* --help calls no manager and changes nothing. */
START_TEST(each_verb_has_help)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strconcat(verbs[_i], " --help", NULL);
	g_autofree char *other = g_strconcat("help ", verbs[_i], NULL);
	g_autofree char *begin = g_strconcat("Usage: svcctl ", verbs[_i], NULL);
	g_autofree char *all = NULL;
	g_autofree char *out = NULL;
	g_autofree char *again = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_msg(g_str_has_prefix(out, begin), "%s", out);
	ck_assert_int_eq(bus_world_svcctl(bw, other, &again, NULL), 0);
	ck_assert_str_eq(out, again);
	ck_assert_str_eq(bw->requests->str, "");

	ck_assert_int_eq(bus_world_svcctl(bw, "--help", &all, NULL), 0);
	ck_assert(strstr(all, verbs[_i]) != NULL);
}
END_TEST

/* --- on a terminal --- */

START_TEST(a_terminal_gets_colour_and_wrapped_lines)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *shown =
		bus_world_svcctl_terminal(bw, "list -o name,state,policy,pid,description", "");

	ck_assert_msg(strstr(shown, "\033[31m✗ failed") != NULL, "%s", shown);
	ck_assert_msg(strstr(shown, "\033[32m● ready") != NULL, "%s", shown);
	ck_assert_msg(strstr(shown, "The ground that all the others\r\n") != NULL, "%s", shown);
}
END_TEST

static const char *const plain_environments[] = { "NO_COLOR=1", "TERM=dumb" };

START_TEST(a_terminal_that_wants_no_colour_gets_none)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *list = bus_world_svcctl_terminal(bw, "list", plain_environments[_i]);
	g_autofree char *status =
		bus_world_svcctl_terminal(bw, "status upper", plain_environments[_i]);
	g_autofree char *explain = bus_world_svcctl_terminal(bw, "explain", plain_environments[_i]);

	ck_assert_msg(strchr(list, '\033') == NULL && strstr(list, "● ready") != NULL, "%s", list);
	ck_assert_msg(strchr(status, '\033') == NULL, "%s", status);
	ck_assert_msg(strchr(explain, '\033') == NULL, "%s", explain);
}
END_TEST

static const char *const all_looks[] = { "status", "list --all", "status upper shy broken",
					 "explain", "list --conditions" };

START_TEST(without_utf_8_only_ascii_is_shown)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *shown = bus_world_svcctl_terminal(bw, all_looks[_i], "LC_ALL=C");
	g_autofree char *requested = g_strconcat("--ascii ", all_looks[_i], NULL);
	g_autofree char *piped = NULL;

	(void)bus_world_svcctl(bw, requested, &piped, NULL); /* some exit with status 3 */
	ck_assert_msg(g_str_is_ascii(shown) && *shown, "%s", shown);
	ck_assert_msg(g_str_is_ascii(piped) && *piped, "%s", piped);
}
END_TEST

START_TEST(a_verb_may_be_shortened_on_a_terminal)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *list = bus_world_svcctl_terminal(bw, "li -o name --no-header", "");
	g_autofree char *verdict = bus_world_svcctl_terminal(bw, "re upper --json", "");

	ck_assert_str_eq(list, "base\r\nbroken\r\nshy\r\nupper\r\n");
	ck_assert_msg(strstr(verdict, "there is no verb") != NULL, "%s", verdict);
}
END_TEST

/* --- no svcd, or a dying one --- */

START_TEST(without_svcd_the_error_has_a_remedy)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autofree char *begin = g_strdup_printf(
		"svcctl: svcd is not running: no process listens on %s\n", bw->socket_path);

	ck_assert_int_eq(unlink(bw->socket_path), 0);
	ck_assert_int_eq(bus_world_svcctl(bw, "list", &out, &err), 9);
	ck_assert_str_eq(out, "");
	ck_assert_msg(g_str_has_prefix(err, begin), "%s", err);
	ck_assert_msg(strstr(err, "\n  Is svcd process 1?") != NULL, "%s", err);
}
END_TEST

START_TEST(an_svcd_that_does_not_answer_is_given_up)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(machine_files, machine_policy);
	g_autofree char *err = NULL;
	g_autofree char *begin =
		g_strdup_printf("svcctl: svcd does not answer on %s\n", bw->socket_path);

	ck_assert_int_eq(bus_world_svcctl(bw, "list -t 1", NULL, &err), 9);
	ck_assert_msg(g_str_has_prefix(err, begin), "%s", err);
}
END_TEST

/* An svcd that is busy or being replaced does not answer yet, and "svcctl wait" waits for it. */
START_TEST(waiting_for_an_svcd_that_does_not_answer_times_out)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(machine_files, machine_policy);
	g_autofree char *err = NULL;
	g_autofree char *out = NULL;
	g_autofree char *whole = g_strdup_printf(
		"svcctl: service:base is still unknown (svcd does not answer on %s)\n"
		"  svcctl explain base\n",
		bw->socket_path);

	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms", NULL, &err), 6);
	ck_assert_str_eq(err, whole);
	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms --json", &out, NULL), 6);
	ck_assert_msg(strstr(out, "\"level\":\"unknown\"") && strstr(out, "\"code\":\"TimedOut\""),
		      "%s", out);
}
END_TEST

START_TEST(an_absent_svcd_causes_no_wait)
{
	g_autoptr(BusWorld) bw = machine();

	ck_assert_int_eq(unlink(bw->socket_path), 0);
	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms", NULL, NULL), 9);
}
END_TEST

/*
 * A child process plays a manager that ends at the first request. Then this process takes over the
 * socket, like a new manager.
 */
static Run *request_and_die(BusWorld *bw, const char *line)
{
	const pid_t pid = fork();
	Run *run;
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		bw->dies = true;
		bus_world_listen(bw);
		for (;;)
			g_main_context_iteration(NULL, TRUE);
	}
	run = bus_world_svcctl_begin(bw, line);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	bus_world_listen(bw);
	return run;
}

START_TEST(a_query_is_repeated_when_the_manager_dies)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(machine_files, machine_policy);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	Run *run = request_and_die(bw, "status");

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, &err), 0);
	ck_assert_str_eq(err, "");
	ck_assert_msg(strstr(out, "6 services") != NULL, "%s", out);
}
END_TEST

START_TEST(a_change_is_not_repeated_when_the_manager_dies)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(machine_files, machine_policy);
	g_autofree char *err = NULL;
	Run *run = request_and_die(bw, "start odd");

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 9);
	ck_assert_str_eq(
		err,
		"svcctl: svcd was replaced during the request, so the result is not known: check "
		"it, and try again\n"
		"  svcctl status odd\n");
	ck_assert_int_eq(world_find(bw->world, "odd")->admin, ADMIN_NONE);
}
END_TEST

/* Reading files twice is harmless, so the request is repeated. */
START_TEST(files_are_read_although_the_client_disconnected)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(machine_files, machine_policy);
	g_autofree char *err = NULL;
	Run *run = request_and_die(bw, "reload-files -t 20s");

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 0);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(bw->requests->str, "reload files");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl");

	suite_add_typed(suite, typed, G_N_ELEMENTS(typed));
	suite_add_loop(suite, "lines", each_verb_has_help, G_N_ELEMENTS(verbs));
	ADD_CASE(suite, "lines", json_behind_a_wrong_option_is_respected, the_overview_is_wrapped);
	suite_add_loop(suite, "terminal", a_terminal_that_wants_no_colour_gets_none,
		       G_N_ELEMENTS(plain_environments));
	suite_add_loop(suite, "terminal", without_utf_8_only_ascii_is_shown,
		       G_N_ELEMENTS(all_looks));
	ADD_CASE(suite, "terminal", a_terminal_gets_colour_and_wrapped_lines,
		 a_verb_may_be_shortened_on_a_terminal);
	ADD_CASE(suite, "reach", without_svcd_the_error_has_a_remedy,
		 an_svcd_that_does_not_answer_is_given_up,
		 waiting_for_an_svcd_that_does_not_answer_times_out, an_absent_svcd_causes_no_wait,
		 a_query_is_repeated_when_the_manager_dies,
		 a_change_is_not_repeated_when_the_manager_dies,
		 files_are_read_although_the_client_disconnected);
	return suite;
}
