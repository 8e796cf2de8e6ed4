/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of [Service]: its type, its commands, its restarts.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "import-unit/command.h"
#include "import-unit/draft.h"

static const char *last(const Draft *draft, const char *key)
{
	return unit_file_last(draft->unit, "Service", key);
}

static bool is_oneshot(const Draft *draft)
{
	const char *type = last(draft, "Type");

	return type ? strcmp(type, "oneshot") == 0 :
		      !last(draft, "ExecStart") && last(draft, "ExecStop");
}

static bool is_yes(const char *value)
{
	bool is_on = false;

	return value && token_parse_bool(value, &is_on) && is_on;
}

/* Up without a process, like systemd's active (exited). */
static bool is_task(const Draft *draft)
{
	return is_oneshot(draft) || is_yes(last(draft, "RemainAfterExit"));
}

/* --- the type --- */

static const struct {
	const char *type;
	const char *ready; /* NULL: the default */
	const char *note;
} types[] = {
	{ "exec", NULL, NULL },
	{ "forking", "fork", NULL },
	{ "idle", NULL, "the service does not wait until the rest of the boot is quiet" },
	{ "notify", "notify", NULL },
	{ "notify-reload", "notify", NULL },
	{ "simple", NULL, NULL },
};

static void make_bus_service(Draft *draft, const UnitLine *line, const char *bus_name)
{
	g_autofree char *ready = g_strconcat("dbus:", bus_name, NULL);

	draft_set(draft, "Conditions", "While", "service:dbus");
	draft_translate(draft, line, "Service", "Ready", ready, "and While=service:dbus");
}

static void rule_type(Draft *draft, const UnitLine *line)
{
	const char *bus_name = last(draft, "BusName");

	if (is_task(draft)) {
		draft_translate(draft, line, "Service", "Type", "task",
				is_oneshot(draft) ? NULL : "RemainAfterExit: up without a process");
		return;
	}
	if (strcmp(line->value, "dbus") == 0 && bus_name) {
		make_bus_service(draft, line, bus_name);
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
		if (strcmp(types[i].type, line->value) != 0)
			continue;
		if (strcmp(line->value, "notify-reload") == 0 && !last(draft, "ExecReload") &&
		    !last(draft, "ReloadSignal"))
			draft_set(draft, "Service", "Reload", "signal:HUP");
		if (types[i].ready)
			draft_translate(draft, line, "Service", "Ready", types[i].ready,
					types[i].note);
		else
			draft_imply(draft, line,
				    types[i].note ?
					    types[i].note :
					    "the service is up as soon as its program is executed");
		return;
	}
	draft_lose(draft, line,
		   strcmp(line->value, "dbus") == 0 ?
			   "BusName= is missing; imported like Type=exec" :
			   "svcd has no such type; imported like Type=exec");
}

/* With BusName= and without Type= the type is dbus (systemd.service(5)). */
static void rule_bus_name(Draft *draft, const UnitLine *line)
{
	const char *type = last(draft, "Type");

	if (!type && !is_task(draft))
		make_bus_service(draft, line, line->value);
	else if (!type || strcmp(type, "dbus") == 0)
		draft_imply(draft, line, "Ready=dbus: contains this name");
	else
		draft_translate(draft, line, "Service", "BusName", line->value, NULL);
}

static void rule_remain(Draft *draft, const UnitLine *line)
{
	if (is_yes(line->value) && !is_oneshot(draft))
		draft_translate(draft, line, "Service", "Type", "task", "up without a process");
	else
		draft_imply(draft, line, "a task that has succeeded is done, and stays so");
}

/* --- commands --- */

/* The note for a command whose own privileges or name cannot be converted; NULL: they can. */
static const char *remark_on(const Draft *draft, const UnitCommand *command)
{
	if (command->is_privileged && last(draft, "User"))
		return "the command runs as User=, without the privileges that + or ! gave it";
	if (command->has_other_name)
		return "argv[0] is the path of the program";
	return NULL;
}

/*
 * A program without a path is looked up as systemd does. If it is not installed here, env(1) looks
 * it up when the service starts.
 */
