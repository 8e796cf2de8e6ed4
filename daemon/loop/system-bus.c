/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System bus: connects and stays connected; keeps calls by serial, counted matches, and listeners.
 *
 * The transport is dbus-stream.h, because libdbus would wait in connect(2) when the bus daemon is
 * stopped and its backlog is full. Senders are trustworthy, because the bus daemon fills them in.
 *
 * While connected, only messages wake the process. While not connected, only reports about the path
 * of the socket wake it. A timer is used only where the kernel reports no change: for a full
 * backlog, between bind(2) and listen(2), and after the bus has closed the connection.
 */
#include "config.h"

#include "loop/system-bus.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "loop/bus-address.h"
#include "loop/bus-authentication.h"
#include "loop/dbus-stream.h"
#include "loop/loop.h"
#include "loop/wire.h"

/* The first and the longest pause between attempts. Each pause is twice the previous one. */
#define RETRY_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)
#define RETRY_LAST_US (5 * G_USEC_PER_SEC)
/*
 * Refused attempts, a second and a quarter in all. After that no process is about to listen, and
 * the next bus creates a new socket.
 */
#define REFUSED_TRIES 7
/* After a connection of this length the pauses are short again. */
#define STEADY_US (5 * G_USEC_PER_SEC)
#define HELLO_LIMIT_US (10 * G_USEC_PER_SEC)

typedef struct PendingCall {
	SystemBus *bus;
	uint32_t serial;
	Timer *limit;
	SystemBusReply reply;
	void *data;
} PendingCall;

typedef struct Listener {
	unsigned id;
	const SystemBusListener *functions;
	void *data;
	bool is_notified; /* connected() was called */
} Listener;

struct SystemBus {
	const char *kind; /* "system", "session" */
	BusAddress address;
	SocketLook look;
	void *looking; /* NULL while connected */
	bool has_looked; /* a result has come since the look began */
	/* whether the socket exists, as far as is known; always true for an abstract address */
	bool is_there;
	Timer *retry;
	unsigned n_tries; /* since the last sign of a change */
	DBusStream *stream; /* NULL between attempts */
	bool is_connected; /* Hello is answered */
	bool is_trouble_reported; /* one log line until the next connection */
	int64_t connected_us;
	char *unique_name;
	/* the last serial used; it continues across connections, so that no serial is used twice */
	uint32_t serial;
	GHashTable *calls; /* serial -> PendingCall *, owned */
	GHashTable *matches; /* rule, owned -> number of requests */
	GPtrArray *listeners; /* Listener *, owned; NULL: removed while @depth > 0 */
	unsigned depth; /* nesting of callbacks to listeners */
	unsigned last_listener;
	Timer *announce; /* for listeners that are added while connected */
};

static void start_looking(SystemBus *bus);

/* --- listeners --- */

static void sweep_listeners(SystemBus *bus)
{
	for (guint i = bus->listeners->len; bus->depth == 0 && i-- > 0;) {
		if (!g_ptr_array_index(bus->listeners, i))
			g_ptr_array_remove_index(bus->listeners, i);
	}
}

static void notify_connected(SystemBus *bus)
{
	bus->depth++;
	for (guint i = 0; bus->is_connected && i < bus->listeners->len; i++) {
		Listener *l = g_ptr_array_index(bus->listeners, i);

		if (!l || l->is_notified)
			continue;
		l->is_notified = true;
		if (l->functions->connected)
			l->functions->connected(l->data);
	}
	bus->depth--;
	sweep_listeners(bus);
}

static void notify_disconnected(SystemBus *bus)
{
	bus->depth++;
	for (guint i = 0; i < bus->listeners->len; i++) {
		Listener *l = g_ptr_array_index(bus->listeners, i);

		if (!l || !l->is_notified)
			continue;
		l->is_notified = false;
		if (l->functions->disconnected)
			l->functions->disconnected(l->data);
	}
	bus->depth--;
	sweep_listeners(bus);
}

static void notify_message(SystemBus *bus, DBusMessage *message)
{
	bus->depth++;
	for (guint i = 0; i < bus->listeners->len; i++) {
		Listener *l = g_ptr_array_index(bus->listeners, i);

		if (l && l->is_notified && l->functions->message)
			l->functions->message(l->data, message);
	}
	bus->depth--;
	sweep_listeners(bus);
}

