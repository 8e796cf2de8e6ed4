/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl as it is typed: the program itself, against org.svcd1 with an engine behind it. Whole answers are compared.
 */
#include "config.h"

#include <check.h>
#include <glib-unix.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/progress.h"
#include "tests/lib/bus-world.h"

Suite *make_suite(void);

static const char files[] = "== base\n[Service]\nDescription=The ground that all the others stand on\nExec=/bin/base\n"
			    "== upper\n[Service]\nExec=/bin/upper\nReload=signal:HUP\n[Conditions]\nWhile=service:base\n"
			    "== broken\n[Service]\nExec=/bin/broken\n"
			    "== barred\n[Service]\nExec=/bin/barred\n"
			    "== odd\n[Service]\nExec=/bin/odd\n"
			    "== shy\n[Service]\nExec=/bin/shy\n[Conditions]\nWhen=flag:go\n";
static const char policy[] = "[runlevel 2]\nActivate=base upper shy broken\n"
			     "[service upper]\nReason=office rule 12\n"
			     "[service barred]\nActivation=never\nReason=no printers\n";

/* A machine on which one service has failed and one waits. */
static BusWorld *machine(void)
{
	BusWorld *bw = bus_world_new(files, policy);

	world_dies(bw->world, "broken", 7);
	world_settle(bw->world);
	bw->settles = true;
	tree_write(bw->tree, "/log/upper.log", "second line\nthird \033[31mline\n");
	tree_write(bw->tree, "/log/upper.log.1", "first line\n");
	return bw;
}

/* Times go on while a test runs, pids differ: "1 h 4 min ago (Sat 09:39:25)" becomes "AGO", "pid 812" becomes "pid N". */
static char *steady(const char *text)
{
	static const struct {
		const char *pattern;
		const char *replacement;
	} rules[] = {
		{ "[A-Z][a-z][a-z] [0-9:]{8} \\([0-9a-z. ]+ ago\\)", "AGO" },
		{ "[0-9]+ (d|h|min) [0-9]+ (h|min|s) ago( \\([A-Z][a-z][a-z] [0-9:]{8}\\))?", "AGO" },
		{ "up [0-9]+ (d|h|min) [0-9]+ (h|min|s)", "up LONG" },
		{ "pid [0-9]+, svcctl", "pid N, svcctl" },
	};
	char *result = g_strdup(text);

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		g_autoptr(GRegex) regex = g_regex_new(rules[i].pattern, 0, 0, NULL);
		char *next = g_regex_replace_literal(regex, result, -1, 0, rules[i].replacement, 0, NULL);

		g_free(result);
		result = next;
	}
	return result;
}

typedef struct Typed {
	const char *line;
	int code;
	const char *out;
	const char *err;
} Typed;

