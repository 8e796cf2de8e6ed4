/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client: GDBus, on the private socket for root and on the system bus for other users.
 */
#include "config.h"

#include "svcctl/client.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/limits.h"
#include "bus/names.h"
#include "svcctl/agent.h"
#include "svcctl/exit-code.h"

/* Between two attempts to reach a manager that is being replaced. */
enum { RETRY_MS = 50 };

/*
 * How long svcctl waits for the socket during a boot. The manager creates it before it reads any
 * file.
 */
#define BOOT_PATIENCE_US (5 * G_USEC_PER_SEC)

/*
 * A person needs longer to type a password than a program to answer. svcd itself waits
 * LIMIT_AUTHENTICATE_US.
 */
#define PERSON_LIMIT_US (LIMIT_AUTHENTICATE_US + 30 * G_USEC_PER_SEC)

#define DBUS_ERROR_NEEDS_PASSWORD "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired"

struct Client {
	GDBusConnection *connection; /* NULL while not connected */
	int64_t timeout_us;
	int64_t created_us;
	char *own_path; /* the socket of the user's own svcd; NULL: the system's svcd */
	bool is_on_bus; /* @connection is to the system bus */
	guint name_watch; /* on the bus: the watch of svcd's name, 0: none */
	bool is_owner_gone; /* on the bus: the manager that used @connection has left the bus */
	bool is_listening;
	bool is_watching; /* @connection receives all signals */
	unsigned n_connections;
	ClientSignalFunc on_signal; /* or NULL */
	void *on_signal_data;
	bool was_reported; /* a signal arrived, or the connection was lost */
	bool was_late; /* see client_was_late() */
	bool is_interactive; /* polkit requires a password: later calls may ask the user for it */
	Agent *agent; /* asks on this terminal; NULL: no agent of svcctl's own */
};

Client *client_new(int64_t timeout_us)
{
	Client *client = g_new0(Client, 1);

	client->timeout_us = timeout_us;
	client->created_us = g_get_monotonic_time();
	return client;
}

static void disconnect(Client *client)
{
	if (!client->connection)
		return;
	if (client->name_watch)
		g_bus_unwatch_name(client->name_watch);
	client->name_watch = 0;
	client->is_owner_gone = false;
	/* No orderly close, because that would wait for a manager that may be dead. */
	g_signal_handlers_disconnect_by_data(client->connection, client);
	g_clear_object(&client->connection);
}

void client_free(Client *client)
{
	if (!client)
		return;
	disconnect(client);
	agent_free(client->agent);
	g_free(client->own_path);
	g_free(client);
}

void client_use_own(Client *client)
{
	client->own_path = g_build_filename(g_get_user_runtime_dir(), "svcd", "private", NULL);
}

/* --- connecting --- */

typedef struct Attempt {
	GMainLoop *loop;
	GCancellable *cancellable;
	GDBusConnection *connection;
	GError *error;
	bool is_late;
} Attempt;

/* The answer to a pending call. */
typedef struct Answer {
	GMainLoop *loop;
	GVariant *value;
	GError *error;
} Answer;

static void on_connected(GObject *source, GAsyncResult *result, gpointer data)
{
	Attempt *attempt = data;

	attempt->connection = g_dbus_connection_new_for_address_finish(result, &attempt->error);
	g_main_loop_quit(attempt->loop);
}

static gboolean on_late(gpointer data)
{
	Attempt *attempt = data;

	attempt->is_late = true;
	g_cancellable_cancel(attempt->cancellable);
	return G_SOURCE_CONTINUE; /* removed by its creator */
}

static const char *socket_path(const Client *client)
{
	const char *path = client->own_path ? client->own_path : g_getenv("SVCD_PRIVATE");

	return path && *path ? path : PRIVATE_SOCKET_PATH;
}

/* The private socket is for root alone, unless another socket was named. */
static bool must_use_bus(const Client *client)
{
	return geteuid() != 0 && strcmp(socket_path(client), PRIVATE_SOCKET_PATH) == 0;
}

