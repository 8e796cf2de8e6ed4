/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: a reader for each kind of value, then the table of keys.
 */
#include "config.h"

#include "model/service-keys.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/exec-read.h"
#include "model/name.h"
#include "model/sandbox-read.h"
#include "model/value.h"

static void replace_string(char **field, const char *value)
{
	g_free(*field);
	*field = g_strdup(value);
}

static char *read_text(ServiceDef *def, void *field, const char *value, Origin origin)
{
	replace_string(field, value);
	return NULL;
}

static char *read_bool(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (text_parse_bool(value, field))
		return NULL;
	return g_strdup("write yes or no");
}

static char *read_path(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (*value != '/')
		return g_strdup("the path must be absolute");
	replace_string(field, value);
	return NULL;
}

VALUE_ENUM_READER(read_service_type, ServiceType, service_type, TYPE_COUNT)
VALUE_ENUM_READER(read_restart_policy, RestartPolicy, restart_policy, RESTART_COUNT)
VALUE_ENUM_READER(read_kill_mode_kind, KillMode, kill_mode, KILL_MODE_COUNT)
VALUE_ENUM_READER(read_stop_order_kind, StopOrder, stop_order, STOP_ORDER_COUNT)
VALUE_ENUM_READER(read_health_action_kind, HealthAction, health_action, HEALTH_ACTION_COUNT)
VALUE_ENUM_READER(read_on_lapse_kind, OnLapse, on_lapse, ON_LAPSE_COUNT)

static char *read_type(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_service_type(field, value);
}

static char *read_restart(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_restart_policy(field, value);
}

static char *read_on_lapse(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_on_lapse_kind(field, value);
}

static char *read_duration(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (text_parse_duration(value, field))
		return NULL;
	return g_strdup("write a time such as 200ms, 5s or 1min 30s");
}

static char *read_time_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t us;

	if (!text_parse_duration(value, &us) || us == 0)
		return g_strdup("write a time above 0, such as 200ms, 5s or 1min 30s; every wait has an end");
	*(int64_t *)field = us;
	return NULL;
}

static char *read_health_action(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_health_action_kind(field, value);
}

static char *read_health_retries(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t number;

	if (!text_parse_uint(value, 10, 1000, &number) || number == 0)
		return g_strdup("write how many failures in a row make it unhealthy, from 1 to 1000");
	*(unsigned *)field = (unsigned)number;
	return NULL;
}

static char *read_watchdog(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t us;

	if (!text_parse_duration(value, &us) || us > WATCHDOG_MAX_US)
		return g_strdup("write a time such as 30s, at most 24h; 0: no sign of life is asked for");
	*(int64_t *)field = us;
	return NULL;
}

static char *read_kill_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_kill_mode_kind(field, value);
}

static char *read_stop_order(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_stop_order_kind(field, value);
}

static char *read_lock(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = NULL;

	if (name_check_lock(value, &problem))
		replace_string(field, value);
	return problem;
}

static char *read_starts_per_time(const char *value, unsigned *ret_starts, int64_t *ret_us)
{
	g_auto(GStrv) parts = g_strsplit(value, "/", 2);
	uint64_t starts;
	int64_t window_us;

	if (!parts[0] || !parts[1] || !text_parse_uint(parts[0], 10, 1000000, &starts) || starts == 0 ||
	    !text_parse_duration(parts[1], &window_us) || window_us == 0)
		return g_strdup("write STARTS/TIME, such as 5/10s");
	*ret_starts = (unsigned)starts;
	*ret_us = window_us;
	return NULL;
}

static char *read_restart_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_starts_per_time(value, &def->restart_limit, &def->restart_window_us);
}

static char *check_argv(char **argv)
{
	if (!argv[0])
		return g_strdup("a command is missing");
	if (argv[0][0] != '/')
		return g_strdup_printf("write the whole path of \"%s\"; no search path is used", argv[0]);
	if (g_str_has_suffix(argv[0], "/"))
		return g_strdup_printf("\"%s\" is a directory", argv[0]);
	return NULL;
}