static const Typed typed[] = {
	{ "", 0,
	  "svcd " PACKAGE_VERSION " · runlevel 2 · boot finished in 0 ms, up LONG\n"
	  "  6 services: 2 up · 1 waiting · 1 off · 1 failed · 1 never\n"
	  "  the manager was replaced 2 times since the boot\n"
	  "\n"
	  "✗ broken: failed AGO: exit status 7\n"
	  "  svcctl explain broken\n",
	  "" },
	{ "list", 0,
	  "NAME   STATE     POLICY  PID DESCRIPTION\n"
	  "base   ● ready   boot   4711 The ground that all the others stand on\n"
	  "broken ✗ failed  boot        broken\n"
	  "shy    ◐ waiting boot        shy\n"
	  "upper  ● ready   boot   4711 upper\n"
	  "2 more are off: svcctl list --all\n",
	  "" },
	{ "list --all --ascii --no-header -o name,state", 0,
	  "barred ! idle\nbase   * ready\nbroken X failed\nodd    - idle\nshy    ~ waiting\nupper  * ready\n", "" },
	{ "list --width 50 ba*", 0,
	  "NAME   STATE   POLICY  PID DESCRIPTION\n"
	  "barred ⊘ idle  never       barred\n"
	  "base   ● ready boot   4711 The ground that all the\n"
	  "                           others stand on\n",
	  "" },
	{ "list --state failed -q", 0,
	  "NAME   STATE    POLICY PID DESCRIPTION\nbroken ✗ failed boot       broken\n", "" },
	{ "status upper", 0,
	  "● upper - upper\n"
	  "  State      ready since AGO\n"
	  "  Why        it is ready\n"
	  "  Policy     boot (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Reason     office rule 12\n"
	  "  Wanted     wanted in the runlevel\n"
	  "  While      service:base is true\n"
	  "  Process    pid 4711\n"
	  "  File       /etc/svcd/services.d/upper.svc\n"
	  "  Before     AGO: waiting -> starting: service:base is true\n"
	  "             AGO: idle -> waiting: wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Last output (svcctl log upper)\n"
	  "    first line\n"
	  "    second line\n"
	  "    third \\x1b[31mline\n",
	  "" },
	{ "status shy", 3,
	  "◐ shy - shy\n"
	  "  State      waiting since AGO\n"
	  "  Why        wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Policy     boot (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Wanted     wanted in the runlevel\n"
	  "  When       flag:go is false\n"
	  "  File       /etc/svcd/services.d/shy.svc\n",
	  "" },
	{ "status nosuch", 4, "", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "status uper", 4, "", "svcctl: there is no service \"uper\"\n  did you mean: upper\n" },
	{ "log upper", 0, "first line\nsecond line\nthird \\x1b[31mline\n", "" },
	{ "log upper -n 1", 0, "third \\x1b[31mline\n", "" },
	{ "log upper -N2", 0, "second line\nthird \\x1b[31mline\n", "" },
	{ "log base", 0, "base has written nothing\n", "" },
	{ "log ../../etc/passwd", 4, "", NULL },
	{ "log upper -n few", 2, "",
	  "svcctl: --lines takes a number or \"all\", not \"few\"\n  svcctl log --help\n" },
	{ "start odd", 0, "odd started\n", "" },
	{ "start base", 0, "base is already up\n", "" },
	{ "start -q odd", 0, "", "" },
	{ "start shy", 0, "shy starts as soon as this is true:\n"
			  "             flag:go is false (/etc/svcd/services.d/shy.svc:4)\n", "" },
	{ "start shy --wait -t 1 -q", 6, "",
	  "svcctl: shy: timed out; it is waiting and the start goes on\n  Follow it with: svcctl status shy\n" },
	{ "start barred", 8, "",
	  "svcctl: barred: policy says never (/etc/svcd/policy.d/local.policy:6)\n  svcctl explain barred\n" },
	{ "start nosuch odd", 1, "odd started\n",
	  "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "restart odd", 0, "odd restarted\n", "" },
	{ "stop base", 8, "",
	  "svcctl: base was not stopped: 1 running service needs it: upper\n"
	  "  To stop them as well: svcctl stop base --with-dependents\n" },
	{ "stop base --with-dependents", 0, "base stopped\n", "" },
	{ "stop odd", 0, "odd is not running\n", "" },
	{ "reload upper", 0, "upper was told to reload\n", "" },
	{ "reload base", 5, "",
	  "svcctl: base: it has no Reload= in its service file; svcctl restart starts it anew\n" },
	{ "clear broken", 0, "broken begins with a clean record\n", "" },
	{ "flag", 0, "no flag is set\n", "" },
	{ "flag set go", 0, "flag:go is true\n", "" },
	{ "flag set", 2, "", "svcctl: flag set: which one?\n  svcctl flag --help\n" },
	{ "flag wave go", 2, "", "svcctl: flag: \"wave\" is not list, set or clear\n  svcctl flag --help\n" },
	{ "conditions -o condition,level,waiting,why", 0,
	  "CONDITION    LEVEL WAITING WHY\n"
	  "flag:go      false shy     flags set: stay\n"
	  "service:base true          base is ready\n",
	  "" },
	{ "conditions --level true -o condition --no-header", 0, "service:base\n", "" },
	{ "conditions flag:* -o condition,instead --no-header", 0, "flag:go   flags set: stay\n", "" },
	{ "conditions label:*", 0,
	  "no service looks at such a condition; svcctl wait CONDITION --timeout 0 does\n", "" },
	{ "conditions --level high", 2, "",
	  "svcctl: --level takes true, false or unknown, not \"high\"\n  svcctl conditions --help\n" },
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
	{ "list --unmanaged", 4, "",
	  "svcctl: there is no service \"dbus\"\n  svcctl list --all shows every service\n" },
	{ "list --unmanaged x*", 2, "",
	  "svcctl: list --unmanaged takes no PATTERN, --all or --state\n  svcctl list --help\n" },
	{ "runlevel", 0, "N 2\n", "" },
	{ "runlevel 3", 0, "the runlevel is 3 now\n", "" },
	{ "runlevel 9", 2, "", "svcctl: there is no runlevel \"9\"\n  svcctl runlevel --help\n" },
	{ "poweroff", 0, "poweroff: services are being stopped\n", "" },
	{ "version", 0, "svcctl " PACKAGE_VERSION "\nsvcd " PACKAGE_VERSION "\n", "" },
	{ "-V", 0, "svcctl " PACKAGE_VERSION "\nsvcd " PACKAGE_VERSION "\n", "" },
	{ "explode", 2, "", "svcctl: there is no verb \"explode\"\n  svcctl --help\n" },
	{ "stat", 2, "", "svcctl: there is no verb \"stat\"; did you mean start?\n  svcctl --help\n" },
	{ "start", 2, "", "svcctl: start: which service? svcctl start NAME...\n  svcctl start --help\n" },
	{ "reboot now", 2, "", "svcctl: reboot: too many arguments: svcctl reboot\n  svcctl reboot --help\n" },
	{ "list --wait", 2, "", "svcctl: list does not take --wait\n  svcctl list --help\n" },
	{ "list --colour", 2, "", "svcctl: there is no option --colour\n  svcctl --help\n" },
	{ "list --timeout", 2, "", "svcctl: --timeout needs a value\n  svcctl --help\n" },
	{ "list -t soon", 2, "", "svcctl: --timeout takes a time like 5 or 2min, not \"soon\"\n  svcctl --help\n" },
	{ "list --json=fat", 2, NULL, "" },
	{ "list --state awake", 2, "",
	  "svcctl: there is no state \"awake\"; there are ready, done, starting, stopping, backoff, waiting, failed, idle\n"
	  "  svcctl list --help\n" },
	{ "stop odd --wait", 2, "", "svcctl: stop does not take --wait\n  svcctl stop --help\n" },
	{ "start tape@", 4, "",
	  "svcctl: there is no service \"tape@\"\n  It is a template: write tape@NAME for one of its instances\n" },
	{ "list -o shape", 2, "", "svcctl: there is no column \"shape\"\n  svcctl list --help\n" },
	{ "list zz*", 4, "", "svcctl: no service matches zz*\n  svcctl list --all shows every service\n" },
	{ "status zz*", 4, "", "svcctl: no service matches zz*\n  svcctl list --all shows every service\n" },
	{ "cat nosuch --root /var/empty/nowhere", 4, "",
	  "svcctl: --root /var/empty/nowhere: there is no such directory\n" },
	{ "check --root /var/empty/nowhere", 4, "",
	  "svcctl: --root /var/empty/nowhere: there is no such directory\n" },
	{ "cat nosuch --root /proc/self", 4, "",
	  "svcctl: no file describes a service named nosuch\n  svcctl check\n" },
};

START_TEST(each_line_has_its_answer)
{
	const Typed *t = &typed[_i];
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autofree char *steady_out = NULL;
	const int code = bus_world_svcctl(bw, t->line, &out, &err);

	steady_out = steady(out);
	ck_assert_msg(code == t->code, "svcctl %s: exit %d\n%s%s", t->line, code, out, err);
	if (t->out)
		ck_assert_msg(strcmp(steady_out, t->out) == 0, "svcctl %s:\n%s", t->line, steady_out);
	if (t->err)
		ck_assert_msg(strcmp(err, t->err) == 0, "svcctl %s:\n%s", t->line, err);
	/* No escape sequence, for this is no terminal. */
	ck_assert(strchr(out, '\033') == NULL && strchr(err, '\033') == NULL);
}
END_TEST

static JsonObject *parse(JsonParser *parser, const char *text)
{
	g_autoptr(GError) error = NULL;

	ck_assert_msg(json_parser_load_from_data(parser, text, -1, &error), "%s: %s", text, error ? error->message : "");
	ck_assert(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
	return json_node_get_object(json_parser_get_root(parser));
}

/* What every answer has, whatever became of it. */
START_TEST(each_line_has_its_answer_in_json)
{
	const Typed *t = &typed[_i];
	g_autoptr(BusWorld) bw = machine();
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *line = g_strconcat("--json ", t->line, NULL);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	const int code = bus_world_svcctl(bw, line, &out, &err);
	JsonObject *answer = parse(parser, out);

	ck_assert_int_eq(code, t->code);
	ck_assert_str_eq(err, "");
	ck_assert_str_eq(json_object_get_string_member(answer, "schema"), "svcctl/1");
	ck_assert(json_object_has_member(answer, "verb"));
	ck_assert_int_eq(json_object_get_int_member(answer, "exit"), code);
	if (code == 0)
		ck_assert(json_object_has_member(answer, "data") && !json_object_has_member(answer, "error"));
	if (t->err && *t->err && code != 1) {
		JsonObject *error = json_object_get_object_member(answer, "error");

		ck_assert(error != NULL);
		ck_assert_str_ne(json_object_get_string_member(error, "code"), "");
		ck_assert(strstr(t->err, json_object_get_string_member(error, "message")) != NULL);
	}
}
END_TEST

START_TEST(json_is_heeded_behind_a_mistake)
{
	g_autoptr(BusWorld) bw = machine();
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "list --colour --json", &out, &err), 2);
	ck_assert(json_object_has_member(parse(parser, out), "error"));
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

START_TEST(the_overview_of_a_boot_tells_how_far_it_is)
{
	g_autoptr(BusWorld) bw = bus_world_new("[Service]\nExec=/bin/d\nReady=notify\n", NULL);
	static const char known[] = "svcd-durations 1\nservice it 0 3000000+0\nend\n";
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *out = NULL;
	g_autofree char *json = NULL;
	JsonObject *data;

	/* Its clock is the machine's, so how much is left is not for this test to say. */
	progress_know(world_engine(bw->world), durations_parse(known, strlen(known), NULL), world_now(bw->world));

	ck_assert_int_eq(bus_world_svcctl(bw, "--width 200", &out, NULL), 0);
	ck_assert_msg(g_regex_match_simple("booting for [^,]+, [0-9]+ % done, about [^,]+ left\n", out, 0, 0), "%s", out);

	ck_assert_int_eq(bus_world_svcctl(bw, "overview --json", &json, NULL), 0);
	data = json_object_get_object_member(parse(parser, json), "data");
	ck_assert_double_ge(json_object_get_double_member(data, "boot_progress"), 0);
	ck_assert_double_lt(json_object_get_double_member(data, "boot_progress"), 1);
	ck_assert_int_gt(json_object_get_int_member(data, "boot_remaining_us"), 0);
}
END_TEST

static const char *const verbs[] = { "overview", "list", "status", "explain", "log", "start", "stop", "restart", "reload",
				     "clear", "cat", "check", "graph", "flag", "conditions", "wait", "monitor", "runlevel",
				     "reload-files", "poweroff", "reboot", "halt", "reexec", "version" };

/* --help asks nobody and does nothing. */
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

static void write_process(BusWorld *bw, unsigned pid, unsigned parent, const char *command)
{
	g_autofree char *stat = g_strdup_printf("/proc/%u/stat", pid);
	g_autofree char *cmdline = g_strdup_printf("/proc/%u/cmdline", pid);
	g_autofree char *text = g_strdup_printf("%u (a) b) S %u 1 1 0", pid, parent);

	tree_write(bw->tree, stat, text);
	tree_write_bytes(bw->tree, cmdline, command, strlen(command) + 1);
}

START_TEST(status_shows_the_processes_as_a_tree)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_autofree char *json = NULL;

	bw->cgroup = tree_path(bw->tree, "/cgroup");
	tree_write(bw->tree, "/cgroup/cgroup.procs", "100\n104\n101\n");
	tree_write(bw->tree, "/cgroup/inner/cgroup.procs", "102\n103\n");
	tree_write(bw->tree, "/cgroup/memory.current", "1572864\n");
	tree_write(bw->tree, "/cgroup/pids.current", "5\n");
	tree_write(bw->tree, "/cgroup/cpu.stat", "usage_usec 1300000\nuser_usec 1\n");
	write_process(bw, 100, 1, "/bin/upper -D");
	write_process(bw, 101, 100, "worker \033[2J");
	write_process(bw, 102, 101, "grandchild");
	write_process(bw, 103, 9999, "stray");
	write_process(bw, 104, 100, "");

	ck_assert_int_eq(bus_world_svcctl(bw, "status upper", &out, NULL), 0);
	ck_assert_msg(strstr(out, "  Process    pid 4711, 5 tasks, 1.5 MiB, cpu 1.3 s\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "             ├─ 100 /bin/upper -D\n"
				  "                ├─ 104 [a) b]\n"
				  "                └─ 101 worker \\x1b[2J\n"
				  "                   └─ 102 grandchild\n"
				  "             └─ 103 stray\n") != NULL, "%s", out);
	ck_assert_int_eq(bus_world_svcctl(bw, "status upper --json", &json, NULL), 0);
	ck_assert_msg(strstr(json, "{\"pid\":102,\"parent\":101,\"command\":\"grandchild\"}") != NULL, "%s", json);
}
END_TEST