/* The private socket refuses uid 0 without this capability. */
static bool has_sys_admin(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
	       data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

/* Is another attempt useful? */
static bool is_lost(const GError *error)
{
	return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED) ||
	       g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED) ||
	       g_error_matches(error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE) ||
	       g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_DISCONNECTED) ||
	       g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY);
}

bool client_pid1_is_svcd(char **ret_name)
{
	g_autofree char *name = NULL;
	bool is_svcd;

	if (g_file_get_contents("/proc/1/comm", &name, NULL, NULL))
		g_strchomp(name);
	is_svcd = g_strcmp0(name, "svcd") == 0;
	if (ret_name)
		*ret_name = g_steal_pointer(&name);
	return is_svcd;
}

/* Early in a boot PID 1 runs before the socket exists. */
static bool is_booting(const Client *client)
{
	return !client->own_path &&
	       g_get_monotonic_time() < client->created_us + BOOT_PATIENCE_US &&
	       client_pid1_is_svcd(NULL);
}

/* Sets the error message for a failed connection. Returns: true if another attempt is useful. */
static bool explain_failure(Client *client, const GError *cause, bool is_late, GError **error)
{
	/* EAGAIN: the kernel's queue of pending connections is full. */
	client->was_late = is_late || g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
	if (is_late) {
		fail_ctl(error, CTL_ERROR_UNREACHABLE, "svcd does not answer on %s",
			 socket_path(client));
		return false;
	}
	if (!client->own_path && geteuid() == 0 && !has_sys_admin()) {
		fail(error, SVCD_ERROR_NOT_AUTHORIZED,
		     "svcd accepts on %s only processes with CAP_SYS_ADMIN, which this process "
		     "does not have",
		     socket_path(client));
		return false;
	}
	if (g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED)) {
		fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may connect to svcd on %s",
		     socket_path(client));
		return false;
	}
	if (g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
	    g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)) {
		fail_ctl(error, CTL_ERROR_UNREACHABLE,
			 "%s is not running: no process listens on %s",
			 client->own_path ? "svcd --user" : "svcd", socket_path(client));
		return is_booting(client);
	}
	fail_ctl(error, CTL_ERROR_UNREACHABLE, "cannot connect to svcd on %s: %s",
		 socket_path(client), cause->message);
	return true; /* the manager died during authentication */
}

static void on_signal(GDBusConnection *connection, const gchar *sender, const gchar *path,
		      const gchar *interface, const gchar *name, GVariant *args, gpointer data)
{
	Client *client = data;

	client->was_reported = true;
	if (client->on_signal)
		client->on_signal(client->on_signal_data, path, name, args);
}

static void on_connection_closed(GDBusConnection *connection, gboolean by_peer, GError *error,
				 gpointer data)
{
	Client *client = data;

	client->was_reported = true;
}

GDBusConnection *client_open(const char *address, GDBusConnectionFlags flags, int64_t deadline_us,
			     bool *ret_is_late, GError **error)
{
	g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	Attempt attempt = { .loop = loop, .cancellable = cancellable };
	const int64_t left_us = MAX(deadline_us - g_get_monotonic_time(), 0);
	const guint limit = g_timeout_add((guint)(left_us / 1000), on_late, &attempt);

	g_dbus_connection_new_for_address(address, flags, NULL, cancellable, on_connected,
					  &attempt);
	g_main_loop_run(loop);
	g_source_remove(limit);
	*ret_is_late = attempt.is_late;
	if (attempt.error)
		g_propagate_error(error, attempt.error);
	return attempt.connection;
}

GDBusConnection *client_open_system_bus(int64_t timeout_us)
{
	g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, NULL, NULL);
	g_autoptr(GError) error = NULL; /* the caller only learns that the bus is absent */
	bool is_late;

	if (!address)
		return NULL;
	return client_open(address,
			   G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
				   G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
			   g_get_monotonic_time() + timeout_us, &is_late, &error);
}

static void on_owner_gone(GDBusConnection *connection, const char *name, gpointer data)
{
	Client *client = data;

	client->is_owner_gone = true;
	client->was_reported = true;
}

