/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * list --unmanaged: processes that the message bus started itself, without svcd.
 *
 * They are in the bus's own cgroup; without cgroups, they descend from its main process. The bus
 * reports the names that they own.
 */
#include "config.h"

#include <pwd.h>
#include <string.h>

#include "base/errors.h"
#include "svcctl/processes.h"
#include "svcctl/svcctl.h"

#define BUS_SERVICE "dbus"
#define DBUS_NAME "org.freedesktop.DBus"
#define DBUS_PATH "/org/freedesktop/DBus"

/*
 * The time limit for connecting to the bus, and for each of its answers. The list is useful even
 * without these answers.
 */
#define BUS_LIMIT_US (3 * G_USEC_PER_SEC)

static const Column unmanaged_columns[] = {
	{ "pid", "PID", "Pid", CELL_NUMBER },           { "uid", NULL, "Uid", CELL_NUMBER },
	{ "user", "USER", "User", CELL_TEXT },          { "names", "NAMES", "Names", CELL_STRINGS },
	{ "command", "COMMAND", "Command", CELL_TEXT },
};

/* --- names on the bus --- */

static GVariant *query_bus(GDBusConnection *bus, const char *method, GVariant *args,
			   const char *type)
{
	return g_dbus_connection_call_sync(bus, DBUS_NAME, DBUS_PATH, DBUS_NAME, method, args,
					   G_VARIANT_TYPE(type), G_DBUS_CALL_FLAGS_NO_AUTO_START,
					   BUS_LIMIT_US / 1000, NULL, NULL);
}

static void add_name(GHashTable *names, guint pid, const char *name)
{
	GPtrArray *of_pid = g_hash_table_lookup(names, GUINT_TO_POINTER(pid));

	if (!of_pid) {
		of_pid = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(names, GUINT_TO_POINTER(pid), of_pid);
	}
	g_ptr_array_add(of_pid, g_strdup(name));
}

/* pid -> GPtrArray of names; empty if the bus does not answer. */
static GHashTable *get_names(void)
{
	GHashTable *names = g_hash_table_new_full(
		NULL, NULL, NULL, (GDestroyNotify)(void (*)(void))g_ptr_array_unref);
	g_autoptr(GDBusConnection) bus = client_open_system_bus(BUS_LIMIT_US);
	g_autoptr(GVariant) reply = bus ? query_bus(bus, "ListNames", NULL, "(as)") : NULL;
	g_autofree const char **all = NULL;

	if (reply)
		g_variant_get(reply, "(^a&s)", &all);
	for (size_t i = 0; all && all[i]; i++) {
		g_autoptr(GVariant) answer = NULL;
		guint pid;

		if (*all[i] == ':')
			continue;
		answer = query_bus(bus, "GetConnectionUnixProcessID", g_variant_new("(s)", all[i]),
				   "(u)");
		if (!answer)
			continue;
		g_variant_get(answer, "(u)", &pid);
		add_name(names, pid, all[i]);
	}
	return names;
}

/* --- processes --- */

static const Process *find_process(const GPtrArray *processes, pid_t pid)
{
	for (guint i = 0; i < processes->len; i++) {
		const Process *process = g_ptr_array_index(processes, i);

		if (process->pid == pid)
			return process;
	}
	return NULL;
}

/*
 * For each program that it starts, dbus-daemon forks a second dbus-daemon, which waits for the
 * program. That process belongs to the bus. The program that requests a service from svcd
 * (docs/bus-activation.md) is part of svcd.
 */
static bool is_bus_itself(const Process *process, pid_t main_pid, const char *main_command)
{
	return process->pid == main_pid ||
	       (main_command && strcmp(process->command, main_command) == 0) ||
	       g_str_has_prefix(process->command, SVCD_LIBDIR "/svc-activate");
}

static GVariant *new_record(const Process *process, GHashTable *names)
{
	static const char *const none[] = { NULL };
	GPtrArray *of_pid = g_hash_table_lookup(names, GUINT_TO_POINTER((guint)process->pid));
	g_autofree char *command = g_utf8_make_valid(process->command, -1);
	const struct passwd *user = getpwuid(process->uid);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "Pid", "u", (guint32)process->pid);
	g_variant_dict_insert(&dict, "Uid", "u", (guint32)process->uid);
	g_variant_dict_insert(&dict, "User", "s", user ? user->pw_name : "");
	g_variant_dict_insert_value(&dict, "Names",
				    of_pid ? g_variant_new_strv((const char *const *)of_pid->pdata,
								of_pid->len) :
					     g_variant_new_strv(none, 0));
	g_variant_dict_insert(&dict, "Command", "s", command);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

static GPtrArray *find_processes(GVariant *bus, char **ret_main_command)
{
	const char *cgroup = record_text(bus, "ControlGroup");
	const pid_t main_pid = (pid_t)record_number(bus, "MainPid");
	g_autoptr(GPtrArray) alone = processes_of_cgroup("", main_pid, proc_directory(), 1);
	const Process *main_process = find_process(alone, main_pid);

	*ret_main_command = main_process ? g_strdup(main_process->command) : NULL;
	return *cgroup ? processes_of_cgroup(cgroup, main_pid, proc_directory(), PROCESSES_SHOWN) :
			 processes_below(main_pid, proc_directory());
}

bool list_unmanaged(Context *context, GError **error)
{
	g_autoptr(GVariant) bus = client_service(context->client, BUS_SERVICE, error);
	g_autoptr(GPtrArray) records = records_new();
	g_autoptr(GPtrArray) processes = NULL;
	g_autoptr(GHashTable) names = NULL;
	g_autofree char *main_command = NULL;

	if (!bus)
		return false;
	names = get_names();
	processes = find_processes(bus, &main_command);
	for (guint i = 0; i < processes->len; i++) {
		const Process *process = g_ptr_array_index(processes, i);

		if (!is_bus_itself(process, (pid_t)record_number(bus, "MainPid"), main_command))
			g_ptr_array_add(records, new_record(process, names));
	}
	if (!output_table(&context->output, unmanaged_columns, G_N_ELEMENTS(unmanaged_columns),
			  records, context->options.columns, error))
		return false;
	if (records->len == 0)
		output_confirm(&context->output,
			       "the message bus has started no service by itself");
	if (processes->len == PROCESSES_SHOWN)
		output_confirm(&context->output,
			       "only the first %u processes of the bus were examined",
			       PROCESSES_SHOWN);
	return true;
}
