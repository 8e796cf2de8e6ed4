/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl on the command line: output about services and conditions.
 */
#include "config.h"

#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boot/progress.h"
#include "tests/lib/suite.h"
#include "tests/lib/svcctl-world.h"

/* clang-format off */
static const Typed typed[] = {
	{ "", 0,
	  "svcd " PACKAGE_VERSION " · runlevel 2 · boot finished in 1.5 s, up LONG\n"
	  "  6 services: 2 up · 1 waiting · 1 off · 1 failed · 1 never\n"
	  "  the manager was replaced 2 times since the boot\n"
	  "\n"
	  "✗ broken: failed AGO: exit status 7\n"
	  "  svcctl explain broken\n",
	  "" },
	{ "boot", 0,
	  "The boot took 1.5 s: 2 of 4 services up, 1 failed.\n"
	  "  svcd       1.5 s\n"
	  "  Chain      base\n"
	  "             svcctl boot chain\n"
	  "  Failed     broken: svcctl explain broken\n",
	  "" },
	{ "list", 0,
	  "NAME   STATE     POLICY  PID DESCRIPTION                             WHY\n"
	  "base   ● ready   boot   4711 The ground that all the others stand on \n"
	  "broken ✗ failed  boot        broken                                  exit status 7\n"
	  "shy    ◇ waiting boot        shy                                     flag:go is false\n"
	  "upper  ● ready   boot   4711 upper                                   \n"
	  "Not shown: 1 off · 1 never (svcctl list --all)\n",
	  "" },
	{ "list --all --ascii --no-header -o name,state", 0,
	  "barred ! idle\nbase   * ready\nbroken X failed\nodd    - idle\nshy    . waiting\nupper  * ready\n", "" },
	{ "list --width 50 sh* base", 0,
	  "NAME STATE     POLICY  PID WHY\n"
	  "base ● ready   boot   4711 \n"
	  "shy  ◇ waiting boot        flag:go is false\n",
	  "" },
	{ "list --state failed -q", 0,
	  "NAME   STATE    POLICY PID DESCRIPTION WHY\nbroken ✗ failed boot       broken      exit status 7\n", "" },
	{ "status upper", 0,
	  "● upper - upper\n"
	  "  State      ready since AGO\n"
	  "  Policy     boot (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Reason     office rule 12\n"
	  "  Wanted     in the runlevel\n"
	  "  While      service:base is true\n"
	  "  Process    pid 4711\n"
	  "  File       /etc/svcd/services.d/upper.svc\n"
	  "  History    AGO: starting -> ready: it is ready\n"
	  "             AGO: waiting -> starting: service:base is true\n"
	  "             AGO: idle -> waiting: wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Last output (svcctl log upper)\n"
	  "    first line\n"
	  "    second line\n"
	  "    third \\x1b[31mline\n",
	  "" },
	{ "status shy", 3,
	  "◇ shy - shy\n"
	  "  State      waiting since AGO\n"
	  "  Policy     boot (/etc/svcd/policy.d/local.policy:2)\n"
	  "  Wanted     in the runlevel\n"
	  "  When       flag:go is false\n"
	  "  File       /etc/svcd/services.d/shy.svc\n"
	  "  History    AGO: idle -> waiting: wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2)\n",
	  "" },
	{ "status nosuch", 4, "", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "status uper", 4, "", "svcctl: there is no service \"uper\"\n  did you mean: upper\n" },
	{ "is up upper", 0, "ready\n", "" },
	{ "is ready upper base", 0, "ready\nready\n", "" },
	{ "is done upper", 3, "ready\n", "" },
	{ "is failed broken", 0, "failed\n", "" },
	{ "is up upper shy", 3, "ready\nwaiting\n", "" },
	{ "is blocked shy", 0, "waiting\n", "" },
	{ "is blocked odd", 3, "idle\n", "" },
	{ "is settled upper", 0, "ready\n", "" },
	{ "is enabled upper", 0, "boot\n", "" },
	{ "is enabled odd", 3, "on-demand\n", "" },
	{ "is never ba*", 3, "never\nboot\n", "" },
	{ "is wanted odd", 3, "no\n", "" },
	{ "is up -q upper", 0, "", "" },
	{ "is up upper nosuch", 4, "ready\n", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "is pink upper", 2, "",
	  "svcctl: is: \"pink\" is not a state of a service; the states are up, ready, done, failed, starting, stopping, waiting, backoff, idle, "
	  "blocked, settled, wanted, enabled, boot, on-demand, manual, never, healthy, unhealthy\n  svcctl is --help\n" },
	{ "status --properties upper -p Name,MainPid,Wanted,Dependents", 0, "Dependents=\nMainPid=4711\nName=upper\nWanted=yes\n", "" },
	{ "status --properties upper base -p State --property Type --value", 0, "ready\ndaemon\nready\ndaemon\n", "" },
	{ "status --properties base -p Dependents -p Desc*", 0, "Dependents=upper\nDescription=The ground that all the others stand on\n", "" },
	{ "status --properties shy -p Terms", 0, "Terms=When flag:go false '' /etc/svcd/services.d/shy.svc:4\n", "" },
	{ "status --properties b* -p Name", 0, "Name=barred\n\nName=base\n\nName=broken\n", "" },
	{ "status --properties -p Runlevel,Generation", 0, "Generation=2\nRunlevel=2\n", "" },
	{ "status --properties upper -p Nmae", 2, "", "svcctl: show: there is no property Nmae\n  svcctl status --properties --help\n" },
	{ "status --properties nosuch", 4, "", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "list --processes odd", 3, "", "svcctl: odd has no processes: it is idle\n  svcctl start odd\n" },
	{ "list --processes nosuch", 4, "", "svcctl: there is no service \"nosuch\"\n  svcctl list --all shows every service\n" },
	{ "complete -- list --st", 0, "--state\tonly services in this state\n", "" },
	{ "complete --shell bash -- stop b", 0, "base\n", "" },
	{ "complete --shell bash -- start b", 0, "broken\n", "" },
	{ "complete --shell zsh -- status b", 0,
	  "barred\tidle: barred\nbase\tready: The ground that all the others stand on\nbroken\tfailed: broken\n", "" },
	{ "complete --shell fish -- clear b", 0, "broken\tfailed: broken\n", "" },
	{ "complete --shell tcsh -- st", 2, "", "svcctl: --shell takes bash, zsh or fish, not \"tcsh\"\n  svcctl complete --help\n" },
	{ "complete -- help runle", 0, "runlevel\tshow or change the runlevel\n", "" },
	{ "complete --", 0, NULL, "" },
	{ "log upper", 0, "first line\nsecond line\nthird \\x1b[31mline\n", "" },
	{ "log upper -n 1", 0, "third \\x1b[31mline\n", "" },
	{ "log upper -N2", 0, "second line\nthird \\x1b[31mline\n", "" },
	{ "log base", 0, "base has written nothing\n", "" },
	{ "log ../../etc/passwd", 4, "", NULL },
	{ "log upper -n few", 2, "",
	  "svcctl: --lines takes a number or \"all\", not \"few\"\n  svcctl log --help\n" },
	{ "list --conditions -o condition,level,waiting,why", 0,
	  "CONDITION    LEVEL WAITING WHY\n"
	  "flag:go      false shy     flags set: stay\n"
	  "service:base true          base is ready\n",
	  "" },
	{ "list --conditions --level true -o condition --no-header", 0, "service:base\n", "" },
	{ "list --conditions flag:* -o condition,instead --no-header", 0, "flag:go   flags set: stay\n", "" },
	{ "list --conditions label:*", 0,
	  "no service uses such a condition; to check one: svcctl wait CONDITION --timeout 0\n", "" },
	{ "list --conditions --level high", 2, "",
	  "svcctl: --level takes true, false or unknown, not \"high\"\n  svcctl list --conditions --help\n" },
	{ "list --timers -o name,next_us,last_us,condition", 0,
	  "NAME     next_us   last_us CONDITION\n"
	  "backup 700000000 600000000 due:backup/daily\n"
	  "trim   900000000           due:trim/weekly\n",
	  "" },
	{ "list --timers t* -o left,condition --no-header", 0, "due  due:trim/weekly\n", "" },
	{ "list --timers x*", 0, "no service has a condition due:\n", "" },
	{ "list --unmanaged", 4, "",
	  "svcctl: there is no service \"dbus\"\n  svcctl list --all shows every service\n" },
	{ "list --unmanaged x*", 2, "",
	  "svcctl: list --unmanaged takes no PATTERN, --all or --state\n  svcctl list --help\n" },
	{ "list --state awake", 2, "",
	  "svcctl: there is no state \"awake\"; the states are ready, done, starting, stopping, backoff, waiting, failed, idle\n"
	  "  svcctl list --help\n" },
	{ "list -o shape", 2, "",
	  "svcctl: there is no column \"shape\"; the columns are: name, state, since_us, policy, policy_origin, policy_is_default, "
	  "in_runlevel, presence, pid, invocation, restarts, type, wanted, want_reason, wanted_by, admin, cause, result, "
	  "false_terms, ready_duration_us, problem, description, why\n  svcctl list --help\n" },
	{ "list zz*", 4, "", "svcctl: no service matches zz*\n  svcctl list --all shows every service\n" },
	{ "status zz*", 4, "", "svcctl: no service matches zz*\n  svcctl list --all shows every service\n" },
};
/* clang-format on */

