/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl on the command line: starts, stops, flags, and waiting for the result.
 */
#include "config.h"

#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/svcctl-world.h"

/* clang-format off */
static const Typed typed[] = {
	{ "start odd", 0, "odd started\n", "" },
	{ "start base", 0, "base is already up\n", "" },
	{ "start -q odd", 0, "", "" },
	{ "start shy", 3, "",
	  "svcctl: shy is not up; it starts as soon as its conditions are true\n"
	  "  flag:go is false (/etc/svcd/services.d/shy.svc:4)\n  To wait until it is up: svcctl start shy --wait\n" },
	{ "start shy --wait -t 1 -q", 6, "",
	  "svcctl: shy: timed out; it is waiting and the start goes on\n  Follow it with: svcctl status shy\n" },
	{ "start barred", 8, "",
	  "svcctl: barred: its policy is never (/etc/svcd/policy.d/local.policy:6)\n  svcctl explain barred\n" },
	{ "start nosuch odd", 1, "odd started\n",
	  "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "restart odd", 0, "odd restarted\n", "" },
	{ "stop base", 8, "",
	  "svcctl: base was not stopped: 1 running service needs it: upper\n"
	  "  To stop them as well: svcctl stop base --with-dependents\n" },
	{ "stop base --with-dependents", 0, "base: the services that need it stop, too: upper\nbase stopped\n", "" },
	{ "stop base --with-dependents -q", 0, "", "" },
	{ "stop upper --with-dependents", 0, "upper stopped\n", "" },
	{ "stop base upper --with-dependents", 0, "base: the services that need it stop, too: upper\nbase stopped\nupper stopped\n", "" },
	{ "stop odd", 0, "odd is not running\n", "" },
	{ "reload upper", 0, "upper reloaded\n", "" },
	{ "reload base", 5, "",
	  "svcctl: base: it has no Reload= in its service file\n  svcctl restart base\n" },
	{ "reload --signal HUP upper", 0, "HUP was sent to the main process of upper\n", "" },
	{ "reload --signal SIGUSR1 upper base --all", 0,
	  "SIGUSR1 was sent to all processes of upper\nSIGUSR1 was sent to all processes of base\n", "" },
	{ "reload --signal HOP upper", 2, "", "svcctl: there is no signal \"HOP\"; write HUP, SIGHUP or 1\n  svcctl reload --signal --help\n" },
	{ "reload --signal HUP", 2, "", "svcctl: signal: which service? svcctl reload --signal NAME...\n  svcctl reload --signal --help\n" },
	{ "reload --signal HUP odd", 3, "", "svcctl: odd is not running: it is idle\n  svcctl start odd\n" },
	{ "reload --signal HUP nosuch", 4, "", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "restart odd upper --if-running", 0, "odd is not running, and stays off\nupper restarted\n", "" },
	{ "restart b*", 2, "",
	  "svcctl: restart: the pattern matches 3 services: barred, base, broken\n"
	  "  To restart all of them, add --all-matching\n" },
	{ "reload upp* --all-matching", 0, "upper reloaded\n", "" },
	{ "stop zz* --all-matching", 4, "", "svcctl: no service matches zz*\n  svcctl list --all shows every service\n" },
	{ "list --all-matching", 2, "", "svcctl: list does not take --all-matching\n  svcctl list --help\n" },
	{ "clear broken", 0, "broken: failure state and restart counter reset\n", "" },
	{ "flag", 0, "no flag is set\n", "" },
	{ "flag set go", 0, "flag:go is true\n", "" },
	{ "flag set", 2, "", "svcctl: flag set: which flag?\n  svcctl flag --help\n" },
	{ "flag wave go", 2, "", "svcctl: flag: \"wave\" is not list, set or clear\n  svcctl flag --help\n" },
	{ "wait base", 0, "service:base is true\n", "" },
	{ "wait base -q", 0, "", "" },
	{ "wait !label:DATA", 0, "label:DATA is false\n", "" },
	{ "wait label:DATA -t 0", 3, "",
	  "svcctl: label:DATA is false (it is not there; labels present: EFI)\n  svcctl monitor 'label:DATA'\n" },
	{ "wait label:DATA -t 2", 6, "",
	  "svcctl: label:DATA is still false (it is not there; labels present: EFI)\n  svcctl monitor 'label:DATA'\n" },
	{ "wait shy -t 2", 6, "", "svcctl: service:shy is still false (shy is waiting)\n  svcctl explain shy\n" },
	{ "wait !base -t 0", 3, "", "svcctl: service:base is true (base is ready)\n  svcctl explain base\n" },
	{ "wait bsae", 4, "", "svcctl: service:bsae: there is no such service\n  did you mean: base\n" },
	{ "wait netwrok:up", 2, "",
	  "svcctl: no provider \"netwrok\"; did you mean \"network:up\"?\n  svcctl wait --help\n" },
	{ "wait", 2, "", "svcctl: wait: which service? svcctl wait CONDITION|SERVICE\n  svcctl wait --help\n" },
	{ "stop odd --wait", 2, "", "svcctl: stop does not take --wait\n  svcctl stop --help\n" },
	{ "start tape@", 4, "",
	  "svcctl: there is no service \"tape@\"\n  It is a template: write tape@NAME for one of its instances\n" },
};
/* clang-format on */

START_TEST(what_stops_with_it_is_in_the_answer_too)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "stop base --with-dependents --json", &out, NULL), 0);
	ck_assert_msg(strstr(out, "\"dependents\":[\"upper\"]") != NULL, "%s", out);
}
END_TEST

