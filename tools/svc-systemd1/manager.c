/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Manager: see manager.h. org.freedesktop.systemd1(5) describes the members.
 */
#include "config.h"

#include "svc-systemd1/manager.h"

#include <glib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "svc-systemd1/bus.h"
#include "svc-systemd1/properties.h"
#include "svc-systemd1/spawn.h"
#include "svc-systemd1/start-stop.h"

#define SESSION_PROGRAM SVCD_LIBDIR "/svc-session"

#define UNKNOWN_TEXT "svcd's stand-in for systemd does not have this member."

/* Calls that wait for a process, unknown members that the log names, and processes to attach. */
enum { WAITING_MAX = 64, UNKNOWN_MAX = 64, ATTACHED_MAX = 64 };

typedef enum Access { ACCESS_ALL, ACCESS_ROOT } Access;

typedef struct Call {
	DBusMessage *message;
	DBusMessage *reply; /* NULL: it is sent later */
	CallError error;
} Call;

typedef struct Waiting {
	pid_t pid;
	DBusMessage *call;
	bool is_unknown; /* the process only logs the call */
} Waiting;

/* Global variables, because a program has one of each. */
static Waiting waiting[WAITING_MAX];
static unsigned n_waiting;
static GHashTable *unknown_members;

/* --- answers --- */

static bool get_arguments(Call *call, int first_type, ...)
{
	DBusError error = DBUS_ERROR_INIT;
	va_list args;
	bool is_valid;

	va_start(args, first_type);
	is_valid = dbus_message_get_args_valist(call->message, &error, first_type, args);
	va_end(args);
	if (!is_valid)
		(void)call_fail(&call->error, DBUS_ERROR_INVALID_ARGS, "%s", error.message);
	dbus_error_free(&error);
	return is_valid;
}

static bool answer_object(Call *call, const char *path)
{
	return dbus_message_append_args(call->reply, DBUS_TYPE_OBJECT_PATH, &path,
					DBUS_TYPE_INVALID);
}

static bool answer_job(Call *call, uint32_t job)
{
	g_autofree char *path = bus_job_path(job);

	return job && answer_object(call, path);
}

static void answer_waiting(const Waiting *answered, bool is_success)
{
	DBusMessage *call = answered->call;

	if (answered->is_unknown)
		bus_send(dbus_message_new_error(call, DBUS_ERROR_UNKNOWN_METHOD, UNKNOWN_TEXT));
	else if (is_success)
		bus_send(dbus_message_new_method_return(call));
	else
		bus_send(dbus_message_new_error(call, DBUS_ERROR_FAILED,
						"The log of svc-systemd1 has the reason."));
	dbus_message_unref(call);
}

/* The answer is sent when the process has ended. */
static bool answer_later(Call *call, const char *const *argv, bool is_unknown)
{
	pid_t pid;

	if (n_waiting >= WAITING_MAX)
		return call_fail(&call->error, DBUS_ERROR_LIMITS_EXCEEDED, "too many calls");
	pid = spawn(argv, NULL, 0);
	if (!pid)
		return call_fail(&call->error, DBUS_ERROR_NO_MEMORY, "no process can be started");
	waiting[n_waiting++] = (Waiting){ .pid = pid, .call = dbus_message_ref(call->message),
					   .is_unknown = is_unknown };
	dbus_message_unref(call->reply);
	call->reply = NULL;
	return true;
}

bool manager_on_exit(pid_t pid, int status)
{
	for (unsigned i = 0; i < n_waiting; i++) {
		const Waiting answered = waiting[i];

		if (answered.pid != pid)
			continue;
		waiting[i] = waiting[--n_waiting];
		answer_waiting(&answered, WIFEXITED(status) && WEXITSTATUS(status) == 0);
		return true;
	}
	return false;
}

/* --- members --- */

/* Every signal is sent to all. */
static bool on_subscribe(Call *call)
{
	(void)call;
	return true;
}

static bool on_start_unit(Call *call)
{
	const char *name;
	const char *mode; /* no two jobs of ours conflict, so all modes mean the same */

	return get_arguments(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &mode,
			     DBUS_TYPE_INVALID) &&
	       answer_job(call, start_stop_request_start(name, &call->error));
}

