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
#include "base/text.h"
#include "model/name.h"
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

static char *read_kill_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_kill_mode_kind(field, value);
}

static char *read_restart_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	g_auto(GStrv) parts = g_strsplit(value, "/", 2);
	uint64_t starts;
	int64_t window_us;

	if (!parts[0] || !parts[1] || !text_parse_uint(parts[0], 10, 1000000, &starts) || starts == 0 ||
	    !text_parse_duration(parts[1], &window_us) || window_us == 0)
		return g_strdup("write STARTS/TIME, such as 5/10s");
	def->restart_limit = (unsigned)starts;
	def->restart_window_us = window_us;
	return NULL;
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
		g_ptr_array_add(*list, command);
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
		g_array_append_val(def->success_status, number);
	}
	return problem;
}

static char *read_terms(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_term(*(GPtrArray **)field, value, origin);
}

static char *read_services(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(*(GPtrArray **)field, value, origin, value_check_service);
}

static char *read_bus_names(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(*(GPtrArray **)field, value, origin, value_check_bus);
}

static char *read_services_or_facilities(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(*(GPtrArray **)field, value, origin, value_check_service_or_facility);
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
static char *read_word_list(GPtrArray *list, const char *value, char *(*check)(const char *word))
{
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++) {
		problem = check(*word);
		if (!problem && list->len >= LIMIT_LIST_ENTRIES)
			problem = g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
		if (!problem)
			g_ptr_array_add(list, g_strdup(*word));
	}
	return problem;
}

static char *read_accounts(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_word_list(*(GPtrArray **)field, value, check_account);
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
	return read_word_list(*(GPtrArray **)field, value, check_assignment);
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
	g_ptr_array_add(def->execution.environment_files, file);
	return NULL;
}

static char *check_relative(const char *word)
{
	if (*word == '/')
		return g_strdup_printf("\"%s\" is made below /run; write it without the leading /run/", word);
	if (!*word || strcmp(word, ".") == 0 || strcmp(word, "..") == 0 || g_str_has_prefix(word, "../") ||
	    g_str_has_suffix(word, "/..") || strstr(word, "/../"))
		return g_strdup_printf("\"%s\" is no name of a directory below /run", word);
	return NULL;
}

static char *read_runtime_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_word_list(*(GPtrArray **)field, value, check_relative);
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
	if (!parse_mode(value, field) || def->execution.umask > 0777)
		return g_strdup("write an octal mask such as 022");
	def->execution.has_umask = true;
	return NULL;
}

static char *read_nice(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -20, 19, &number))
		return g_strdup("write a number from -20 to 19");
	def->execution.nice = (int)number;
	def->execution.has_nice = true;
	return NULL;
}

static char *read_oom_score_adjust(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -1000, 1000, &number))
		return g_strdup("write a number from -1000 to 1000");
	def->execution.oom_score_adjust = (int)number;
	def->execution.has_oom_score_adjust = true;
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
	g_array_append_val(def->execution.rlimits, limit);
	return NULL;
}

#define SERVICE_KEY(name, reader, field) { "Service", name, false, reader, offsetof(ServiceDef, field), 0 }
#define SERVICE_LIST(name, reader, field) { "Service", name, true, reader, offsetof(ServiceDef, field), 0 }
#define CONDITION_KEY(name, reader, field) { "Conditions", name, false, reader, offsetof(ServiceDef, field), 0 }
#define CONDITION_LIST(name, reader, field) { "Conditions", name, true, reader, offsetof(ServiceDef, field), 0 }
#define LIMIT_KEY(name) { "Service", "Limit" #name, false, NULL, 0, RLIMIT_##name } /* read_limit() */

static const ServiceKey keys[] = {
	SERVICE_KEY("Description", read_text, description),
	SERVICE_KEY("Type", read_type, type),
	SERVICE_KEY("Exec", read_command, exec),
	SERVICE_LIST("Prepare", read_command_list, prepare),
	SERVICE_LIST("Cleanup", read_command_list, cleanup),
	SERVICE_KEY("Stop", read_action, stop),
	SERVICE_KEY("Reload", read_action, reload),
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
	SERVICE_KEY("KillMode", read_kill_mode, kill_mode),
	SERVICE_KEY("FinalKillSignal", read_signal, kill_signal),
	SERVICE_KEY("Once", read_bool, once),
	SERVICE_KEY("Linger", read_duration, linger_us),

	SERVICE_KEY("User", read_account, execution.user),
	SERVICE_KEY("Group", read_account, execution.group),
	SERVICE_LIST("SupplementaryGroups", read_accounts, execution.groups),
	SERVICE_KEY("UMask", read_umask, execution.umask),
	SERVICE_KEY("WorkingDirectory", read_path, execution.directory),
	SERVICE_LIST("Environment", read_environment, execution.environment),
	SERVICE_LIST("EnvironmentFile", read_environment_file, execution.environment_files),
	SERVICE_KEY("Nice", read_nice, execution.nice),
	SERVICE_KEY("OOMScoreAdjust", read_oom_score_adjust, execution.oom_score_adjust),
	SERVICE_KEY("TTYPath", read_path, execution.tty),
	SERVICE_LIST("RuntimeDirectory", read_runtime_directory, execution.runtime_directories),
	SERVICE_KEY("RuntimeDirectoryMode", read_directory_mode, execution.runtime_directory_mode),
	LIMIT_KEY(AS), LIMIT_KEY(CORE), LIMIT_KEY(CPU), LIMIT_KEY(DATA), LIMIT_KEY(FSIZE), LIMIT_KEY(LOCKS),
	LIMIT_KEY(MEMLOCK), LIMIT_KEY(MSGQUEUE), LIMIT_KEY(NICE), LIMIT_KEY(NOFILE), LIMIT_KEY(NPROC),
	LIMIT_KEY(RSS), LIMIT_KEY(RTPRIO), LIMIT_KEY(RTTIME), LIMIT_KEY(SIGPENDING), LIMIT_KEY(STACK),

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
	CONDITION_LIST("StopBefore", read_services, stop_before),
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

char *service_key_read(const ServiceKey *key, ServiceDef *def, const char *value, Origin origin)
{
	if (!key->read)
		return read_limit(def, key, value);
	return key->read(def, (char *)def + key->offset, value, origin);
}