static bool connect_to_bus(Client *client, GError **error)
{
	client->connection = client_open_system_bus(client->timeout_us);
	if (!client->connection)
		return fail(
			error, SVCD_ERROR_NOT_AUTHORIZED,
			"only root can use svcd now: other users need the system bus, which does "
			"not answer");
	client->is_on_bus = true;
	client->n_connections++;
	client->name_watch = g_bus_watch_name_on_connection(client->connection, BUS_NAME,
							    G_BUS_NAME_WATCHER_FLAGS_NONE, NULL,
							    on_owner_gone, client, NULL);
	g_signal_connect(client->connection, "closed", G_CALLBACK(on_connection_closed), client);
	return true;
}

static bool connect_once(Client *client, int64_t deadline_us, bool *ret_again, GError **error)
{
	g_autofree char *escaped = g_dbus_address_escape_value(socket_path(client));
	g_autofree char *address = g_strconcat("unix:path=", escaped, NULL);
	g_autoptr(GError) cause = NULL;
	bool is_late;

	*ret_again = false;
	if (must_use_bus(client))
		return connect_to_bus(client, error);
	client->connection = client_open(address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT,
					 deadline_us, &is_late, &cause);
	if (!client->connection) {
		*ret_again = explain_failure(client, cause, is_late, error);
		return false;
	}
	client->n_connections++;
	g_signal_connect(client->connection, "closed", G_CALLBACK(on_connection_closed), client);
	return true;
}

static void on_answer(GObject *source, GAsyncResult *result, gpointer data)
{
	Answer *answer = data;

	answer->value =
		g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &answer->error);
	g_main_loop_quit(answer->loop);
}

/* On the bus: no process owns svcd's name. The call was not delivered, so it can be repeated. */
static bool is_absent(const GError *error)
{
	return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER) ||
	       g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN);
}

static bool has_remote_name(const GError *error, const char *wanted)
{
	g_autofree char *name = g_dbus_error_get_remote_error(error);

	return g_strcmp0(name, wanted) == 0;
}

/*
 * Waits in the main loop, so that signals that were sent before the answer are handled before it.
 */
static GVariant *call_once(Client *client, const char *path, const char *interface,
			   const char *method, GVariant *args, const char *type,
			   int64_t deadline_us, GError **error)
{
	const int64_t limit_us = client->is_interactive ? PERSON_LIMIT_US : G_USEC_PER_SEC;
	const int64_t left_us = MAX(deadline_us - g_get_monotonic_time(), limit_us);
	g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
	Answer answer = { .loop = loop };

	g_dbus_connection_call(client->connection, client->is_on_bus ? BUS_NAME : NULL, path,
			       interface, method, args, G_VARIANT_TYPE(type),
			       G_DBUS_CALL_FLAGS_NO_AUTO_START |
				       (client->is_interactive ?
						G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION :
						0),
			       (gint)(left_us / 1000), NULL, on_answer, &answer);
	g_main_loop_run(loop);
	if (answer.error)
		g_propagate_error(error, answer.error);
	return answer.value;
}

/*
 * A manager that is being replaced is on the bus again within a second. During a boot it appears
 * soon after the bus.
 */
static GVariant *call(Client *client, const char *path, const char *interface, const char *method,
		      GVariant *args, const char *type, int64_t deadline_us, GError **error)
{
	const int64_t patient_until_us =
		MIN(deadline_us, g_get_monotonic_time() + BOOT_PATIENCE_US);

	for (;;) {
		g_autoptr(GError) problem = NULL;
		GVariant *reply = call_once(client, path, interface, method, args, type,
					    deadline_us, &problem);

		if (reply)
			return reply;
		/* Calls that need no password do not start an agent. */
		if (!client->is_interactive &&
		    has_remote_name(problem, DBUS_ERROR_NEEDS_PASSWORD)) {
			client->is_interactive = true;
			client->agent = isatty(STDIN_FILENO) ? agent_new() : NULL;
			continue;
		}
		if (!is_absent(problem) || g_get_monotonic_time() >= patient_until_us ||
		    !client_pid1_is_svcd(NULL)) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return NULL;
		}
		g_usleep(RETRY_MS * 1000);
	}
}