static void find_program(UnitCommand *command)
{
	static const char *const directories[] = { "/usr/sbin", "/usr/bin", "/usr/local/sbin",
						   "/usr/local/bin" };
	const char *name = g_ptr_array_index(command->tokens, 0);

	if (strchr(name, '/'))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		g_autofree char *path = g_build_filename(directories[i], name, NULL);

		if (!g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
			continue;
		g_free(command->tokens->pdata[0]);
		command->tokens->pdata[0] = g_steal_pointer(&path);
		return;
	}
	g_ptr_array_insert(command->tokens, 0, g_strdup("/usr/bin/env"));
}

static GPtrArray *read_commands(const UnitLine *line, char **ret_problem)
{
	GPtrArray *commands = unit_command_parse(line->value, ret_problem);

	for (guint i = 0; commands && i < commands->len; i++)
		find_program(g_ptr_array_index(commands, i));
	return commands;
}

static GPtrArray *parse_commands(Draft *draft, const UnitLine *line)
{
	g_autofree char *problem = NULL;
	GPtrArray *commands = read_commands(line, &problem);

	if (!commands)
		draft_lose(draft, line, problem);
	return commands;
}

static void add_command(Draft *draft, const UnitLine *line, const char *key,
			const UnitCommand *command, bool marks)
{
	g_autofree char *written = unit_command_write(command);
	g_autofree char *value = g_strconcat(marks && command->may_fail ? "-" : "", written, NULL);

	draft_translate(draft, line, "Service", key, value, remark_on(draft, command));
}

static void rule_prepare(Draft *draft, const UnitLine *line)
{
	g_autoptr(GPtrArray) commands = parse_commands(draft, line);

	for (guint i = 0; commands && i < commands->len; i++)
		add_command(draft, line, "Prepare", g_ptr_array_index(commands, i), true);
}

static void rule_cleanup(Draft *draft, const UnitLine *line)
{
	g_autoptr(GPtrArray) commands = parse_commands(draft, line);

	for (guint i = 0; commands && i < commands->len; i++)
		add_command(draft, line, "Cleanup", g_ptr_array_index(commands, i), true);
}

static bool is_last_exec(const Draft *draft, const UnitLine *line)
{
	const UnitLine *found = NULL;

	for (guint i = 0; i < draft->unit->len; i++) {
		const UnitLine *other = g_ptr_array_index(draft->unit, i);

		if (strcmp(other->key, "ExecStart") == 0)
			found = other;
	}
	return found == line;
}

/* The service waits for its own program, so a program that is not installed causes no failure. */
static void wait_for_program(Draft *draft, const UnitCommand *command)
{
	const char *program = g_ptr_array_index(command->tokens, 0);
	g_autofree char *term = g_strconcat("path:exec:", program, NULL);

	if (*program == '/' && !strpbrk(program, " \"'\\%"))
		draft_set(draft, "Conditions", "When", term);
}

/*
 * The last of several commands is the service, and the earlier ones prepare it. A task runs all of
 * them in order.
 */
static void rule_exec(Draft *draft, const UnitLine *line)
{
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) commands = read_commands(line, &problem);
	const bool is_last = is_last_exec(draft, line);

	/* An error, because without this command the service would differ from the unit. */
	if (!commands)
		diag_error(draft->import->diags, line->origin, NULL, "ExecStart=%s: %s",
			   line->value, problem);
	for (guint i = 0; commands && i < commands->len; i++) {
		const UnitCommand *command = g_ptr_array_index(commands, i);
		const bool is_exec = is_last && i + 1 == commands->len;

		add_command(draft, line, is_exec ? "Exec" : "Prepare", command, !is_exec);
		wait_for_program(draft, command);
		if (is_exec && command->may_fail)
			draft_translate(
				draft, line, "Service", "SuccessStatus",
				"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 64 65 66 69 70 71 75 77 "
				"78 126 127 255",
				"\"-\": every exit status is a success");
	}
}

static bool is_kill(const UnitCommand *command)
{
	const char *program = g_ptr_array_index(command->tokens, 0);

	return (strcmp(program, "/bin/kill") == 0 || strcmp(program, "/usr/bin/kill") == 0) &&
	       command->tokens->len == 4 &&
	       strcmp(g_ptr_array_index(command->tokens, 2), "$MAINPID") == 0;
}