/* Without cgroups, what the bus started is found by parents; the bus's own forks are no news. */
START_TEST(what_the_bus_started_is_listed_without_cgroups_too)
{
	g_autoptr(BusWorld) bw = bus_world_new("== dbus\n[Service]\nExec=/bin/bus\n", NULL);
	g_autofree char *out = NULL;
	g_autofree char *json = NULL;

	world_settle(bw->world);
	write_process(bw, 1, 0, "init");
	write_process(bw, 4711, 1, "bus --system");
	write_process(bw, 4720, 4711, "bus --system");
	write_process(bw, 4721, 4720, "helper \xff");
	write_process(bw, 4722, 4721, "its child");
	write_process(bw, 4800, 1, "somebody else");
	tree_write(bw->tree, "/proc/4721/status", "Name:\thelper\nUid:\t0\t4294967290\t0\t0\n");

	ck_assert_int_eq(bus_world_svcctl(bw, "list --unmanaged -o pid,command --no-header", &out, NULL), 0);
	ck_assert_msg(strstr(out, "4721 helper") != NULL && strstr(out, "4722 its child\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "bus") == NULL && strstr(out, "somebody") == NULL, "%s", out);
	ck_assert_int_eq(bus_world_svcctl(bw, "list --unmanaged --json", &json, NULL), 0);
	ck_assert_msg(strstr(json, "\"pid\":4721,\"uid\":4294967290,\"user\":null,\"names\":[]") != NULL, "%s", json);
}
END_TEST

START_TEST(conditions_are_json_with_all_that_is_known)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "conditions flag:* --json", &out, NULL), 0);
	ck_assert_msg(strstr(out, "\"verb\":\"conditions\",\"exit\":0,\"data\":[{\"condition\":\"flag:go\",\"level\":\"false\",") !=
			      NULL, "%s", out);
	ck_assert_msg(strstr(out, "\"waiting\":[\"shy\"],\"others\":[],\"instead\":\"flags set: stay\",\"why\":null}") != NULL,
		      "%s", out);
}
END_TEST