START_TEST(the_overview_of_a_boot_shows_its_progress)
{
	g_autoptr(BusWorld) bw = bus_world_new("[Service]\nExec=/bin/d\nReady=notify\n", NULL);
	static const char known[] = "svcd-durations 1\nservice it 0 3000000+0\nend\n";
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *out = NULL;
	g_autofree char *json = NULL;
	JsonObject *data;

	/* svcctl uses the clock of the machine, so this test does not check the remaining time. */
	progress_know(world_engine(bw->world), durations_parse(known, strlen(known), NULL),
		      world_now(bw->world));

	ck_assert_int_eq(bus_world_svcctl(bw, "--width 200", &out, NULL), 0);
	ck_assert_msg(g_regex_match_simple("booting for [^,]+, [0-9]+ % done, about [^,]+ left\n",
					   out, 0, 0),
		      "%s", out);

	ck_assert_int_eq(bus_world_svcctl(bw, "status --json", &json, NULL), 0);
	data = json_object_get_object_member(parse_answer(parser, json), "data");
	ck_assert_double_ge(json_object_get_double_member(data, "boot_progress"), 0);
	ck_assert_double_lt(json_object_get_double_member(data, "boot_progress"), 1);
	ck_assert_int_gt(json_object_get_int_member(data, "boot_remaining_us"), 0);
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
	tree_write(bw->tree, "/cgroup/pids.max", "4915\n");
	tree_write(bw->tree, "/cgroup/pids.events", "max 3\n");
	tree_write(bw->tree, "/cgroup/cpu.stat", "usage_usec 1300000\nuser_usec 1\n");
	write_process(bw, 100, 1, "/bin/upper -D");
	write_process(bw, 101, 100, "worker \033[2J");
	write_process(bw, 102, 101, "grandchild");
	write_process(bw, 103, 9999, "stray");
	write_process(bw, 104, 100, "");

	ck_assert_int_eq(bus_world_svcctl(bw, "status upper", &out, NULL), 0);
	ck_assert_msg(strstr(out, "  Process    pid 4711, 5 tasks of 4915, 1.5 MiB, cpu 1.3 s\n") !=
			      NULL,
		      "%s", out);
	ck_assert_msg(strstr(out,
			     "  Limits     it has reached its limit of 4915 processes and threads "
			     "(TasksMax=)\n") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "             ├─ 100 /bin/upper -D\n"
				  "                ├─ 104 [a) b]\n"
				  "                └─ 101 worker \\x1b[2J\n"
				  "                   └─ 102 grandchild\n"
				  "             └─ 103 stray\n") != NULL,
		      "%s", out);
	ck_assert_int_eq(bus_world_svcctl(bw, "status upper --json", &json, NULL), 0);
	ck_assert_msg(strstr(json, "{\"pid\":102,\"parent\":101,\"command\":\"grandchild\"}") !=
			      NULL,
		      "%s", json);
}
END_TEST