/*
 * The signal's name for "/bin/kill -s HUP $MAINPID" or "kill -HUP $MAINPID"; NULL: another command.
 */
static const char *signal_sent_by(const GPtrArray *commands)
{
	const UnitCommand *command = commands->len == 1 ? g_ptr_array_index(commands, 0) : NULL;
	const char *token = command && is_kill(command) ? g_ptr_array_index(command->tokens, 1) :
							  NULL;
	int number;

	return token && *token == '-' && text_parse_signal(token + 1, &number) ?
		       text_signal_name(number) :
		       NULL;
}

/* All lines of @key, as one command. */
static GPtrArray *all_commands(const Draft *draft, const char *key, char **ret_problem)
{
	g_autoptr(GString) all = g_string_new(NULL);
	GPtrArray *commands;

	for (guint i = 0; i < draft->unit->len; i++) {
		const UnitLine *line = g_ptr_array_index(draft->unit, i);

		if (strcmp(line->key, key) == 0)
			g_string_append_printf(all, "%s%s", all->len > 0 ? " ; " : "", line->value);
	}
	commands = unit_command_parse(all->str, ret_problem);
	for (guint i = 0; commands && i < commands->len; i++)
		find_program(g_ptr_array_index(commands, i));
	return commands;
}

static void set_action(Draft *draft, const UnitLine *line, const char *key)
{
	g_autofree char *problem = NULL;
	g_autoptr(GPtrArray) commands = all_commands(draft, line->key, &problem);
	const char *signal = commands ? signal_sent_by(commands) : NULL;
	g_autofree char *by_signal = g_strconcat("signal:", signal ? signal : "", NULL);
	g_autofree char *by_command = commands ? unit_command_write_all(commands) : NULL;

	if (by_command)
		draft_translate(draft, line, "Service", key, signal ? by_signal : by_command, NULL);
	else
		draft_lose(draft, line, problem);
}

static void rule_reload(Draft *draft, const UnitLine *line)
{
	set_action(draft, line, "Reload");
}

static void rule_reload_signal(Draft *draft, const UnitLine *line)
{
	const char *type = last(draft, "Type");
	g_autofree char *value = g_strconcat("signal:", line->value, NULL);

	if (!type || strcmp(type, "notify-reload") != 0 || last(draft, "ExecReload"))
		draft_imply(draft, line,
			    "used only with Type=notify-reload and without ExecReload=");
	else
		draft_translate(draft, line, "Service", "Reload", value, NULL);
}

static void rule_stop(Draft *draft, const UnitLine *line)
{
	set_action(draft, line, "Stop");
}

static void rule_kill_signal(Draft *draft, const UnitLine *line)
{
	g_autofree char *value = g_strconcat("signal:", line->value, NULL);

	if (last(draft, "ExecStop"))
		draft_lose(draft, line,
			   "processes that the stop command leaves running get SIGTERM, and then "
			   "FinalKillSignal");
	else
		draft_translate(draft, line, "Service", "Stop", value, NULL);
}

/* --- restart and time limits --- */

static const struct {
	const char *restart;
	const char *ours;
	const char *note;
} restarts[] = {
	{ "no", "no", NULL },
	{ "on-failure", "on-failure", NULL },
	{ "always", "always", NULL },
	{ "on-success", "always", "also restarts after a failure" },
	{ "on-abnormal", "on-failure", "also restarts after a nonzero exit status" },
	{ "on-abort", "on-failure", "restarts after every failure" },
	{ "on-watchdog", "on-failure", "restarts after every failure" },
};

static void rule_restart(Draft *draft, const UnitLine *line)
{
	for (size_t i = 0; i < G_N_ELEMENTS(restarts); i++) {
		if (strcmp(restarts[i].restart, line->value) != 0)
			continue;
		if (is_oneshot(draft) && strcmp(restarts[i].ours, "always") == 0)
			draft_translate(draft, line, "Service", "Restart", "on-failure",
					"a task that succeeds is not restarted");
		else
			draft_translate(draft, line, "Service", "Restart", restarts[i].ours,
					restarts[i].note);
		return;
	}
	draft_lose(draft, line, "svcd supports only no, on-failure and always");
}