START_TEST(wait_is_json_also_when_it_was_in_vain)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "wait flag:go -t 0 --json", &out, NULL), 3);
	ck_assert_msg(strstr(out, "\"exit\":3,\"data\":{\"condition\":\"flag:go\",\"negated\":false,\"level\":\"false\",") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "\"error\":{\"code\":\"NotTrue\",") != NULL, "%s", out);
}
END_TEST

START_TEST(explain_names_the_false_term_and_what_to_do)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "explain shy", &out, NULL), 0);
	ck_assert_msg(g_str_has_prefix(out, "◐ shy is waiting for 1 condition.\n"), "%s", out);
	ck_assert_msg(strstr(out, "flag:go is false (/etc/svcd/services.d/shy.svc:4)") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "svcctl flag set go") != NULL, "%s", out);
}
END_TEST

START_TEST(explain_alone_tells_all_that_is_not_as_wanted_and_broken_files)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	diag_error(bw->diags, origin_new("/etc/svcd/services.d/x.svc", 7), "x", "unknown key Exce=; did you mean Exec=?");
	ck_assert_int_eq(bus_world_svcctl(bw, "explain", &out, NULL), 0);
	ck_assert_msg(strstr(out, "✗ broken failed") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "◐ shy is waiting") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "upper is") == NULL, "%s", out);
	ck_assert_msg(strstr(out, "\n/etc/svcd/services.d/x.svc:7: unknown key Exce=; did you mean Exec=?\n") != NULL, "%s",
		      out);
}
END_TEST