static Command *read_words(const char *value, Origin origin, char **ret_problem)
{
	Command *command;
	g_auto(GStrv) argv = NULL;
	const bool may_fail = *value == '-';

	argv = text_split_words(value + may_fail, ret_problem);
	if (!argv)
		return NULL;
	*ret_problem = check_argv(argv);
	if (*ret_problem)
		return NULL;
	command = g_new0(Command, 1);
	command->argv = g_steal_pointer(&argv);
	command->may_fail = may_fail;
	command->origin = origin;
	return command;
}

static char *read_command(ServiceDef *def, void *field, const char *value, Origin origin)
{
	Command **command = field;
	char *problem = NULL;
	Command *read = read_words(value, origin, &problem);

	if (read) {
		command_free(*command);
		*command = read;
	}
	return problem;
}

static char *read_command_list(ServiceDef *def, void *field, const char *value, Origin origin)
{
	GPtrArray **list = field;
	char *problem = NULL;
	Command *command;

	if ((*list)->len >= LIMIT_LIST_ENTRIES)
		return g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
	command = read_words(value, origin, &problem);
	if (command)
		list_add(list, command, (GDestroyNotify)command_free);
	return problem;
}

static char *read_signal(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (text_parse_signal(value, field))
		return NULL;
	return g_strdup_printf("no signal \"%s\"; write a name such as TERM, or a number", value);
}

/* Stop= and Reload=: signal:NAME or a command. */
static char *read_action(ServiceDef *def, void *field, const char *value, Origin origin)
{
	Action *action = field;
	char *problem = NULL;
	Command *command;

	if (g_str_has_prefix(value, "signal:")) {
		problem = read_signal(def, &action->signal, value + strlen("signal:"), origin);
		if (!problem)
			action->kind = ACTION_SIGNAL;
		return problem;
	}
	command = read_words(value, origin, &problem);
	if (command) {
		command_free(action->command);
		action->command = command;
		action->kind = ACTION_COMMAND;
	}
	return problem;
}

static char *read_ready_condition(ServiceDef *def, ReadyKind kind, const char *value)
{
	char *problem;

	if (!key_parse(value, &def->ready_prefix, &def->ready_key, &problem))
		return problem;
	def->ready = kind;
	return NULL;
}

static char *read_ready(ServiceDef *def, void *field, const char *value, Origin origin)
{
	ReadyKind kind;
	uint64_t fd;

	if (g_str_has_prefix(value, "fd:")) {
		if (!text_parse_uint(value + 3, 10, 1023, &fd) || fd < 3)
			return g_strdup("write a descriptor from 3 to 1023, such as fd:3");
		def->ready = READY_FD;
		def->ready_fd = (int)fd;
		return NULL;
	}
	if (g_str_has_prefix(value, "path:"))
		return read_ready_condition(def, READY_PATH, value);
	if (g_str_has_prefix(value, "dbus:"))
		return read_ready_condition(def, READY_DBUS, value);
	if (!ready_kind_from_name(value, &kind) || kind == READY_FD || kind == READY_PATH || kind == READY_DBUS)
		return g_strdup("write one of exec, exit, fork, notify, fd:N, path:PATH, dbus:NAME");
	def->ready = kind;
	return NULL;
}

static char *read_success_status(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word; word++) {
		uint64_t status;
		int number;

		if (!text_parse_uint(*word, 10, 255, &status))
			return g_strdup_printf("\"%s\" is no exit status; write numbers from 0 to 255", *word);
		number = (int)status;
		values_add(&def->success_status, &number, sizeof(number));
	}
	return problem;
}

static char *read_terms(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_term(field, value, origin);
}

static char *read_services(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(field, value, origin, value_check_service);
}

static char *read_bus_names(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(field, value, origin, value_check_bus);
}

static char *read_services_or_facilities(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(field, value, origin, value_check_service_or_facility);
}

/* A name that svc-exec looks up, or a number; what begins with a digit is a number or nothing (CVE-2017-1000082). */
static char *check_account(const char *name)
{
	uint64_t id;

	if (g_ascii_isdigit(*name) && !text_parse_uint(name, 10, UINT32_MAX - 1, &id))
		return g_strdup_printf("\"%s\" is neither a name nor a number below 4294967295", name);
	if (!*name || *name == '-' || strpbrk(name, " \t:/\"'\\"))
		return g_strdup_printf("\"%s\" is no name of an account", name);
	return NULL;
}