static void notify_writable(SystemBus *bus)
{
	bus->depth++;
	for (guint i = 0; i < bus->listeners->len; i++) {
		Listener *l = g_ptr_array_index(bus->listeners, i);

		if (l && l->is_notified && l->functions->on_writable)
			l->functions->on_writable(l->data);
	}
	bus->depth--;
	sweep_listeners(bus);
}

static void on_announce(void *data)
{
	notify_connected(data);
}

unsigned system_bus_add_listener(SystemBus *bus, const SystemBusListener *functions, void *data)
{
	Listener *l = g_new0(Listener, 1);

	l->id = ++bus->last_listener;
	l->functions = functions;
	l->data = data;
	g_ptr_array_add(bus->listeners, l);
	if (bus->is_connected)
		timer_arm(bus->announce, loop_now());
	return l->id;
}

void system_bus_remove_listener(SystemBus *bus, unsigned id)
{
	for (guint i = 0; i < bus->listeners->len; i++) {
		Listener *l = g_ptr_array_index(bus->listeners, i);

		if (l && l->id == id) {
			g_ptr_array_index(bus->listeners, i) = NULL;
			g_free(l);
		}
	}
	sweep_listeners(bus);
}

/* --- calls --- */

static void call_free(gpointer data)
{
	PendingCall *call = data;

	timer_free(call->limit);
	g_free(call);
}

/* @reply may be NULL. The call leaves the table before any callback. */
static void finish_call(SystemBus *bus, uint32_t serial, DBusMessage *reply)
{
	gpointer value = NULL;

	if (!g_hash_table_steal_extended(bus->calls, GUINT_TO_POINTER(serial), NULL, &value))
		return; /* cancelled, or answered too late */
	PendingCall *call = value;

	call->reply(call->data, reply);
	call_free(call);
}

static void on_call_limit(void *data)
{
	const PendingCall *call = data;

	finish_call(call->bus, call->serial, NULL);
}

static void end_calls(SystemBus *bus)
{
	GHashTableIter iter;
	gpointer serial;

	/*
	 * Each pass starts from the beginning, because callbacks may cancel other calls. No call
	 * can be added, because there is no bus.
	 */
	while (g_hash_table_iter_init(&iter, bus->calls),
	       g_hash_table_iter_next(&iter, &serial, NULL))
		finish_call(bus, GPOINTER_TO_UINT(serial), NULL);
}

static unsigned start_call(SystemBus *bus, DBusMessage *message, int64_t timeout_us,
			   SystemBusReply reply, void *data)
{
	const uint32_t serial = dbus_stream_next_serial(&bus->serial);
	PendingCall *call;

	if (!dbus_stream_send(bus->stream, message, serial))
		return 0;
	call = g_new0(PendingCall, 1);
	call->bus = bus;
	call->serial = serial;
	call->reply = reply;
	call->data = data;
	call->limit = timer_new(on_call_limit, call);
	timer_arm(call->limit, loop_now() + timeout_us);
	g_hash_table_insert(bus->calls, GUINT_TO_POINTER(serial), call);
	return serial;
}

unsigned system_bus_call(SystemBus *bus, DBusMessage *call, int64_t timeout_us,
			 SystemBusReply reply, void *data)
{
	return bus->is_connected ? start_call(bus, call, timeout_us, reply, data) : 0;
}

void system_bus_cancel(SystemBus *bus, unsigned id)
{
	/* if the call has ended, there is nothing to cancel */
	(void)g_hash_table_remove(bus->calls, GUINT_TO_POINTER(id));
}

void system_bus_send(SystemBus *bus, DBusMessage *message)
{
	if (bus->is_connected)
		(void)dbus_stream_send(bus->stream, message, dbus_stream_next_serial(&bus->serial));
}

bool system_bus_is_congested(const SystemBus *bus)
{
	return bus->stream && dbus_stream_is_congested(bus->stream);
}

size_t system_bus_message_bytes(const SystemBus *bus)
{
	return bus->stream ? dbus_stream_message_bytes(bus->stream) : 0;
}

void system_bus_flush(SystemBus *bus)
{
	if (bus->stream)
		dbus_stream_flush(bus->stream);
}

/* --- matches --- */

static DBusMessage *bus_method(const char *name)
{
	return wire_must(dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS,
						      DBUS_INTERFACE_DBUS, name));
}

/*
 * "AddMatch" or "RemoveMatch". No answer is needed, because the bus handles messages in order.
 */