START_TEST(explain_alone_is_content_when_all_is_well)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autofree char *out = NULL;

	world_settle(bw->world);
	ck_assert_int_eq(bus_world_svcctl(bw, "explain", &out, NULL), 0);
	ck_assert_str_eq(out, "Everything is as wanted.\n");
}
END_TEST

typedef struct Followed {
	GString *text;
	const char *end; /* what the text ends with when it is complete */
} Followed;

static gboolean on_followed(gint fd, GIOCondition condition, gpointer data)
{
	char buffer[4096];
	const ssize_t n = read(fd, buffer, sizeof buffer);

	if (n > 0)
		g_string_append_len(((Followed *)data)->text, buffer, n);
	return n > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static bool is_followed(void *data)
{
	const Followed *followed = data;

	return g_str_has_suffix(followed->text->str, followed->end);
}

static void append_log(BusWorld *bw, const char *text)
{
	g_autofree char *path = tree_path(bw->tree, "/log/upper.log");
	FILE *file = fopen(path, "ae");

	ck_assert(file != NULL);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

/* Line by line, also when svc-logger begins a new file. */
START_TEST(log_follows_what_is_written)
{
	g_autoptr(BusWorld) bw = machine();
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *path = tree_path(bw->tree, "/log/upper.log");
	g_autofree char *older = tree_path(bw->tree, "/log/upper.log.1");
	g_autoptr(GSubprocess) process = NULL;
	Followed followed = { .text = text, .end = "third \\x1b[31mline\n" };
	int pipes[2];

	ck_assert_int_eq(pipe(pipes), 0);
	process = bus_world_svcctl_launch(bw, "log -f upper", pipes[1]);
	g_unix_fd_add(pipes[0], G_IO_IN | G_IO_HUP, on_followed, &followed);
	bus_world_run_until(is_followed, &followed, "the lines before");

	append_log(bw, "fourth ");
	append_log(bw, "line\n");
	followed.end = "fourth line\n";
	bus_world_run_until(is_followed, &followed, "a new line");

	ck_assert_int_eq(rename(path, older), 0);
	append_log(bw, "fifth line\n");
	followed.end = "fourth line\nfifth line\n";
	bus_world_run_until(is_followed, &followed, "a line of a new file");

	g_subprocess_force_exit(process);
	(void)close(pipes[0]);
}
END_TEST

/* --- on a terminal --- */

START_TEST(a_terminal_gets_colour_and_wrapped_lines)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *shown = bus_world_svcctl_terminal(bw, "list", "");

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
	g_autofree char *status = bus_world_svcctl_terminal(bw, "status upper", plain_environments[_i]);
	g_autofree char *explain = bus_world_svcctl_terminal(bw, "explain", plain_environments[_i]);

	ck_assert_msg(strchr(list, '\033') == NULL && strstr(list, "● ready") != NULL, "%s", list);
	ck_assert_msg(strchr(status, '\033') == NULL, "%s", status);
	ck_assert_msg(strchr(explain, '\033') == NULL, "%s", explain);
}
END_TEST

static const char *const all_looks[] = { "overview", "list --all", "status upper shy broken", "explain", "conditions" };

START_TEST(without_utf_8_only_ascii_is_shown)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *shown = bus_world_svcctl_terminal(bw, all_looks[_i], "LC_ALL=C");
	g_autofree char *asked_for = g_strconcat("--ascii ", all_looks[_i], NULL);
	g_autofree char *piped = NULL;

	(void)bus_world_svcctl(bw, asked_for, &piped, NULL); /* the status of some is 3 */
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

/* --- waiting --- */

/* A service whose process needs a while, and gets there. */
START_TEST(start_waits_until_it_is_ready)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	Run *run;

	bw->settles = false;
	run = bus_world_svcctl_begin(bw, "start odd");
	while (world_find(bw->world, "odd")->state != STATE_STARTING)
		g_main_context_iteration(NULL, TRUE);
	world_settle(bw->world);
	bus_world_tell(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, NULL), 0);
	ck_assert_msg(g_str_has_suffix(out, "odd started\n"), "%s", out);
}
END_TEST