START_TEST(ps_lists_what_is_in_the_cgroups)
{
	g_autoptr(BusWorld) bw = bus_world_new("== web\n[Service]\nExec=/bin/web\n", NULL);
	g_autofree char *out = NULL;
	g_autofree char *json = NULL;

	world_settle(bw->world);
	bw->cgroup = tree_path(bw->tree, "/cgroup");
	tree_write(bw->tree, "/cgroup/cgroup.procs", "100\n101\n");
	write_process(bw, 100, 1, "/bin/web -D");
	write_process(bw, 101, 100, "worker");
	tree_write(bw->tree, "/proc/101/stat",
		   "101 (w) S 100 1 1 0 0 0 0 0 0 0 150 50 0 0 0 0 0 0 3 0 512");
	tree_write(bw->tree, "/proc/101/status", "Name:\tw\nUid:\t0\t4294967290\t0\t0\n");
	tree_write(bw->tree, "/proc/101/smaps_rollup",
		   "0-1 ---p 0 0:0 0 [rollup]\nRss: 9 kB\nPss:    1536 kB\n");

	ck_assert_int_eq(bus_world_svcctl(bw, "list --processes", &out, NULL), 0);
	ck_assert_msg(g_regex_match_simple("^SERVICE PID +USER .*COMMAND\n"
					   "web +100 .* └─ /bin/web -D\n"
					   "web +101 4294967290 .* 2\\.0 s 2\\.0 MiB +└─ worker\n$",
					   out, 0, 0),
		      "%s", out);
	ck_assert_int_eq(
		bus_world_svcctl(bw, "list --processes web --json -o pss_bytes", &json, NULL), 0);
	ck_assert_msg(
		strstr(json,
		       "\"cpu_us\":2000000,\"rss_bytes\":2097152,\"pss_bytes\":1572864,\"command\":\"worker\"") !=
			NULL,
		"%s", json);
}
END_TEST