static bool is_endless(const char *value)
{
	int64_t us;

	return strcmp(value, "infinity") == 0 || (text_parse_duration(value, &us) && us == 0);
}

static void set_time(Draft *draft, const UnitLine *line, const char *key)
{
	int64_t us;

	if (is_endless(line->value))
		draft_translate(draft, line, "Service", key, "1h", "every wait needs a limit");
	else if (text_parse_duration(line->value, &us))
		draft_translate(draft, line, "Service", key, line->value, NULL);
	else
		draft_lose(draft, line, "write a time such as 200ms, 5s or 1min 30s");
}

static void rule_start_time(Draft *draft, const UnitLine *line)
{
	set_time(draft, line, "StartTimeout");
}

static void rule_stop_time(Draft *draft, const UnitLine *line)
{
	set_time(draft, line, "StopTimeout");
}

static void rule_both_times(Draft *draft, const UnitLine *line)
{
	set_time(draft, line, "StartTimeout");
	set_time(draft, line, "StopTimeout");
}

static void rule_restart_delay(Draft *draft, const UnitLine *line)
{
	int64_t us;

	if (text_parse_duration(line->value, &us))
		draft_translate(draft, line, "Service", "RestartDelay", line->value,
				"the first delay; each further delay doubles");
	else
		draft_lose(draft, line, "write a time such as 200ms or 5s");
}

static void rule_watchdog(Draft *draft, const UnitLine *line)
{
	if (is_endless(line->value))
		draft_imply(draft, line, "no watchdog");
	else
		import_as(draft, line, "WatchdogTimeout", line->value);
}

static void rule_success_status(Draft *draft, const UnitLine *line)
{
	g_auto(GStrv) tokens = g_strsplit_set(line->value, " \t", -1);
	g_autoptr(GString) numbers = g_string_new(NULL);
	bool is_lost = false;

	for (char **token = tokens; *token; token++) {
		uint64_t status;

		if (text_parse_uint(*token, 10, 255, &status))
			g_string_append_printf(numbers, "%s%s", numbers->len > 0 ? " " : "",
					       *token);
		else
			is_lost = is_lost || **token;
	}
	if (numbers->len > 0)
		draft_translate(draft, line, "Service", "SuccessStatus", numbers->str,
				is_lost ? "SuccessStatus takes only numbers" : NULL);
	else if (is_lost)
		draft_lose(draft, line,
			   "SuccessStatus takes numbers; an end by the stop signal is always a "
			   "success");
}

static void rule_kill_mode(Draft *draft, const UnitLine *line)
{
	if (strcmp(line->value, "mixed") == 0)
		draft_imply(draft, line, "every process gets the signal, not only the main one");
	else if (strcmp(line->value, "none") == 0)
		draft_translate(draft, line, "Service", "KillMode", "process",
				"the main process is stopped, the others are not");
	else
		import_same(draft, line);
}

static void rule_pid_file(Draft *draft, const UnitLine *line)
{
	const char *path = line->value;
	g_autofree char *absolute = g_strconcat(*path == '/' ? "" : "/run/", path, NULL);

	/* /var/run is a link to /run, and may not exist yet. */
	draft_translate(draft, line, "Service", "PidFile",
			g_str_has_prefix(absolute, "/var/run/") ? absolute + strlen("/var") :
								  absolute,
			NULL);
}

static void rule_directory(Draft *draft, const UnitLine *line)
{
	if (strcmp(line->value, "~") == 0)
		draft_lose(draft, line, "write the path of the user's home");
	else
		import_as(draft, line, line->key, line->value + (*line->value == '-'));
}

/* "A=b" and "A=b c" in systemd's quotes become svcd's. */
static void rule_environment(Draft *draft, const UnitLine *line)
{
	g_autofree char *problem = NULL;
	g_auto(GStrv) tokens = unit_split_tokens(line->value, &problem);
	g_autofree char *joined = tokens ? text_join_tokens((const char *const *)tokens) : NULL;

	if (joined)
		draft_translate(draft, line, "Service", "Environment", joined, NULL);
	else
		draft_lose(draft, line, problem);
}