START_TEST(start_tells_that_it_failed)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *err = NULL;
	Run *run;

	bw->settles = false;
	run = bus_world_svcctl_begin(bw, "start odd");
	while (world_find(bw->world, "odd")->state != STATE_STARTING)
		g_main_context_iteration(NULL, TRUE);
	world_start_fails(bw->world, "odd", "cannot execute /bin/odd: No such file or directory");
	world_gone(bw->world, "odd");
	bus_world_tell(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 1);
	ck_assert_msg(strstr(err, "odd did not start: ") && strstr(err, "cannot execute /bin/odd"), "%s", err);
	ck_assert_msg(strstr(err, "\n  svcctl explain odd\n") != NULL, "%s", err);
}
END_TEST

START_TEST(start_does_not_wait_if_it_is_told_so)
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
	bus_world_tell(bw);

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, NULL), 0);
	ck_assert_msg(g_str_has_suffix(out, "shy started\n"), "%s", out);
}
END_TEST

/* --- no svcd, or one that dies --- */

START_TEST(without_svcd_the_error_says_what_to_do)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autofree char *begin = g_strdup_printf("svcctl: svcd is not running: nobody listens on %s\n", bw->socket_path);

	ck_assert_int_eq(unlink(bw->socket_path), 0);
	ck_assert_int_eq(bus_world_svcctl(bw, "list", &out, &err), 9);
	ck_assert_str_eq(out, "");
	ck_assert_msg(g_str_has_prefix(err, begin), "%s", err);
	ck_assert_msg(strstr(err, "\n  Is svcd process 1?") != NULL, "%s", err);
}
END_TEST

START_TEST(an_svcd_that_does_not_answer_is_given_up)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(files, policy);
	g_autofree char *err = NULL;
	g_autofree char *begin = g_strdup_printf("svcctl: svcd does not answer on %s\n", bw->socket_path);

	ck_assert_int_eq(bus_world_svcctl(bw, "list -t 1", NULL, &err), 9);
	ck_assert_msg(g_str_has_prefix(err, begin), "%s", err);
}
END_TEST

/* Busy or being replaced: there is no answer yet, which is what wait is for. */
START_TEST(to_wait_for_an_svcd_that_does_not_answer_is_to_wait_in_vain)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(files, policy);
	g_autofree char *err = NULL;
	g_autofree char *out = NULL;
	g_autofree char *whole = g_strdup_printf("svcctl: service:base is still unknown (svcd does not answer on %s)\n"
						 "  svcctl explain base\n", bw->socket_path);

	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms", NULL, &err), 6);
	ck_assert_str_eq(err, whole);
	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms --json", &out, NULL), 6);
	ck_assert_msg(strstr(out, "\"level\":\"unknown\"") && strstr(out, "\"code\":\"TimedOut\""), "%s", out);
}
END_TEST

START_TEST(nobody_waits_for_an_svcd_that_is_not_there)
{
	g_autoptr(BusWorld) bw = machine();

	ck_assert_int_eq(unlink(bw->socket_path), 0);
	ck_assert_int_eq(bus_world_svcctl(bw, "wait base -t 200ms", NULL, NULL), 9);
}
END_TEST

/*
 * A manager of its own, in a process that ends when it is asked for something; afterwards this process takes the
 * socket over, as a new manager does.
 */
static Run *ask_one_that_dies(BusWorld *bw, const char *line)
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

START_TEST(a_question_is_asked_again_when_the_manager_dies)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(files, policy);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	Run *run = ask_one_that_dies(bw, "overview");

	ck_assert_int_eq(bus_world_svcctl_end(run, &out, &err), 0);
	ck_assert_str_eq(err, "");
	ck_assert_msg(strstr(out, "6 services") != NULL, "%s", out);
}
END_TEST

START_TEST(a_change_is_not_repeated_when_the_manager_dies)
{
	g_autoptr(BusWorld) bw = bus_world_new_silent(files, policy);
	g_autofree char *err = NULL;
	Run *run = ask_one_that_dies(bw, "start odd");

	ck_assert_int_eq(bus_world_svcctl_end(run, NULL, &err), 9);
	ck_assert_str_eq(err, "svcctl: svcd was replaced while it was asked; whether it did it is not known\n"
			      "  svcctl status odd\n");
	ck_assert_int_eq(world_find(bw->world, "odd")->admin, ADMIN_NONE);
}
END_TEST

/* --- files --- */

START_TEST(check_finds_mistakes_below_a_root)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("check --root %s", bw->tree->root);
	g_autofree char *good = NULL;
	g_autofree char *bad = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &good, NULL), 0);
	ck_assert_str_eq(good, "1 service, 0 errors, 0 warnings\n");

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/b.svc", "[Service]\nExce=/bin/b\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &bad, NULL), 10);
	ck_assert_msg(strstr(bad, SVCD_SYSCONFDIR "/services.d/b.svc:2: ") != NULL, "%s", bad);
}
END_TEST