START_TEST(ps_reports_what_is_unknown_without_cgroups)
{
	g_autoptr(BusWorld) bw = bus_world_new("== web\n[Service]\nExec=/bin/web\n", NULL);
	g_autofree char *out = NULL;

	world_settle(bw->world);
	write_process(bw, 4711, 1, "/bin/web -D");
	ck_assert_int_eq(bus_world_svcctl(bw, "list --processes", &out, NULL), 0);
	ck_assert_msg(strstr(out, "4711") &&
			      g_str_has_suffix(
				      out, "\nwithout cgroup v2 only main processes are known\n"),
		      "%s", out);
}
END_TEST

/*
 * Without cgroups the parents identify what the bus started. The forks of the bus daemon itself are
 * not listed.
 */
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

	ck_assert_int_eq(
		bus_world_svcctl(bw, "list --unmanaged -o pid,command --no-header", &out, NULL), 0);
	ck_assert_msg(strstr(out, "4721 helper") != NULL && strstr(out, "4722 its child\n") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "bus") == NULL && strstr(out, "somebody") == NULL, "%s", out);
	ck_assert_int_eq(bus_world_svcctl(bw, "list --unmanaged --json", &json, NULL), 0);
	ck_assert_msg(strstr(json, "\"pid\":4721,\"uid\":4294967290,\"user\":null,\"names\":[]") !=
			      NULL,
		      "%s", json);
}
END_TEST