static void rule_dynamic_user(Draft *draft, const UnitLine *line)
{
	bool is_dynamic = true;

	if (token_parse_bool(line->value, &is_dynamic) && !is_dynamic)
		draft_imply(draft, line, "svcd creates no users");
	else
		draft_lose(draft, line,
			   "the service would run as root: create a user, and write User=");
}

/* In systemd the output goes to the journal. Here it goes through a socket to the log. */
static void rule_output(Draft *draft, const UnitLine *line)
{
	if (strcmp(line->value, "null") == 0 || strchr(line->value, ':') ||
	    strcmp(line->value, "socket") == 0)
		draft_lose(draft, line, "\"svcctl log\" shows its output");
	else
		draft_imply(draft, line, "\"svcctl log\" shows its output");
}

static void rule_input(Draft *draft, const UnitLine *line)
{
	if (g_str_has_prefix(line->value, "tty") && !last(draft, "TTYPath"))
		draft_translate(draft, line, "Service", "TTYPath", "/dev/console", NULL);
	else if (g_str_has_prefix(line->value, "tty") || strcmp(line->value, "null") == 0)
		draft_imply(draft, line, "standard input is the terminal of TTYPath, or /dev/null");
	else
		import_same(draft, line);
}

#define OWN_CGROUP "every service has its own cgroup, directly below svcd's"