static char *read_account(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = check_account(value);

	if (!problem)
		replace_string(field, value);
	return problem;
}

/* Adds each word of @value that @check has no objection to. */
static char *read_word_list(GPtrArray **list, const char *value, char *(*check)(const char *word))
{
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++) {
		problem = check(*word);
		if (!problem && (*list)->len >= LIMIT_LIST_ENTRIES)
			problem = g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
		if (!problem)
			list_add(list, g_strdup(*word), g_free);
	}
	return problem;
}

static char *read_accounts(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_word_list(field, value, check_account);
}

static char *check_assignment(const char *word)
{
	const char *equals = strchr(word, '=');

	if (!equals || equals == word || g_ascii_isdigit(*word) ||
	    strspn(word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") != (size_t)(equals - word))
		return g_strdup_printf("\"%s\" is not NAME=value; a value with blanks stands in quotes", word);
	return NULL;
}

static char *read_environment(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_word_list(field, value, check_assignment);
}

static char *read_environment_file(ServiceDef *def, void *field, const char *value, Origin origin)
{
	const bool optional = *value == '-';
	EnvironmentFile *file;

	if (value[optional] != '/')
		return g_strdup("the path must be absolute; \"-\" in front: it may be missing");
	file = g_new0(EnvironmentFile, 1);
	file->path = g_strdup(value + optional);
	file->optional = optional;
	list_add(field, file, (GDestroyNotify)environment_file_free);
	return NULL;
}

static bool parse_mode(const char *value, unsigned *ret)
{
	uint64_t mode;

	if (!text_parse_uint(value, 8, 07777, &mode))
		return false;
	*ret = (unsigned)mode;
	return true;
}

static char *read_directory_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return parse_mode(value, field) ? NULL : g_strdup("write an octal mode such as 0755");
}

static char *read_umask(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (!parse_mode(value, field) || *(unsigned *)field > 0777)
		return g_strdup("write an octal mask such as 022");
	exec_def_change(&def->execution)->has_umask = true;
	return NULL;
}

static char *read_nice(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -20, 19, &number))
		return g_strdup("write a number from -20 to 19");
	*(int *)field = (int)number;
	exec_def_change(&def->execution)->has_nice = true;
	return NULL;
}

static char *read_oom_score_adjust(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -1000, 1000, &number))
		return g_strdup("write a number from -1000 to 1000");
	*(int *)field = (int)number;
	exec_def_change(&def->execution)->has_oom_score_adjust = true;
	return NULL;
}

/* Limit...=: "BOTH" or "SOFT:HARD". */
static char *read_limit(ServiceDef *def, const ServiceKey *key, const char *value)
{
	g_auto(GStrv) parts = g_strsplit(value, ":", 2);
	Rlimit limit = { .resource = key->number };
	const char *hard = parts[0] && parts[1] ? parts[1] : parts[0];

	if (!hard || !text_parse_size(parts[0], &limit.soft) || !text_parse_size(hard, &limit.hard))
		return g_strdup("write a number, SOFT:HARD or infinity; K, M and G are known");
	if (limit.soft > limit.hard)
		return g_strdup("the soft limit is above the hard limit");
	values_add(&exec_def_change(&def->execution)->rlimits, &limit, sizeof(limit));
	return NULL;
}

#define RESOURCE_READER(P, RESOURCE, name)                                                         \
	static char *read_##RESOURCE(ServiceDef *def, void *field, const char *value, Origin origin) \
	{                                                                                          \
		return resource_def_read(field, RESOURCE_##RESOURCE, value);                       \
	}
RESOURCES(RESOURCE_READER, )

/* --- [Socket] --- */

VALUE_ENUM_READER(read_ipv6_only_kind, Ipv6Only, ipv6_only, IPV6_ONLY_COUNT)

static char *read_stream(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_STREAM, value, origin);
}