static bool on_stop_unit(Call *call)
{
	const char *name;
	const char *mode;

	return get_arguments(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &mode,
			     DBUS_TYPE_INVALID) &&
	       answer_job(call, start_stop_request_stop(name, &call->error));
}

static bool on_start_transient_unit(Call *call)
{
	Transient transient;
	uint32_t job = 0;

	if (transient_read(call->message, &transient, &call->error))
		job = start_stop_request_scope(&transient, call->message, &call->error);
	if (!job)
		transient_clear(&transient);
	return answer_job(call, job);
}

static bool on_kill_unit(Call *call)
{
	const char *name;
	const char *whom;
	dbus_int32_t number;
	uint32_t uid = 0;
	const Unit *unit;

	if (!get_arguments(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &whom, DBUS_TYPE_INT32,
			   &number, DBUS_TYPE_INVALID))
		return false;
	unit = unit_find(name);
	if (strcmp(whom, "all") != 0)
		return call_fail(&call->error, DBUS_ERROR_NOT_SUPPORTED,
				 "svc-systemd1 signals only all processes of a unit");
	if (unit && (unit->kind == UNIT_SCOPE || unit->kind == UNIT_USER_MANAGER))
		uid = unit->uid;
	else if (unit_name_kind(name) != UNIT_USER_SLICE || !unit_name_uid(name, &uid) ||
		 !unit_slice_is_active(uid))
		return call_fail(&call->error, ERROR_NO_SUCH_UNIT, "Unit %.255s not loaded.", name);

	g_autofree char *cgroup = unit_name_cgroup(name, uid);
	g_autofree char *text = g_strdup_printf("%d", number);
	const char *const argv[] = { SESSION_PROGRAM, "signal", cgroup, text, NULL };

	return answer_later(call, argv, false);
}

/* A scope that is abandoned lives as long as its processes, and so does every scope here. */
static bool on_abandon(Call *call)
{
	g_autofree char *name = unit_name_from_object(dbus_message_get_path(call->message));
	const Unit *unit = name ? unit_find(name) : NULL;

	if (unit && unit->kind == UNIT_SCOPE)
		return true;
	return call_fail(&call->error, ERROR_NO_SUCH_UNIT, "Unit %.255s not loaded.",
			 name ? name : "");
}