static void send_match(SystemBus *bus, const char *method, const char *rule)
{
	DBusMessage *message = bus_method(method);
	DBusMessageIter out;

	dbus_message_set_no_reply(message, TRUE);
	dbus_message_iter_init_append(message, &out);
	wire_string(&out, rule);
	system_bus_send(bus, message);
	dbus_message_unref(message);
}

void system_bus_add_match(SystemBus *bus, const char *rule)
{
	const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(bus->matches, rule));

	g_hash_table_insert(bus->matches, g_strdup(rule), GUINT_TO_POINTER(count + 1));
	if (count == 0)
		send_match(bus, "AddMatch", rule);
}

void system_bus_remove_match(SystemBus *bus, const char *rule)
{
	const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(bus->matches, rule));

	if (count > 1) {
		g_hash_table_insert(bus->matches, g_strdup(rule), GUINT_TO_POINTER(count - 1));
	} else if (count == 1) {
		send_match(bus, "RemoveMatch", rule);
		(void)g_hash_table_remove(bus->matches, rule);
	}
}

static void send_all_matches(SystemBus *bus)
{
	GHashTableIter iter;
	gpointer rule;

	g_hash_table_iter_init(&iter, bus->matches);
	while (g_hash_table_iter_next(&iter, &rule, NULL))
		send_match(bus, "AddMatch", rule);
}

/* --- the connection --- */

static void retry_later(SystemBus *bus)
{
	const unsigned doublings = MIN(bus->n_tries, 16);

	timer_arm(bus->retry, loop_now() + MIN(RETRY_FIRST_US << doublings, RETRY_LAST_US));
	bus->n_tries++;
}

/* After a failed connect(2). A timer is needed only if no change of the file system will follow. */
static void on_refusal(SystemBus *bus, int errnum)
{
	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
	case EACCES:
	case ELOOP:
	case EPROTOTYPE:
		break;
	case ECONNREFUSED: /* bound but not listening yet, or left by a dead bus */
		if (bus->n_tries < REFUSED_TRIES || bus->address.is_abstract)
			retry_later(bus);
		break;
	default: /* EAGAIN: the backlog is full; no descriptors; no memory */
		retry_later(bus);
		break;
	}
}

static void stop_looking(SystemBus *bus)
{
	if (bus->looking)
		bus->look.end(g_steal_pointer(&bus->looking));
}

static void on_hello(void *data, DBusMessage *reply)
{
	SystemBus *bus = data;
	const char *name = NULL;

	if (!bus->stream)
		return;
	if (!reply || dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_METHOD_RETURN ||
	    !dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID)) {
		dbus_stream_end(bus->stream, "it did not answer Hello");
		return;
	}
	stop_looking(bus);
	bus->unique_name = g_strdup(name);
	bus->is_connected = true;
	bus->is_trouble_reported = false;
	bus->connected_us = loop_now();
	send_all_matches(bus);
	notify_connected(bus);
}

static void on_open(void *data)
{
	SystemBus *bus = data;
	DBusMessage *hello = bus_method("Hello");

	/* if it cannot be sent, the stream ends */
	(void)start_call(bus, hello, HELLO_LIMIT_US, on_hello, bus);
	dbus_message_unref(hello);
}

static AuthenticationResult on_authenticate(void *data, const guint8 *bytes, size_t length,
					    size_t *ret_used, GString *reply)
{
	return bus_authentication_feed(bytes, length, ret_used, reply);
}

static void on_message(void *data, DBusMessage *message)
{
	SystemBus *bus = data;

	switch (dbus_message_get_type(message)) {
	case DBUS_MESSAGE_TYPE_METHOD_RETURN:
	case DBUS_MESSAGE_TYPE_ERROR:
		finish_call(bus, dbus_message_get_reply_serial(message), message);
		break;
	default:
		notify_message(bus, message);
		break;
	}
}

static void on_writable(void *data)
{
	notify_writable(data);
}

/* Returns to the state before the attempt, and informs all listeners. */
static void drop(SystemBus *bus)
{
	const bool was_connected = bus->is_connected;

	g_clear_pointer(&bus->stream, dbus_stream_free);
	g_clear_pointer(&bus->unique_name, g_free);
	bus->is_connected = false;
	end_calls(bus);
	if (was_connected)
		notify_disconnected(bus);
}

static void on_closed(void *data, const char *why)
{
	SystemBus *bus = data;

	if (why && !bus->is_trouble_reported) {
		log_warning(NULL, "disconnected from the %s bus: %s", bus->kind, why);
		bus->is_trouble_reported = true;
	}
	if (bus->is_connected && loop_now() - bus->connected_us >= STEADY_US)
		bus->n_tries = 0;
	retry_later(bus);
	start_looking(bus);
	drop(bus);
}