static char *read_datagram(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_DATAGRAM, value, origin);
}

static char *read_seqpacket(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_SEQPACKET, value, origin);
}

static char *read_fifo(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_FIFO, value, origin);
}

static char *read_accept(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool accept;

	if (!text_parse_bool(value, &accept))
		return g_strdup("write no");
	if (accept)
		return g_strdup("a process for each connection is not supported; the service takes its connections itself, or "
				"inetd does it");
	return NULL;
}

static char *read_socket_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	unsigned mode;

	if (!parse_mode(value, &mode) || mode > 0777)
		return g_strdup("write an octal mode such as 0660");
	*(unsigned *)field = mode;
	return NULL;
}

/* listen(2) takes an int, and the kernel cuts it to net.core.somaxconn. */
static char *read_backlog(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t backlog;

	if (!text_parse_uint(value, 10, INT32_MAX, &backlog) || backlog == 0)
		return g_strdup("write a number above 0");
	*(unsigned *)field = (unsigned)backlog;
	return NULL;
}

static char *check_socket_name(const char *word)
{
	if (!*word || strlen(word) > LIMIT_SOCKET_NAME_BYTES || strchr(word, ':'))
		return g_strdup_printf("\"%s\" is no name of a socket; write up to %d bytes without a colon", word,
				       LIMIT_SOCKET_NAME_BYTES);
	for (const char *p = word; *p; p++) {
		if (!g_ascii_isgraph(*p))
			return g_strdup("the name of a socket has no blanks and no control bytes");
	}
	return NULL;
}

static char *read_socket_names(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_word_list(field, value, check_socket_name);
}

static char *read_ipv6_only(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_ipv6_only_kind(field, value);
}

static char *read_buffer_size(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t size;

	if (!text_parse_size(value, &size) || size == 0 || size > INT32_MAX)
		return g_strdup("write a size such as 64K or 8M");
	*(uint64_t *)field = size;
	return NULL;
}

static char *read_trigger_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_starts_per_time(value, field, &def->socket->trigger_window_us);
}

#define SERVICE_KEY(name, reader, field) { "Service", name, false, reader, offsetof(ServiceDef, field), 0 }
#define SERVICE_LIST(name, reader, field) { "Service", name, true, reader, offsetof(ServiceDef, field), 0 }
#define EXECUTION_KEY(name, reader, field) \
	{ "Service", name, false, reader, offsetof(ExecDef, field), 0, .home = KEY_HOME_EXECUTION }
#define EXECUTION_LIST(name, reader, field) \
	{ "Service", name, true, reader, offsetof(ExecDef, field), 0, .home = KEY_HOME_EXECUTION }
#define SANDBOX_KEY(name, reader, field) \
	{ "Service", name, false, reader, offsetof(SandboxDef, field), 0, .home = KEY_HOME_SANDBOX }
#define SANDBOX_LIST(name, reader, field) \
	{ "Service", name, true, reader, offsetof(SandboxDef, field), 0, .home = KEY_HOME_SANDBOX }
#define CONDITION_KEY(name, reader, field) { "Conditions", name, false, reader, offsetof(ServiceDef, field), 0 }
#define CONDITION_LIST(name, reader, field) { "Conditions", name, true, reader, offsetof(ServiceDef, field), 0 }
#define SOCKET_KEY(name, reader, field) \
	{ "Socket", name, false, reader, offsetof(SocketDef, field), 0, .home = KEY_HOME_SOCKET }
#define SOCKET_LIST(name, reader, field) \
	{ "Socket", name, true, reader, offsetof(SocketDef, field), 0, .home = KEY_HOME_SOCKET }
#define LIMIT_KEY(name) { "Service", "Limit" #name, false, NULL, 0, RLIMIT_##name } /* read_limit() */