static bool on_get_unit(Call *call)
{
	const char *name;
	g_autofree char *path = NULL;

	if (!get_arguments(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
		return false;
	if (!unit_find(name))
		return call_fail(&call->error, ERROR_NO_SUCH_UNIT, "Unit %.255s not loaded.", name);
	path = unit_name_to_object(name);
	return answer_object(call, path);
}

/*
 * A user manager may not move a process out of the scope of a session, because the cgroup that
 * contains both is not the user's. The program checks that they are processes of the user.
 */
static bool on_attach_processes(Call *call)
{
	const char *sender = dbus_message_get_sender(call->message);
	const uint32_t uid = bus_user_of(sender);
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	const char *name;
	const char *below;
	const dbus_uint32_t *pids;
	int n_pids;

	if (!get_arguments(call, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING, &below, DBUS_TYPE_ARRAY,
			   DBUS_TYPE_UINT32, &pids, &n_pids, DBUS_TYPE_INVALID))
		return false;
	if (*name || uid == UINT32_MAX)
		return call_fail(&call->error, DBUS_ERROR_NOT_SUPPORTED,
				 "processes can be attached only to the caller's own unit");
	if (n_pids > ATTACHED_MAX)
		return call_fail(&call->error, DBUS_ERROR_LIMITS_EXCEEDED, "too many processes");
	g_ptr_array_add(argv, g_strdup(SESSION_PROGRAM));
	g_ptr_array_add(argv, g_strdup("attach"));
	g_ptr_array_add(argv, g_strdup_printf("%u", uid));
	g_ptr_array_add(argv, g_strdup_printf("%u", bus_process_of(sender)));
	g_ptr_array_add(argv, g_strdup(below));
	for (int i = 0; i < n_pids; i++)
		g_ptr_array_add(argv, g_strdup_printf("%u", pids[i]));
	g_ptr_array_add(argv, NULL);
	return answer_later(call, (const char *const *)argv->pdata, false);
}

static bool on_get(Call *call)
{
	const char *interface;
	const char *name;

	return get_arguments(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name,
			     DBUS_TYPE_INVALID) &&
	       properties_get(dbus_message_get_path(call->message), name, call->reply,
			      &call->error);
}

static bool on_get_all(Call *call)
{
	return properties_get_all(dbus_message_get_path(call->message), call->reply, &call->error);
}

static const struct Member {
	const char *interface;
	const char *name;
	Access access;
	bool (*call)(Call *call);
} members[] = {
	{ DBUS_INTERFACE_PROPERTIES, "Get", ACCESS_ALL, on_get },
	{ DBUS_INTERFACE_PROPERTIES, "GetAll", ACCESS_ALL, on_get_all },
	{ SYSTEMD1_MANAGER, "AttachProcessesToUnit", ACCESS_ALL, on_attach_processes },
	{ SYSTEMD1_MANAGER, "GetUnit", ACCESS_ALL, on_get_unit },
	{ SYSTEMD1_MANAGER, "KillUnit", ACCESS_ROOT, on_kill_unit },
	{ SYSTEMD1_MANAGER, "StartTransientUnit", ACCESS_ROOT, on_start_transient_unit },
	{ SYSTEMD1_MANAGER, "StartUnit", ACCESS_ROOT, on_start_unit },
	{ SYSTEMD1_MANAGER, "StopUnit", ACCESS_ROOT, on_stop_unit },
	{ SYSTEMD1_MANAGER, "Subscribe", ACCESS_ALL, on_subscribe },
	{ SYSTEMD1_MANAGER, "Unsubscribe", ACCESS_ALL, on_subscribe },
	{ SYSTEMD1_NAME ".Scope", "Abandon", ACCESS_ROOT, on_abandon },
};

static const struct Member *find_member(DBusMessage *message)
{
	for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
		if (dbus_message_is_method_call(message, members[i].interface, members[i].name))
			return &members[i];
	return NULL;
}

/* --- calls --- */

/*
 * The log gets each member once. The name of the caller comes from /proc, so an expendable process
 * looks and writes the line. The caller waits for it, because it may end with the answer.
 */
static bool refuse_unknown(Call *call)
{
	const char *interface = dbus_message_get_interface(call->message);
	g_autofree char *member = g_strdup_printf("%s.%s", interface ? interface : "-",
						  dbus_message_get_member(call->message));
	g_autofree char *pid = NULL;

	if (!unknown_members)
		unknown_members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (g_hash_table_size(unknown_members) >= UNKNOWN_MAX ||
	    !g_hash_table_add(unknown_members, g_strdup(member)))
		return call_fail(&call->error, DBUS_ERROR_UNKNOWN_METHOD, UNKNOWN_TEXT);
	pid = g_strdup_printf("%u", bus_process_of(dbus_message_get_sender(call->message)));

	const char *const argv[] = { SESSION_PROGRAM, "unknown", member, pid, NULL };

	return answer_later(call, argv, true);
}

static bool carry_out(Call *call)
{
	const struct Member *member = find_member(call->message);

	if (!member)
		return refuse_unknown(call);
	if (member->access == ACCESS_ROOT &&
	    bus_user_of(dbus_message_get_sender(call->message)) != 0)
		return call_fail(&call->error, DBUS_ERROR_ACCESS_DENIED, "%s is for root only.",
				 member->name);
	return member->call(call);
}

DBusHandlerResult manager_on_message(DBusConnection *bus, DBusMessage *message, void *data)
{
	Call call = { .message = message };

	(void)bus;
	(void)data;
	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL ||
	    dbus_message_has_interface(message, DBUS_INTERFACE_PEER))
		return DBUS_HANDLER_RESULT_NOT_YET_HANDLED;
	call.reply = dbus_message_new_method_return(message);
	if (!carry_out(&call)) {
		dbus_message_unref(call.reply);
		call.reply = dbus_message_new_error(message, call.error.name, call.error.text);
	}
	if (call.reply && dbus_message_get_no_reply(message))
		dbus_message_unref(call.reply);
	else if (call.reply)
		bus_send(call.reply);
	start_stop_advance(); /* after the answer */
	return DBUS_HANDLER_RESULT_HANDLED;
}