/* One after the other, in one tree; each with " --root TREE" behind it. */
static const Typed policy_lines[] = {
	{ "policy log", 0, "svcctl has changed nothing yet\n", "" },
	{ "policy web", 0, "web: on-demand (built-in: nobody names it), no runlevel starts it\n", "" },
	{ "enable web --dry-run", 0,
	  "web: on-demand -> boot in 2\n"
	  "  Starts     web\n"
	  "  Told of a boot into the default runlevel in which no device and no network is missing\n"
	  "  Nothing was written: --dry-run\n",
	  "" },
	{ "diff", 0, "nothing differs from what the vendor says\n", "" },
	{ "enable web", 0, "web: on-demand -> boot in 2\n  Written as step 1 (undo: svcctl policy undo 1)\n", "" },
	{ "enable web", 0, "web: boot in 2\n  Nothing to change: the files say so already\n", "" },
	{ "policy", 0,
	  "runlevel 2; the machine boots into 2 (built-in)\n"
	  "NAME POLICY WHY                  VENDOR SAYS ORIGIN\n"
	  "web  boot   wanted in runlevel 2 on-demand   ROOT" SVCD_SYSCONFDIR
	  "/policy.d/90-svcctl.policy:6\n"
	  "1 more are named by nobody: svcctl policy --all\n",
	  "" },
	{ "disable web", 0,
	  "web: boot in 2 -> on-demand\n"
	  "  Still starts it: front (While=service:web)\n"
	  "  Still starts it: a call to org.example.Web on the bus\n"
	  "  To stop that as well: svcctl set web never\n"
	  "  Written as step 2 (undo: svcctl policy undo 2)\n",
	  "" },
	{ "set web sometimes", 2, "",
	  "svcctl: set: \"sometimes\" is not boot, on-demand, manual or never\n  svcctl set --help\n" },
	{ "set web never --runlevel 2", 2, "",
	  "svcctl: set: --runlevel goes with boot; no runlevel starts what is never\n  svcctl set --help\n" },
	{ "set web boot --runlevel 9", 2, "", "svcctl: there is no runlevel \"9\"\n  svcctl set --help\n" },
	{ "enable wep", 4, "", "svcctl: no file describes a service named wep\n  did you mean: web\n" },
	{ "override web Description", 2, "",
	  "svcctl: override: \"Description\" is not KEY=VALUE\n  svcctl override --help\n" },
	{ "policy undo x", 2, "", "svcctl: policy undo: \"x\" is no number of a step\n  svcctl policy --help\n" },
	{ "policy import", 2, "",
	  "svcctl: policy import: from where? svcctl policy import --sysv\n  svcctl policy --help\n" },
	{ "policy undo", 0, "the last step is undone\n  Written as step 3 (undo: svcctl policy undo 3)\n", "" },
	{ "runlevel 3 --dry-run", 0, "runlevel 3, from the one that the machine boots into\n  Stops      web\n", "" },
	{ "edit", 2, "", "svcctl: edit: a service, or --policy\n  svcctl edit --help\n" },
};

static char *hide_root(const BusWorld *bw, const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, bw->tree->root, -1);

	return g_strjoinv("ROOT", parts);
}

START_TEST(policy_is_read_and_changed_below_a_root)
{
	g_autoptr(BusWorld) bw = machine();

	tree_write(bw->tree, SVCD_LIBDIR "/services.d/web.svc", "[Service]\nExec=/bin/a\nBusName=org.example.Web\n");
	tree_write(bw->tree, SVCD_LIBDIR "/services.d/front.svc",
		   "[Service]\nExec=/bin/a\n[Conditions]\nWhile=service:web\n");
	for (size_t i = 0; i < G_N_ELEMENTS(policy_lines); i++) {
		g_autofree char *line = g_strdup_printf("%s --root %s", policy_lines[i].line, bw->tree->root);
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;
		const int code = bus_world_svcctl(bw, line, &out, &err);
		g_autofree char *shown = hide_root(bw, out);

		ck_assert_msg(code == policy_lines[i].code, "%s: exit %d\n%s%s", line, code, out, err);
		ck_assert_str_eq(shown, policy_lines[i].out);
		ck_assert_str_eq(err, policy_lines[i].err);
	}
}
END_TEST