/* --- waiting --- */

/* "svcctl start odd", and the service is starting. The test decides the outcome. */
static Run *begin_start(BusWorld *bw)
{
	Run *run;

	bw->settles = false;
	run = bus_world_svcctl_begin(bw, "start odd");
	while (world_find(bw->world, "odd")->state != STATE_STARTING)
		g_main_context_iteration(NULL, TRUE);
	return run;
}

/* The process of the service needs some time, and succeeds. */
START_TEST(start_waits_until_it_is_ready)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	Run *run = begin_start(bw);

	world_settle(bw->world);
	bus_world_flush(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, NULL), 0);
	ck_assert_msg(g_str_has_suffix(out, "odd started\n"), "%s", out);
}
END_TEST

START_TEST(start_reports_the_failure)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *err = NULL;
	Run *run = begin_start(bw);

	world_start_fails(bw->world, "odd", "cannot execute /bin/odd: No such file or directory");
	world_gone(bw->world, "odd");
	bus_world_flush(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 1);
	ck_assert_msg(strstr(err, "odd did not start: ") && strstr(err, "cannot execute /bin/odd"),
		      "%s", err);
	ck_assert_msg(strstr(err, "\n  svcctl explain odd\n") != NULL, "%s", err);
}
END_TEST

START_TEST(reload_returns_the_result)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *err = NULL;
	Run *run;

	bw->settles = false;
	run = bus_world_svcctl_begin(bw, "reload upper");
	while (!engine_is_reloading(world_find(bw->world, "upper")))
		g_main_context_iteration(NULL, TRUE);
	world_reloaded(bw->world, "upper", "exit status 1");
	bus_world_flush(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 1);
	ck_assert_msg(strstr(err, "upper: its reload failed, and it is ready: exit status 1") !=
			      NULL,
		      "%s", err);
}
END_TEST

/*
 * The service ended at once with success. The result must not depend on which event svcctl sees
 * first.
 */
START_TEST(start_of_a_service_that_ends_with_success_succeeds)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	Run *run = begin_start(bw);

	world_settle(bw->world);
	world_exits(bw->world, "odd", 0);
	world_gone(bw->world, "odd");
	bus_world_flush(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, NULL), 0);
	ck_assert_msg(g_str_has_suffix(out, "odd started; it ended by itself: exit status 0\n"),
		      "%s", out);
}
END_TEST

START_TEST(start_with_no_wait_does_not_wait)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_autofree char *again = NULL;

	bw->settles = false;
	ck_assert_int_eq(bus_world_svcctl(bw, "start odd --no-wait", &out, NULL), 0);
	ck_assert_str_eq(out, "odd: starting\n");
	ck_assert_int_eq(bus_world_svcctl(bw, "start odd -t 0", &again, NULL), 0);
	ck_assert_str_eq(again, "odd: starting\n");
}
END_TEST

START_TEST(start_with_wait_waits_for_conditions)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	Run *run = bus_world_svcctl_begin(bw, "start shy --wait");

	while (world_find(bw->world, "shy")->admin != ADMIN_START)
		g_main_context_iteration(NULL, TRUE);
	world_set(bw->world, "flag:go", true);
	world_settle(bw->world);
	bus_world_flush(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, NULL), 0);
	ck_assert_msg(g_str_has_suffix(out, "shy started\n"), "%s", out);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl_control");

	suite_add_typed(suite, typed, G_N_ELEMENTS(typed));
	ADD_CASE(suite, "dependents", what_stops_with_it_is_in_the_answer_too);
	ADD_CASE(suite, "waiting", start_waits_until_it_is_ready, start_reports_the_failure,
		 reload_returns_the_result, start_of_a_service_that_ends_with_success_succeeds,
		 start_with_no_wait_does_not_wait, start_with_wait_waits_for_conditions);
	return suite;
}