static const DBusStreamLimits limits = {
	.priority = LOOP_PRIORITY_STRANGERS,
	.message_bytes = LIMIT_SYSTEM_BUS_MESSAGE_BYTES,
	.skips_long = true,
	.batch = LIMIT_SYSTEM_BUS_BATCH,
	.pause_bytes = LIMIT_SYSTEM_BUS_QUEUE_PAUSE_BYTES,
	.queue_bytes = LIMIT_SYSTEM_BUS_QUEUE_BYTES,
};

static const DBusStreamListener stream_listener = {
	.authenticate = on_authenticate,
	.open = on_open,
	.message = on_message,
	.on_writable = on_writable,
	.closed = on_closed,
};

static void authenticate(SystemBus *bus, int fd)
{
	const int socket_bytes = LIMIT_SYSTEM_BUS_SOCKET_BYTES;
	GString *authentication = bus_authentication_begin(geteuid());

	/* on failure the buffer holds more */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &socket_bytes, sizeof socket_bytes);
	bus->stream = dbus_stream_new(fd, &limits, &stream_listener, bus);
	dbus_stream_begin(bus->stream, authentication->str, authentication->len);
	g_string_free(authentication, TRUE);
}

static void connect_now(SystemBus *bus)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&bus->address.socket, bus->address.length) < 0)
		on_refusal(bus, errno);
	else
		authenticate(bus, fd_steal(&fd));
}

static void on_retry(void *data)
{
	SystemBus *bus = data;

	if (bus->is_there)
		connect_now(bus);
}

/*
 * The socket may be a new one, so start again, even during an authentication. The first look only
 * finds out whether the socket exists.
 */
static void on_seen(void *data, bool is_there)
{
	SystemBus *bus = data;
	const bool is_first = !bus->has_looked;

	bus->has_looked = true;
	bus->is_there = is_there;
	if (is_first && timer_is_armed(bus->retry))
		return;
	timer_disarm(bus->retry);
	bus->n_tries = is_first ? bus->n_tries : 0;
	drop(bus);
	on_retry(bus);
}

static void start_looking(SystemBus *bus)
{
	if (bus->address.is_abstract || bus->looking)
		return;
	bus->has_looked = bus->is_there = false;
	bus->looking = bus->look.begin(bus->look.data, bus->address.socket.sun_path, on_seen, bus);
}

/* --- the object's life --- */

static SystemBus *connection_new(const char *kind, const BusAddress *address,
				 const SocketLook *look)
{
	SystemBus *bus = g_new0(SystemBus, 1);

	bus->kind = kind;
	bus->address = *address;
	bus->listeners = g_ptr_array_new();
	bus->calls = g_hash_table_new_full(NULL, NULL, NULL, call_free);
	bus->matches = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	bus->retry = timer_new(on_retry, bus);
	bus->announce = timer_new(on_announce, bus);
	bus->look = *look;
	bus->is_there = address->is_abstract;
	start_looking(bus);
	on_retry(bus);
	return bus;
}

SystemBus *system_bus_new(const char *socket_path, const SocketLook *look, GError **error)
{
	BusAddress address;

	return bus_address_of_path(socket_path, &address, error) ?
		       connection_new("system", &address, look) :
		       NULL;
}

SystemBus *system_bus_new_session(const char *text, const SocketLook *look, GError **error)
{
	BusAddress address;

	return bus_address_parse(text, &address, error) ?
		       connection_new("session", &address, look) :
		       NULL;
}

const char *system_bus_kind(const SystemBus *bus)
{
	return bus->kind;
}

bool system_bus_is_connected(const SystemBus *bus)
{
	return bus->is_connected;
}

const char *system_bus_unique_name(const SystemBus *bus)
{
	return bus->unique_name;
}

void system_bus_free(SystemBus *bus)
{
	if (!bus)
		return;
	dbus_stream_free(bus->stream);
	timer_free(bus->retry);
	timer_free(bus->announce);
	stop_looking(bus);
	g_hash_table_unref(bus->calls);
	g_hash_table_unref(bus->matches);
	for (guint i = 0; i < bus->listeners->len; i++)
		g_free(g_ptr_array_index(bus->listeners, i));
	g_ptr_array_unref(bus->listeners);
	g_free(bus->unique_name);
	g_free(bus);
}