START_TEST(check_looks_at_a_file_in_the_company_of_the_others)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *file = tree_path(bw->tree, "/new.svc");
	g_autofree char *line = g_strdup_printf("check --root %s %s", bw->tree->root, file);
	g_autofree char *good = NULL;
	g_autofree char *bad = NULL;
	g_autofree char *err = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(bw->tree, "/new.svc", "[Service]\nExec=/bin/new\n[Conditions]\nWhile=service:a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &good, NULL), 0);
	ck_assert_str_eq(good, "no mistakes found\n");

	tree_write(bw->tree, "/new.svc", "[Service]\nExec=/bin/new\n[Conditions]\nWhile=service:nosuch\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &bad, NULL), 10);
	ck_assert_msg(strstr(bad, "/new.svc:4: ") != NULL, "%s", bad);

	ck_assert_int_eq(bus_world_svcctl(bw, "check /nowhere/x.svc", NULL, &err), 4);
	ck_assert_msg(strstr(err, "cannot open /nowhere/x.svc: No such file or directory") != NULL, "%s", err);
}
END_TEST

START_TEST(cat_shows_each_setting_with_its_place)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("cat a --root %s", bw->tree->root);
	g_autofree char *out = NULL;

	tree_write(bw->tree, SVCD_LIBDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\nRestart=always\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc.d/x.conf", "[Service]\nRestart=no\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/x.policy", "[runlevel 2]\nActivate=a\n"
						      "[service a]\nIgnore=$net\nOnLapse=keep\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_msg(strstr(out, "Ignore=$net ") != NULL && strstr(out, "OnLapse=keep ") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "Exec=/bin/a ") != NULL && strstr(out, "a.svc:2\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "Restart=no ") != NULL && strstr(out, "a.svc.d/x.conf:2\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "Activation=boot ") != NULL && strstr(out, "x.policy:2\n") != NULL, "%s", out);
}
END_TEST

START_TEST(graph_prints_edges_of_a_runlevel)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("graph --edges --root %s", bw->tree->root);
	g_autofree char *line_2 = g_strdup_printf("%s --runlevel 2", line);
	g_autofree char *out = NULL;
	g_autofree char *out_2 = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/b.svc", "[Service]\nExec=/bin/b\n[Conditions]\nWhile=service:a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/c.svc", "[Service]\nExec=/bin/c\n[Conditions]\nAfter=b\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/x.policy", "[runlevel 2]\nActivate=b\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_str_eq(out, "a b\nb c\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line_2, &out_2, NULL), 0);
	ck_assert_str_eq(out_2, "a b\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl");
	TCase *lines = tcase_create("lines");
	TCase *explain = tcase_create("explain");
	TCase *terminal = tcase_create("terminal");
	TCase *waiting = tcase_create("waiting");
	TCase *reach = tcase_create("reach");
	TCase *offline = tcase_create("files");

	tcase_set_timeout(lines, 60);
	tcase_add_loop_test(lines, each_line_has_its_answer, 0, G_N_ELEMENTS(typed));
	tcase_add_loop_test(lines, each_line_has_its_answer_in_json, 0, G_N_ELEMENTS(typed));
	tcase_add_test(lines, json_is_heeded_behind_a_mistake);
	tcase_add_test(lines, the_overview_is_wrapped);
	tcase_add_test(lines, the_overview_of_a_boot_tells_how_far_it_is);
	tcase_add_loop_test(lines, each_verb_has_help, 0, G_N_ELEMENTS(verbs));
	suite_add_tcase(suite, lines);
	tcase_set_timeout(explain, 60);
	tcase_add_test(explain, log_follows_what_is_written);
	tcase_add_test(explain, status_shows_the_processes_as_a_tree);
	tcase_add_test(explain, what_the_bus_started_is_listed_without_cgroups_too);
	tcase_add_test(explain, conditions_are_json_with_all_that_is_known);
	tcase_add_test(explain, wait_is_json_also_when_it_was_in_vain);
	tcase_add_test(explain, explain_names_the_false_term_and_what_to_do);
	tcase_add_test(explain, explain_alone_tells_all_that_is_not_as_wanted_and_broken_files);
	tcase_add_test(explain, explain_alone_is_content_when_all_is_well);
	suite_add_tcase(suite, explain);
	tcase_set_timeout(terminal, 60);
	tcase_add_test(terminal, a_terminal_gets_colour_and_wrapped_lines);
	tcase_add_loop_test(terminal, a_terminal_that_wants_no_colour_gets_none, 0, G_N_ELEMENTS(plain_environments));
	tcase_add_loop_test(terminal, without_utf_8_only_ascii_is_shown, 0, G_N_ELEMENTS(all_looks));
	tcase_add_test(terminal, a_verb_may_be_shortened_on_a_terminal);
	suite_add_tcase(suite, terminal);
	tcase_set_timeout(waiting, 60);
	tcase_add_test(waiting, start_waits_until_it_is_ready);
	tcase_add_test(waiting, start_tells_that_it_failed);
	tcase_add_test(waiting, start_does_not_wait_if_it_is_told_so);
	tcase_add_test(waiting, start_with_wait_waits_for_conditions);
	suite_add_tcase(suite, waiting);
	tcase_set_timeout(reach, 60);
	tcase_add_test(reach, without_svcd_the_error_says_what_to_do);
	tcase_add_test(reach, an_svcd_that_does_not_answer_is_given_up);
	tcase_add_test(reach, to_wait_for_an_svcd_that_does_not_answer_is_to_wait_in_vain);
	tcase_add_test(reach, nobody_waits_for_an_svcd_that_is_not_there);
	tcase_add_test(reach, a_question_is_asked_again_when_the_manager_dies);
	tcase_add_test(reach, a_change_is_not_repeated_when_the_manager_dies);
	suite_add_tcase(suite, reach);
	tcase_set_timeout(offline, 60);
	tcase_add_test(offline, check_finds_mistakes_below_a_root);
	tcase_add_test(offline, policy_is_read_and_changed_below_a_root);
	tcase_add_test(offline, check_looks_at_a_file_in_the_company_of_the_others);
	tcase_add_test(offline, cat_shows_each_setting_with_its_place);
	tcase_add_test(offline, graph_prints_edges_of_a_runlevel);
	suite_add_tcase(suite, offline);
	return suite;
}