static bool resume_watch(Client *client, int64_t deadline_us, GError **error)
{
	g_autoptr(GVariant) reply = NULL;

	if (!client->is_listening)
		return true;
	if (client->is_watching && !client->is_on_bus)
		reply = call(client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Subscribe", NULL,
			     "()", deadline_us, error);
	if (client->is_watching && !client->is_on_bus && !reply)
		return false;
	if (client->is_on_bus)
		g_dbus_connection_signal_subscribe(client->connection, BUS_NAME, NULL,
						   client->is_watching ? NULL : "ConditionChanged",
						   NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE, on_signal,
						   client, NULL);
	else
		g_dbus_connection_signal_subscribe(client->connection, NULL, NULL, NULL, NULL, NULL,
						   G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_signal,
						   client, NULL);
	client->was_reported = true; /* changes may have been missed while svcctl was not listening
				      */
	return true;
}

static bool ensure_connected(Client *client, int64_t deadline_us, GError **error)
{
	if (client_is_connected(client))
		return true;
	for (;;) {
		g_autoptr(GError) problem = NULL;
		bool again = true;

		disconnect(client);
		if (connect_once(client, deadline_us, &again, &problem) &&
		    resume_watch(client, deadline_us, &problem))
			return true;
		if (!again || g_get_monotonic_time() + RETRY_MS * 1000 >= deadline_us) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return false;
		}
		g_usleep(RETRY_MS * 1000);
	}
}

/* --- calling --- */

/*
 * svcd knows only the uid of the caller: replaces "uid 1000 may not ..." with "user bob may not
 * ..."; a new string.
 */
static char *with_own_name(const char *sentence)
{
	g_autofree char *number = g_strdup_printf("uid %u ", (unsigned)geteuid());

	return g_str_has_prefix(sentence, number) ?
		       g_strdup_printf("user %s %s", g_get_user_name(), sentence + strlen(number)) :
		       g_strdup(sentence);
}

/* Translates the manager's error into one of svcctl's. */
static void translate(Client *client, GError *cause, GError **error)
{
	g_autofree char *name = g_dbus_error_get_remote_error(cause);
	g_autofree char *sentence = NULL;
	ErrorCode code;

	client->was_late = g_error_matches(cause, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
	if (name)
		g_dbus_error_strip_remote_error(cause);
	sentence = with_own_name(cause->message);
	if (name && g_str_has_prefix(name, BUS_ERROR_PREFIX) &&
	    error_code_from_name(name + strlen(BUS_ERROR_PREFIX), &code))
		fail(error, code, "%s", sentence);
	else if (g_strcmp0(name, DBUS_ERROR_NEEDS_PASSWORD) == 0)
		fail(error, SVCD_ERROR_NOT_AUTHORIZED, "%s", sentence);
	else if (client->was_late)
		fail_ctl(error, CTL_ERROR_UNREACHABLE,
			 "svcd received the request but does not answer");
	else if (g_error_matches(cause, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_OBJECT))
		/* between the query for its path and this call */
		fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "the service has just been removed");
	else if (is_absent(cause))
		fail_ctl(error, CTL_ERROR_UNREACHABLE,
			 "svcd is not running: no program owns the name %s on the system bus",
			 BUS_NAME);
	else if (g_error_matches(cause, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED))
		fail(error, SVCD_ERROR_NOT_AUTHORIZED, "the system bus refused this call: %s",
		     cause->message);
	else
		fail_ctl(error, CTL_ERROR_FAILED, "svcd refused the call: %s", cause->message);
}

GVariant *client_get(Client *client, const char *path, const char *interface, const char *method,
		     GVariant *args, const char *type, GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + client->timeout_us;
	g_autoptr(GVariant) kept = args ? g_variant_ref_sink(args) : NULL;

	for (;;) {
		g_autoptr(GError) cause = NULL;
		GVariant *reply;

		if (!ensure_connected(client, deadline_us, error))
			return NULL;
		reply = call(client, path, interface, method, kept, type, deadline_us, &cause);
		if (reply)
			return reply;
		if (!is_lost(cause) || g_get_monotonic_time() + RETRY_MS * 1000 >= deadline_us) {
			translate(client, cause, error);
			return NULL;
		}
		disconnect(client);
		g_usleep(RETRY_MS * 1000);
	}
}

