/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: commands, readiness, restarts, supervision.
 */
#include "config.h"

#include "model/service-read.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "model/name.h"

FIELD_ENUM_READER(service_read_type, ServiceType, service_type, TYPE_COUNT)
FIELD_ENUM_READER(service_read_restart, RestartPolicy, restart_policy, RESTART_COUNT)
FIELD_ENUM_READER(service_read_health_action, HealthAction, health_action, HEALTH_ACTION_COUNT)
FIELD_ENUM_READER(service_read_kill_mode, KillMode, kill_mode, KILL_MODE_COUNT)
FIELD_ENUM_READER(service_read_stop_order, StopOrder, stop_order, STOP_ORDER_COUNT)

/* --- commands --- */

static char *check_argv(char **argv)
{
	if (!argv[0])
		return g_strdup("a command is missing");
	if (argv[0][0] != '/')
		return g_strdup_printf("write the whole path of \"%s\"; no search path is used",
				       argv[0]);
	if (g_str_has_suffix(argv[0], "/"))
		return g_strdup_printf("\"%s\" is a directory", argv[0]);
	return NULL;
}

static Command *read_tokens(const char *value, Origin origin, char **ret_problem)
{
	Command *command;
	g_auto(GStrv) argv = NULL;
	const bool may_fail = *value == '-';

	argv = text_split_tokens(value + may_fail, ret_problem);
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

char *service_read_command(ServiceDef *def, void *field, const char *value, Origin origin)
{
	Command **command = field;
	char *problem = NULL;
	Command *read = read_tokens(value, origin, &problem);

	if (read) {
		command_free(*command);
		*command = read;
	}
	return problem;
}

char *service_read_command_list(ServiceDef *def, void *field, const char *value, Origin origin)
{
	GPtrArray **list = field;
	char *problem;
	Command *command;

	problem = value_check_size(*list);
	if (problem)
		return problem;
	command = read_tokens(value, origin, &problem);
	if (command)
		list_add(list, command, (GDestroyNotify)command_free);
	return problem;
}

char *service_read_action(ServiceDef *def, void *field, const char *value, Origin origin)
{
	Action *action = field;
	char *problem = NULL;
	Command *command;

	if (g_str_has_prefix(value, "signal:")) {
		problem =
			field_read_signal(def, &action->signal, value + strlen("signal:"), origin);
		if (!problem)
			action->kind = ACTION_SIGNAL;
		return problem;
	}
	command = read_tokens(value, origin, &problem);
	if (command) {
		command_free(action->command);
		action->command = command;
		action->kind = ACTION_COMMAND;
	}
	return problem;
}

/* --- readiness --- */

static char *read_ready_condition(ServiceDef *def, ReadyKind kind, const char *value)
{
	char *problem;

	if (!key_parse(value, &def->ready_prefix, &def->ready_key, &problem))
		return problem;
	def->ready = kind;
	return NULL;
}

char *service_read_ready(ServiceDef *def, void *field, const char *value, Origin origin)
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
	if (!ready_kind_from_name(value, &kind) || kind == READY_FD || kind == READY_PATH ||
	    kind == READY_DBUS)
		return g_strdup(
			"write one of exec, exit, fork, notify, fd:N, path:PATH, dbus:NAME");
	def->ready = kind;
	return NULL;
}

char *service_read_bus_names(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return value_read_names(field, value, origin, value_check_bus);
}

/* --- restarts and supervision --- */

char *service_read_restart_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_read_starts_per_time(value, &def->restart_limit, &def->restart_window_us);
}

char *service_read_success_status(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = NULL;
	g_auto(GStrv) tokens = text_split_tokens(value, &problem);

	for (char **token = tokens; token && *token; token++) {
		uint64_t status;
		int number;

		if (!text_parse_uint(*token, 10, 255, &status))
			return g_strdup_printf(
				"\"%s\" is not an exit status; write numbers from 0 to 255",
				*token);
		number = (int)status;
		values_add(&def->success_status, &number, sizeof(number));
	}
	return problem;
}

char *service_read_health_retries(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t number;

	if (!text_parse_uint(value, 10, 1000, &number) || number == 0)
		return g_strdup(
			"write how many failures in a row make the service unhealthy, from 1 to "
			"1000");
	*(unsigned *)field = (unsigned)number;
	return NULL;
}

char *service_read_watchdog(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t us;

	if (!text_parse_duration(value, &us) || us > WATCHDOG_MAX_US)
		return g_strdup(
			"write a time such as 30s, at most 24h; 0 switches the watchdog off");
	*(int64_t *)field = us;
	return NULL;
}

char *service_read_lock(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = NULL;

	if (name_check_lock(value, &problem))
		field_replace(field, value);
	return problem;
}

/* --- resources --- */

char *service_read_resource(void *field, int number, const char *value)
{
	return resource_def_read(field, (Resource)number, value);
}