/* clang-format off */
const ImportRow import_rows_service[] = {
	{ "BusName", rule_bus_name, 0, NULL },
	{ "DynamicUser", rule_dynamic_user, 0, NULL },
	{ "Environment", rule_environment, 0, NULL },
	{ "ExecReload", rule_reload, 0, NULL },
	{ "ExecStart", rule_exec, 0, NULL },
	{ "ExecStartPre", rule_prepare, 0, NULL },
	{ "ExecStop", rule_stop, 0, NULL },
	{ "ExecStopPost", rule_cleanup, 0, NULL },
	{ "FinalKillSignal", import_same, 0, NULL },
	{ "KillMode", rule_kill_mode, 0, NULL },
	{ "KillSignal", rule_kill_signal, 0, NULL },
	{ "PIDFile", rule_pid_file, 0, NULL },
	{ "RemainAfterExit", rule_remain, 0, NULL },
	{ "Restart", rule_restart, 0, NULL },
	{ "RestartSec", rule_restart_delay, 0, NULL },
	{ "StandardError", rule_output, 0, NULL },
	{ "StandardInput", rule_input, 0, NULL },
	{ "StandardOutput", rule_output, 0, NULL },
	{ "StartLimitBurst", NULL, IMPORT_LOST, "the key belongs in [Unit]; write RestartLimit=STARTS/TIME" },
	{ "StartLimitInterval", NULL, IMPORT_LOST, "the key belongs in [Unit]; write RestartLimit=STARTS/TIME" },
	{ "SuccessExitStatus", rule_success_status, 0, NULL },
	{ "TimeoutSec", rule_both_times, 0, NULL },
	{ "TimeoutStartSec", rule_start_time, 0, NULL },
	{ "TimeoutStopSec", rule_stop_time, 0, NULL },
	{ "Type", rule_type, 0, NULL },
	{ "WatchdogSec", rule_watchdog, 0, NULL },
	{ "WorkingDirectory", rule_directory, 0, NULL },
	{ "BlockIOAccounting", NULL, IMPORT_IMPLIED, "usage is always counted where that is possible" },
	{ "CPUAccounting", NULL, IMPORT_IMPLIED, "usage is always counted where that is possible" },
	{ "Delegate", NULL, IMPORT_IMPLIED, "a service may make cgroups below its own, and they are killed with it" },
	{ "ExecCondition", NULL, IMPORT_LOST, "write a condition, or Prepare=, whose failure makes the start fail" },
	{ "ExecStartPost", NULL, IMPORT_LOST, "write a task with When=service:NAME, which runs afterwards" },
	{ "FileDescriptorStoreMax", NULL, IMPORT_LOST, "the service gets none of its descriptors back after a restart" },
	{ "GuessMainPID", NULL, IMPORT_IMPLIED, "the main process is known, or named by PidFile" },
	{ "IOAccounting", NULL, IMPORT_IMPLIED, "usage is always counted where that is possible" },
	{ "LogLevelMax", NULL, IMPORT_LOST, "all that it writes is logged" },
	{ "LogRateLimitBurst", NULL, IMPORT_IMPLIED, "the log of the service has its own limit" },
	{ "LogRateLimitIntervalSec", NULL, IMPORT_IMPLIED, "the log of the service has its own limit" },
	{ "MemoryAccounting", NULL, IMPORT_IMPLIED, "usage is always counted where that is possible" },
	{ "NonBlocking", NULL, IMPORT_LOST, "its sockets are passed unchanged" },
	{ "NotifyAccess", NULL, IMPORT_IMPLIED, "every process of the service may notify, and no other" },
	{ "OOMPolicy", NULL, IMPORT_LOST, "the service is down when its main process has ended" },
	{ "PAMName", NULL, IMPORT_LOST, "svcd opens no PAM session" },
	{ "PassEnvironment", NULL, IMPORT_LOST, "the environment comes only from the service file" },
	{ "PermissionsStartOnly", NULL, IMPORT_LOST, "all its commands run as User=" },
	{ "ReloadSignal", rule_reload_signal, 0, NULL },
	{ "RestartForceExitStatus", NULL, IMPORT_LOST, "Restart= decides" },
	{ "RestartKillSignal", NULL, IMPORT_LOST, "a restart uses the signal of a stop" },
	{ "RestartMaxDelaySec", NULL, IMPORT_LOST, "write RestartDelayMax" },
	{ "RestartPreventExitStatus", NULL, IMPORT_LOST, "Restart= decides" },
	{ "RestartSteps", NULL, IMPORT_IMPLIED, "each wait is twice the one before" },
	{ "RootDirectoryStartOnly", NULL, IMPORT_LOST, "all its commands run in the same root" },
	{ "RuntimeMaxSec", NULL, IMPORT_LOST, "svcd has no limit for how long a service runs" },
	{ "SendSIGHUP", NULL, IMPORT_LOST, "only Stop= and then FinalKillSignal are sent" },
	{ "SendSIGKILL", NULL, IMPORT_LOST, "after StopTimeout the remaining processes get FinalKillSignal" },
	{ "Slice", NULL, IMPORT_IMPLIED, OWN_CGROUP },
	{ "Sockets", NULL, IMPORT_LOST, "import the .socket files together with this unit" },
	{ "SyslogFacility", NULL, IMPORT_IMPLIED, "its output is logged with the syslog facility \"daemon\"" },
	{ "SyslogIdentifier", NULL, IMPORT_IMPLIED, "its lines have the name of the service" },
	{ "SyslogLevel", NULL, IMPORT_IMPLIED, "a line may begin with its level, as in <3>" },
	{ "SyslogLevelPrefix", NULL, IMPORT_IMPLIED, "a line may begin with its level, as in <3>" },
	{ "TTYColumns", NULL, IMPORT_LOST, "the size of the terminal is not changed" },
	{ "TTYReset", NULL, IMPORT_IMPLIED, "a terminal is reset before the service gets it" },
	{ "TTYRows", NULL, IMPORT_LOST, "the size of the terminal is not changed" },
	{ "TTYVHangup", NULL, IMPORT_IMPLIED, "a terminal is hung up before the service gets it" },
	{ "TTYVTDisallocate", NULL, IMPORT_LOST, "the screen is not cleared" },
	{ "TasksAccounting", NULL, IMPORT_IMPLIED, "usage is always counted where that is possible" },
	{ "TimeoutAbortSec", NULL, IMPORT_IMPLIED, "StopTimeout is the limit of every stop" },
	{ "TimeoutStartFailureMode", NULL, IMPORT_LOST, "a start that takes too long is stopped as usual" },
	{ "TimeoutStopFailureMode", NULL, IMPORT_LOST, "a stop that takes too long ends with FinalKillSignal" },
	{ "UnsetEnvironment", NULL, IMPORT_IMPLIED, "the environment comes only from the service file" },
	{ "UtmpIdentifier", NULL, IMPORT_LOST, "a login writes its own record" },
	{ "UtmpMode", NULL, IMPORT_LOST, "a login writes its own record" },
	{ "ExitType", NULL, IMPORT_LOST, "the service is down when its main process has ended" },
	{ .key = NULL },
};
/* clang-format on */