static const ServiceKey keys[] = {
	SERVICE_KEY("Description", read_text, description),
	SERVICE_KEY("Type", read_type, type),
	SERVICE_KEY("Exec", read_command, exec),
	SERVICE_LIST("Prepare", read_command_list, prepare),
	SERVICE_LIST("Cleanup", read_command_list, cleanup),
	SERVICE_KEY("Stop", read_action, stop),
	SERVICE_KEY("Reload", read_action, reload),
	SERVICE_KEY("CheckCommand", read_command, check),
	SERVICE_KEY("RestartCommand", read_command, restart_command),
	SERVICE_KEY("Ready", read_ready, ready),
	SERVICE_LIST("BusName", read_bus_names, bus_names),
	SERVICE_KEY("PidFile", read_path, pid_file),
	SERVICE_KEY("Restart", read_restart, restart),
	SERVICE_KEY("RestartDelay", read_duration, restart_delay_us),
	SERVICE_KEY("RestartDelayMax", read_duration, restart_delay_max_us),
	SERVICE_KEY("RestartLimit", read_restart_limit, restart_limit),
	SERVICE_LIST("SuccessStatus", read_success_status, success_status),
	SERVICE_KEY("StartTimeout", read_time_limit, start_limit_us),
	SERVICE_KEY("StopTimeout", read_time_limit, stop_limit_us),
	SERVICE_KEY("HealthCommand", read_command, health),
	SERVICE_KEY("HealthInterval", read_time_limit, health_interval_us),
	SERVICE_KEY("HealthTimeout", read_time_limit, health_limit_us),
	SERVICE_KEY("HealthRetries", read_health_retries, health_retries),
	SERVICE_KEY("HealthStartPeriod", read_duration, health_start_us),
	SERVICE_KEY("HealthAction", read_health_action, health_action),
	SERVICE_KEY("WatchdogTimeout", read_watchdog, watchdog_us),
	SERVICE_KEY("KillMode", read_kill_mode, kill_mode),
	SERVICE_KEY("FinalKillSignal", read_signal, kill_signal),
	SERVICE_KEY("StartLock", read_lock, start_lock),
	SERVICE_KEY("StopOrder", read_stop_order, stop_order),
	SERVICE_KEY("Once", read_bool, once),
	SERVICE_KEY("Linger", read_duration, linger_us),

	EXECUTION_KEY("User", read_account, user),
	EXECUTION_KEY("Group", read_account, group),
	EXECUTION_LIST("SupplementaryGroups", read_accounts, groups),
	EXECUTION_KEY("UMask", read_umask, umask),
	EXECUTION_KEY("WorkingDirectory", read_path, directory),
	EXECUTION_LIST("Environment", read_environment, environment),
	EXECUTION_LIST("EnvironmentFile", read_environment_file, environment_files),
	EXECUTION_KEY("Nice", read_nice, nice),
	EXECUTION_KEY("OOMScoreAdjust", read_oom_score_adjust, oom_score_adjust),
	EXECUTION_KEY("TTYPath", read_path, tty),
	EXECUTION_KEY("StandardInput", exec_read_standard_input, input),
	EXECUTION_KEY("CPUSchedulingPolicy", exec_read_cpu_policy, scheduling.cpu_policy),
	EXECUTION_KEY("CPUSchedulingPriority", exec_read_cpu_priority, scheduling.cpu_priority),
	EXECUTION_KEY("IOSchedulingClass", exec_read_io_class, scheduling),
	EXECUTION_KEY("IOSchedulingPriority", exec_read_io_priority, scheduling),
	EXECUTION_LIST("CPUAffinity", exec_read_cpus, scheduling.cpus),

	EXECUTION_LIST("RuntimeDirectory", exec_read_runtime_directory, directories),
	EXECUTION_KEY("RuntimeDirectoryMode", read_directory_mode, directories[DIRECTORY_RUNTIME].mode),
	EXECUTION_KEY("RuntimeDirectoryPreserve", exec_read_preserve, runtime_preserve),
	EXECUTION_LIST("StateDirectory", exec_read_state_directory, directories),
	EXECUTION_KEY("StateDirectoryMode", read_directory_mode, directories[DIRECTORY_STATE].mode),
	EXECUTION_LIST("CacheDirectory", exec_read_cache_directory, directories),
	EXECUTION_KEY("CacheDirectoryMode", read_directory_mode, directories[DIRECTORY_CACHE].mode),
	EXECUTION_LIST("LogsDirectory", exec_read_logs_directory, directories),
	EXECUTION_KEY("LogsDirectoryMode", read_directory_mode, directories[DIRECTORY_LOGS].mode),
	EXECUTION_LIST("ConfigurationDirectory", exec_read_configuration_directory, directories),
	EXECUTION_KEY("ConfigurationDirectoryMode", read_directory_mode, directories[DIRECTORY_CONFIGURATION].mode),

	SANDBOX_KEY("ProtectSystem", sandbox_read_protect_system, protect_system),
	SANDBOX_KEY("ProtectHome", sandbox_read_protect_home, protect_home),
	SANDBOX_KEY("PrivateTmp", read_bool, private_tmp),
	SANDBOX_KEY("PrivateDevices", read_bool, private_devices),
	SANDBOX_KEY("PrivateNetwork", read_bool, private_network),
	SANDBOX_KEY("ProtectKernelTunables", read_bool, protect_kernel_tunables),
	SANDBOX_KEY("ProtectKernelModules", read_bool, protect_kernel_modules),
	SANDBOX_KEY("ProtectKernelLogs", read_bool, protect_kernel_logs),
	SANDBOX_KEY("ProtectControlGroups", read_bool, protect_control_groups),
	SANDBOX_KEY("ProtectClock", read_bool, protect_clock),
	SANDBOX_KEY("ProtectHostname", read_bool, protect_hostname),
	SANDBOX_KEY("ProtectProc", sandbox_read_protect_proc, protect_proc),
	SANDBOX_KEY("ProcSubset", sandbox_read_proc_subset, proc_subset),
	SANDBOX_LIST("ReadOnlyPaths", sandbox_read_read_only_paths, paths),
	SANDBOX_LIST("ReadWritePaths", sandbox_read_read_write_paths, paths),
	SANDBOX_LIST("InaccessiblePaths", sandbox_read_inaccessible_paths, paths),
	SANDBOX_LIST("BindPaths", sandbox_read_bind_paths, paths),
	SANDBOX_LIST("BindReadOnlyPaths", sandbox_read_bind_read_only_paths, paths),
	SANDBOX_LIST("TemporaryFileSystem", sandbox_read_temporary_file_system, paths),
	SANDBOX_KEY("NoNewPrivileges", read_bool, no_new_privileges),
	{ "Service", "CapabilityBoundingSet", true, sandbox_read_bounding_set,
	  offsetof(SandboxDef, bounding_set), 0, .takes_nothing = true, .home = KEY_HOME_SANDBOX },
	SANDBOX_LIST("AmbientCapabilities", sandbox_read_ambient_set, ambient_set),
	SANDBOX_LIST("SystemCallFilter", sandbox_read_system_calls, system_calls),
	SANDBOX_KEY("SystemCallErrorNumber", sandbox_read_system_call_error, system_call_error),
	SANDBOX_LIST("SystemCallArchitectures", sandbox_read_architectures, architectures),
	SANDBOX_LIST("RestrictAddressFamilies", sandbox_read_families, families),
	SANDBOX_LIST("RestrictNamespaces", sandbox_read_namespaces, namespaces),
	SANDBOX_KEY("RestrictRealtime", read_bool, restrict_realtime),
	SANDBOX_KEY("RestrictSUIDSGID", read_bool, restrict_suid_sgid),
	SANDBOX_KEY("LockPersonality", read_bool, lock_personality),
	SANDBOX_KEY("MemoryDenyWriteExecute", read_bool, memory_deny_write_execute),
	SANDBOX_KEY("KeyringMode", sandbox_read_keyring_mode, keyring_mode),

	LIMIT_KEY(AS), LIMIT_KEY(CORE), LIMIT_KEY(CPU), LIMIT_KEY(DATA), LIMIT_KEY(FSIZE), LIMIT_KEY(LOCKS),
	LIMIT_KEY(MEMLOCK), LIMIT_KEY(MSGQUEUE), LIMIT_KEY(NICE), LIMIT_KEY(NOFILE), LIMIT_KEY(NPROC),
	LIMIT_KEY(RSS), LIMIT_KEY(RTPRIO), LIMIT_KEY(RTTIME), LIMIT_KEY(SIGPENDING), LIMIT_KEY(STACK),

#define RESOURCE_KEY(P, RESOURCE, name) SERVICE_KEY(name, read_##RESOURCE, resources),
	RESOURCES(RESOURCE_KEY, )

	CONDITION_LIST("When", read_terms, when),
	CONDITION_LIST("While", read_terms, hold),
	CONDITION_LIST("DoneWhile", read_terms, done_while),
	CONDITION_KEY("OnLapse", read_on_lapse, on_lapse),
	CONDITION_KEY("Settle", read_duration, settle_us),
	CONDITION_KEY("WaitTimeout", read_duration, wait_limit_us),
	CONDITION_LIST("After", read_services_or_facilities, after),
	CONDITION_LIST("Before", read_services_or_facilities, before),
	CONDITION_LIST("Wants", read_services, wants),
	CONDITION_LIST("Conflicts", read_services, conflicts),
	CONDITION_LIST("Provides", read_services_or_facilities, provides),
	CONDITION_LIST("StopAfter", read_services, stop_after),
	CONDITION_LIST("StopBefore", read_services_or_facilities, stop_before),

	SOCKET_LIST("ListenStream", read_stream, listens),
	SOCKET_LIST("ListenDatagram", read_datagram, listens),
	SOCKET_LIST("ListenSequentialPacket", read_seqpacket, listens),
	SOCKET_LIST("ListenFIFO", read_fifo, listens),
	SOCKET_KEY("SocketUser", read_account, user),
	SOCKET_KEY("SocketGroup", read_account, group),
	SOCKET_KEY("SocketMode", read_socket_mode, mode),
	SOCKET_KEY("DirectoryMode", read_directory_mode, directory_mode),
	SOCKET_KEY("Backlog", read_backlog, backlog),
	SOCKET_LIST("FileDescriptorName", read_socket_names, names),
	SOCKET_KEY("RemoveOnStop", read_bool, remove_on_stop),
	SOCKET_KEY("KeepAlive", read_bool, keep_alive),
	SOCKET_KEY("NoDelay", read_bool, no_delay),
	SOCKET_KEY("FreeBind", read_bool, free_bind),
	SOCKET_KEY("ReusePort", read_bool, reuse_port),
	SOCKET_KEY("BindIPv6Only", read_ipv6_only, ipv6_only),
	SOCKET_KEY("PassCredentials", read_bool, pass_credentials),
	SOCKET_KEY("ReceiveBuffer", read_buffer_size, receive_buffer),
	SOCKET_KEY("SendBuffer", read_buffer_size, send_buffer),
	SOCKET_KEY("TriggerLimit", read_trigger_limit, trigger_limit),
	SOCKET_KEY("Accept", read_accept, listens),
	{ .name = NULL },
};

const ServiceKey *service_keys(void)
{
	return keys;
}

const ServiceKey *service_key_find(const char *section, const char *name)
{
	for (const ServiceKey *key = keys; key->name; key++) {
		if (strcmp(key->name, name) == 0 && strcmp(key->section, section) == 0)
			return key;
	}
	return NULL;
}

/* The struct that @key's field is in; what few services have is made with its first key. */
static void *struct_of(const ServiceKey *key, ServiceDef *def)
{
	switch (key->home) {
	case KEY_HOME_DEFINITION:
		break;
	case KEY_HOME_EXECUTION:
		return exec_def_change(&def->execution);
	case KEY_HOME_SANDBOX:
		if (!def->execution->sandbox)
			exec_def_change(&def->execution)->sandbox = sandbox_def_new();
		return def->execution->sandbox;
	case KEY_HOME_SOCKET:
		if (!def->socket)
			def->socket = socket_def_new();
		return def->socket;
	}
	return def;
}

char *service_key_read(const ServiceKey *key, ServiceDef *def, const char *value, Origin origin)
{
	if (!key->read)
		return read_limit(def, key, value);
	return key->read(def, (char *)struct_of(key, def) + key->offset, value, origin);
}