START_TEST(conditions_are_json_with_all_that_is_known)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "list --conditions flag:* --json", &out, NULL), 0);
	ck_assert_msg(
		strstr(out,
		       "\"verb\":\"conditions\",\"exit\":0,\"data\":[{\"condition\":\"flag:go\",\"level\":\"false\",") !=
			NULL,
		"%s", out);
	ck_assert_msg(strstr(out, "\"waiting\":[\"shy\"],\"others\":[],\"instead\":\"flags set: "
				  "stay\",\"why\":null}") != NULL,
		      "%s", out);
}
END_TEST

START_TEST(wait_prints_json_even_after_a_timeout)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "wait flag:go -t 0 --json", &out, NULL), 3);
	ck_assert_msg(
		strstr(out,
		       "\"exit\":3,\"data\":{\"condition\":\"flag:go\",\"negated\":false,\"level\":\"false\",") !=
			NULL,
		"%s", out);
	ck_assert_msg(strstr(out, "\"error\":{\"code\":\"NotTrue\",") != NULL, "%s", out);
}
END_TEST

START_TEST(explain_names_the_false_term_and_what_to_do)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	ck_assert_int_eq(bus_world_svcctl(bw, "explain shy", &out, NULL), 0);
	ck_assert_msg(g_str_has_prefix(out, "◇ shy is waiting for 1 condition.\n"), "%s", out);
	ck_assert_msg(strstr(out, "flag:go is false (/etc/svcd/services.d/shy.svc:4)") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "svcctl flag set go") != NULL, "%s", out);
}
END_TEST

START_TEST(explain_without_arguments_lists_unmet_policy_and_broken_files)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *out = NULL;

	diag_error(bw->diags, origin_new("/etc/svcd/services.d/x.svc", 7), "x",
		   "unknown key Exce=; did you mean Exec=?");
	ck_assert_int_eq(bus_world_svcctl(bw, "explain", &out, NULL), 0);
	ck_assert_msg(strstr(out, "✗ broken failed") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "◇ shy is waiting") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "upper is") == NULL, "%s", out);
	ck_assert_msg(strstr(out, "\n/etc/svcd/services.d/x.svc:7: unknown key Exce=; did you mean "
				  "Exec=?\n") != NULL,
		      "%s", out);
}
END_TEST

START_TEST(explain_alone_is_content_when_all_is_well)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autofree char *out = NULL;

	world_settle(bw->world);
	ck_assert_int_eq(bus_world_svcctl(bw, "explain", &out, NULL), 0);
	ck_assert_str_eq(
		out, "All services are in the wanted state, and no file has errors or warnings.\n");
}
END_TEST

typedef struct Followed {
	GString *text;
	const char *end; /* the end of the complete text */
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

/* Lines are followed one by one, also when svc-logger starts a new file. */
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

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl_look");

	suite_add_typed(suite, typed, G_N_ELEMENTS(typed));
	ADD_CASE(suite, "lines", the_overview_of_a_boot_shows_its_progress);
	ADD_CASE(suite, "explain", log_follows_what_is_written,
		 status_shows_the_processes_as_a_tree, ps_lists_what_is_in_the_cgroups,
		 ps_reports_what_is_unknown_without_cgroups,
		 what_the_bus_started_is_listed_without_cgroups_too,
		 conditions_are_json_with_all_that_is_known, wait_prints_json_even_after_a_timeout,
		 explain_names_the_false_term_and_what_to_do,
		 explain_without_arguments_lists_unmet_policy_and_broken_files,
		 explain_alone_is_content_when_all_is_well);
	return suite;
}
