/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service keys: the table, one row per key with the reader of its value, and the look-up.
 */
#include "config.h"

#include "model/service-keys.h"

#include <string.h>
#include <sys/resource.h>

#include "model/condition-read.h"
#include "model/exec-read.h"
#include "model/service-read.h"
#include "model/socket-read.h"

#define SERVICE_KEY(name, reader, field)                                    \
	{                                                                   \
		"Service", name, false, reader, offsetof(ServiceDef, field) \
	}
#define SERVICE_LIST(name, reader, field)                                  \
	{                                                                  \
		"Service", name, true, reader, offsetof(ServiceDef, field) \
	}
#define EXECUTION_KEY(name, reader, field)                                \
	{                                                                 \
		"Service", name, false, reader, offsetof(ExecDef, field), \
			.target = KEY_IN_EXECUTION                        \
	}
#define EXECUTION_LIST(name, reader, field)                              \
	{                                                                \
		"Service", name, true, reader, offsetof(ExecDef, field), \
			.target = KEY_IN_EXECUTION                       \
	}
#define SANDBOX_ROW(id, key_name, shape, ...)          \
	{ "Service",                                   \
	  key_name,                                    \
	  .is_list = SHAPE_##shape != SHAPE_ONE,       \
	  .takes_nothing = SHAPE_##shape == SHAPE_SET, \
	  .target = KEY_IN_EXECUTION,                  \
	  .read_numbered = exec_read_sandbox,          \
	  .number = SANDBOX_##id },
#define CONDITION_KEY(name, reader, field)                                     \
	{                                                                      \
		"Conditions", name, false, reader, offsetof(ServiceDef, field) \
	}
#define CONDITION_LIST(name, reader, field)                                   \
	{                                                                     \
		"Conditions", name, true, reader, offsetof(ServiceDef, field) \
	}
#define SOCKET_KEY(name, reader, field)                                                            \
	{                                                                                          \
		"Socket", name, false, reader, offsetof(SocketDef, field), .target = KEY_IN_SOCKET \
	}
#define SOCKET_LIST(name, reader, field)                                                          \
	{                                                                                         \
		"Socket", name, true, reader, offsetof(SocketDef, field), .target = KEY_IN_SOCKET \
	}
#define LIMIT_KEY(name)                                                                   \
	{                                                                                 \
		"Service", "Limit" #name,                                                 \
			.offset = offsetof(ExecDef, rlimits), .target = KEY_IN_EXECUTION, \
			.read_numbered = exec_read_limit, .number = RLIMIT_##name         \
	}
#define RESOURCE_KEY(P, RESOURCE, name)                               \
	{ "Service", name, .offset = offsetof(ServiceDef, resources), \
	  .read_numbered = service_read_resource, .number = RESOURCE_##RESOURCE },

static const ServiceKey keys[] = {
	SERVICE_KEY("Description", field_read_text, description),
	SERVICE_KEY("Type", service_read_type, type),
	SERVICE_KEY("Exec", service_read_command, exec),
	SERVICE_LIST("Prepare", service_read_command_list, prepare),
	SERVICE_LIST("Cleanup", service_read_command_list, cleanup),
	SERVICE_KEY("Stop", service_read_action, stop),
	SERVICE_KEY("Reload", service_read_action, reload),
	SERVICE_KEY("CheckCommand", service_read_command, check),
	SERVICE_KEY("RestartCommand", service_read_command, restart_command),
	SERVICE_KEY("Ready", service_read_ready, ready),
	SERVICE_LIST("BusName", service_read_bus_names, bus_names),
	SERVICE_KEY("PidFile", field_read_path, pid_file),
	SERVICE_KEY("Restart", service_read_restart, restart),
	SERVICE_KEY("RestartDelay", field_read_duration, restart_delay_us),
	SERVICE_KEY("RestartDelayMax", field_read_duration, restart_delay_max_us),
	SERVICE_KEY("RestartLimit", service_read_restart_limit, restart_limit),
	SERVICE_LIST("SuccessStatus", service_read_success_status, success_status),
	SERVICE_KEY("StartTimeout", field_read_time_limit, start_limit_us),
	SERVICE_KEY("StopTimeout", field_read_time_limit, stop_limit_us),
	SERVICE_KEY("HealthCommand", service_read_command, health),
	SERVICE_KEY("HealthInterval", field_read_time_limit, health_interval_us),
	SERVICE_KEY("HealthTimeout", field_read_time_limit, health_limit_us),
	SERVICE_KEY("HealthRetries", service_read_health_retries, health_retries),
	SERVICE_KEY("HealthStartPeriod", field_read_duration, health_start_us),
	SERVICE_KEY("HealthAction", service_read_health_action, health_action),
	SERVICE_KEY("WatchdogTimeout", service_read_watchdog, watchdog_us),
	SERVICE_KEY("KillMode", service_read_kill_mode, kill_mode),
	SERVICE_KEY("FinalKillSignal", field_read_signal, kill_signal),
	SERVICE_KEY("StartLock", service_read_lock, start_lock),
	SERVICE_KEY("StopOrder", service_read_stop_order, stop_order),
	SERVICE_KEY("Once", field_read_bool, once),
	SERVICE_KEY("Linger", field_read_duration, linger_us),

	EXECUTION_KEY("User", field_read_account, user),
	EXECUTION_KEY("Group", field_read_account, group),
	EXECUTION_LIST("SupplementaryGroups", exec_read_accounts, groups),
	EXECUTION_KEY("UMask", exec_read_umask, umask),
	EXECUTION_KEY("WorkingDirectory", field_read_path, directory),
	EXECUTION_LIST("Environment", exec_read_environment, environment),
	EXECUTION_LIST("EnvironmentFile", exec_read_environment_file, environment_files),
	EXECUTION_KEY("Nice", exec_read_nice, nice),
	EXECUTION_KEY("OOMScoreAdjust", exec_read_oom_score_adjust, oom_score_adjust),
	EXECUTION_KEY("TTYPath", exec_read_tty, tty),
	EXECUTION_KEY("StandardInput", exec_read_standard_input, input),
	EXECUTION_KEY("CPUSchedulingPolicy", exec_read_cpu_policy, scheduling.cpu_policy),
	EXECUTION_KEY("CPUSchedulingPriority", exec_read_cpu_priority, scheduling.cpu_priority),
	EXECUTION_KEY("IOSchedulingClass", exec_read_io_class, scheduling),
	EXECUTION_KEY("IOSchedulingPriority", exec_read_io_priority, scheduling),
	EXECUTION_LIST("CPUAffinity", exec_read_cpus, scheduling.cpus),

	EXECUTION_KEY("RuntimeDirectoryPreserve", exec_read_preserve, runtime_preserve),
	SANDBOX_KEYS(SANDBOX_ROW)

		LIMIT_KEY(AS),
	LIMIT_KEY(CORE),
	LIMIT_KEY(CPU),
	LIMIT_KEY(DATA),
	LIMIT_KEY(FSIZE),
	LIMIT_KEY(LOCKS),
	LIMIT_KEY(MEMLOCK),
	LIMIT_KEY(MSGQUEUE),
	LIMIT_KEY(NICE),
	LIMIT_KEY(NOFILE),
	LIMIT_KEY(NPROC),
	LIMIT_KEY(RSS),
	LIMIT_KEY(RTPRIO),
	LIMIT_KEY(RTTIME),
	LIMIT_KEY(SIGPENDING),
	LIMIT_KEY(STACK),

	RESOURCES(RESOURCE_KEY, )

		CONDITION_LIST("When", condition_read_terms, when),
	CONDITION_LIST("While", condition_read_terms, while_terms),
	CONDITION_LIST("DoneWhile", condition_read_terms, done_while),
	CONDITION_LIST("ShownWhen", condition_read_terms, shown_when),
	CONDITION_KEY("OnLapse", condition_read_on_lapse, on_lapse),
	CONDITION_KEY("Settle", field_read_duration, settle_us),
	CONDITION_KEY("RandomizedDelay", field_read_duration, random_delay_us),
	CONDITION_KEY("Persistent", field_read_bool, is_persistent),
	CONDITION_KEY("WaitTimeout", field_read_duration, wait_limit_us),
	CONDITION_LIST("After", condition_read_services_or_facilities, after),
	CONDITION_LIST("Before", condition_read_services_or_facilities, before),
	CONDITION_LIST("Wants", condition_read_services, wants),
	CONDITION_LIST("Conflicts", condition_read_services, conflicts),
	CONDITION_KEY("StandIn", field_read_bool, stand_in),
	CONDITION_LIST("Provides", condition_read_services_or_facilities, provides),
	CONDITION_LIST("StopAfter", condition_read_services, stop_after),
	CONDITION_LIST("StopBefore", condition_read_services_or_facilities, stop_before),

	SOCKET_LIST("ListenStream", socket_read_stream, listens),
	SOCKET_LIST("ListenDatagram", socket_read_datagram, listens),
	SOCKET_LIST("ListenSequentialPacket", socket_read_seqpacket, listens),
	SOCKET_LIST("ListenFIFO", socket_read_fifo, listens),
	SOCKET_KEY("SocketUser", field_read_account, user),
	SOCKET_KEY("SocketGroup", field_read_account, group),
	SOCKET_KEY("SocketMode", socket_read_mode, mode),
	SOCKET_KEY("DirectoryMode", field_read_directory_mode, directory_mode),
	SOCKET_KEY("Backlog", socket_read_backlog, backlog),
	SOCKET_LIST("FileDescriptorName", socket_read_names, names),
	SOCKET_KEY("RemoveOnStop", field_read_bool, remove_on_stop),
	SOCKET_KEY("KeepAlive", field_read_bool, keep_alive),
	SOCKET_KEY("NoDelay", field_read_bool, no_delay),
	SOCKET_KEY("FreeBind", field_read_bool, free_bind),
	SOCKET_KEY("ReusePort", field_read_bool, reuse_port),
	SOCKET_KEY("BindIPv6Only", socket_read_ipv6_only, ipv6_only),
	SOCKET_KEY("PassCredentials", field_read_bool, pass_credentials),
	SOCKET_KEY("ReceiveBuffer", socket_read_buffer_size, receive_buffer),
	SOCKET_KEY("SendBuffer", socket_read_buffer_size, send_buffer),
	SOCKET_KEY("TriggerLimit", socket_read_trigger_limit, trigger_limit),
	SOCKET_KEY("Accept", socket_read_accept, listens),
	{ .name = NULL },
};

const ServiceKey *service_keys(void)
{
	return keys;
}

unsigned service_keys_length(void)
{
	return G_N_ELEMENTS(keys) - 1;
}

unsigned service_key_number(const ServiceKey *key)
{
	return (unsigned)(key - keys);
}

bool service_key_takes_paths(const ServiceKey *key)
{
	static KeyReader *const readers[] = {
		field_read_path,       service_read_ready,         condition_read_terms,
		exec_read_environment, exec_read_environment_file, exec_read_standard_input,
		socket_read_stream,    socket_read_datagram,       socket_read_seqpacket,
		socket_read_fifo,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
		if (key->read == readers[i])
			return true;
	}
	return key->read_numbered == exec_read_sandbox &&
	       sandbox_key_takes_paths((enum SandboxKey)key->number);
}

const ServiceKey *service_key_find(const char *section, const char *name)
{
	for (const ServiceKey *key = keys; key->name; key++) {
		if (*key->name == *name && strcmp(key->name, name) == 0 &&
		    strcmp(key->section, section) == 0)
			return key;
	}
	return NULL;
}

/* The struct with the field of @key. Optional structs are made with their first key. */
static void *struct_of(const ServiceKey *key, ServiceDef *def)
{
	switch (key->target) {
	case KEY_IN_DEFINITION:
		break;
	case KEY_IN_EXECUTION:
		return exec_def_change(&def->execution);
	case KEY_IN_SOCKET:
		if (!def->socket)
			def->socket = socket_def_new();
		return def->socket;
	}
	return def;
}

char *service_key_read(const ServiceKey *key, ServiceDef *def, const char *value, Origin origin)
{
	void *field = (char *)struct_of(key, def) + key->offset;

	return key->read ? key->read(def, field, value, origin) :
			   key->read_numbered(field, key->number, value);
}