GVariant *client_get_manager(Client *client, const char *method, GVariant *args, const char *type,
			     GError **error)
{
	return client_get(client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, method, args, type,
			  error);
}

static GVariant *change(Client *client, const char *path, const char *interface, const char *method,
			GVariant *args, const char *type, GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + client->timeout_us;
	g_autoptr(GVariant) kept = args ? g_variant_ref_sink(args) : NULL;
	g_autoptr(GError) cause = NULL;
	GVariant *reply;

	if (!ensure_connected(client, deadline_us, error))
		return NULL;
	reply = call(client, path, interface, method, kept, type, deadline_us, &cause);
	if (reply)
		return reply;
	if (is_lost(cause)) {
		disconnect(client);
		fail_ctl(error, CTL_ERROR_OUTCOME_UNKNOWN,
			 "svcd was replaced during the request, so the result is not known: check "
			 "it, and try again");
	} else {
		translate(client, cause, error);
	}
	return NULL;
}

GVariant *client_change(Client *client, const char *method, GVariant *args, const char *type,
			GError **error)
{
	return change(client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, method, args, type, error);
}

/* The object's path; a new string. */
static char *find_service(Client *client, const char *name, GError **error)
{
	g_autoptr(GVariant) reply = NULL;
	char *path;

	if (!g_utf8_validate(name, -1, NULL)) {
		fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
		     "the name of a service must be valid UTF-8");
		return NULL;
	}
	reply = client_get_manager(client, "GetService", g_variant_new("(s)", name), "(o)", error);
	if (!reply)
		return NULL;
	g_variant_get(reply, "(o)", &path);
	return path;
}

GVariant *client_change_service(Client *client, const char *name, const char *method,
				GVariant *args, const char *type, GError **error)
{
	g_autoptr(GVariant) kept = g_variant_ref_sink(args);
	g_autofree char *path = find_service(client, name, error);

	return path ? change(client, path, INTERFACE_SERVICE, method, kept, type, error) : NULL;
}

GVariant *client_properties(Client *client, const char *path, const char *interface, GError **error)
{
	g_autoptr(GVariant)
		reply = client_get(client, path, "org.freedesktop.DBus.Properties", "GetAll",
				   g_variant_new("(s)", interface), "(a{sv})", error);

	return reply ? g_variant_get_child_value(reply, 0) : NULL;
}

GVariant *client_service(Client *client, const char *name, GError **error)
{
	g_autofree char *path = find_service(client, name, error);

	return path ? client_properties(client, path, INTERFACE_SERVICE, error) : NULL;
}

/* --- watching --- */

void client_set_listener(Client *client, ClientSignalFunc func, void *data)
{
	client->on_signal = func;
	client->on_signal_data = data;
}

unsigned client_count_connections(const Client *client)
{
	return client->n_connections;
}

bool client_is_connected(const Client *client)
{
	return client->connection && !g_dbus_connection_is_closed(client->connection) &&
	       !client->is_owner_gone;
}

bool client_was_late(const Client *client)
{
	return client->was_late;
}

void client_wake(Client *client)
{
	client->was_reported = true;
}

static bool begin_listening(Client *client, GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + client->timeout_us;

	if (client->is_listening)
		return true;
	client->is_listening = true;
	if (client->connection)
		return resume_watch(client, deadline_us, error);
	return ensure_connected(client, deadline_us, error);
}

bool client_listen(Client *client, GError **error)
{
	return begin_listening(client, error);
}

bool client_watch(Client *client, GError **error)
{
	client->is_watching = true;
	return begin_listening(client, error);
}

static gboolean on_deadline(gpointer data)
{
	bool *is_over = data;

	*is_over = true;
	return G_SOURCE_CONTINUE; /* removed by its creator */
}

bool client_wait(Client *client, int64_t deadline_us)
{
	const int64_t left_us = MAX(deadline_us - g_get_monotonic_time(), 0);
	bool is_over = false;
	const guint limit = g_timeout_add((guint)(left_us / 1000), on_deadline, &is_over);

	while (!client->was_reported && !is_over)
		g_main_context_iteration(NULL, TRUE);
	g_source_remove(limit);
	client->was_reported = false;
	return !is_over;
}
