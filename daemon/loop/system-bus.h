/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System bus: the manager's only connection to the system bus, or the connection of a user's
 * manager to the session bus. The manager never waits. Connecting, authentication, Hello and every
 * call go through the main loop. When the bus goes away, calls end without an answer. When the
 * socket of the bus returns, the connection is made again.
 *
 * A listener sets its matches first, and then queries. A signal is only a reason for a new query;
 * only answers are used. After connected(), all earlier answers are invalid, and the queries must
 * be repeated.
 */
#ifndef SVCD_LOOP_SYSTEM_BUS_H
#define SVCD_LOOP_SYSTEM_BUS_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SYSTEM_BUS_SOCKET "/run/dbus/system_bus_socket"

typedef struct SystemBus SystemBus;

/*
 * Each member may be NULL. From inside them, a listener may call any function except
 * system_bus_free().
 */
typedef struct SystemBusListener {
	void (*connected)(void *data); /* Hello is answered; matches are set already */
	void (*disconnected)(void *data);
	/* Every signal and method call. Answers go to their callers. @message is borrowed. */
	void (*message)(void *data, DBusMessage *message);
	void (*on_writable)(void *data); /* system_bus_is_congested() is false again */
} SystemBusListener;

/*
 * Looks for the socket of a bus. connect(2) looks up the path, and may wait for ever for the lock
 * of a directory that lacks the name. So another process looks, and this one connects only to an
 * existing socket.
 */
typedef struct SocketLook {
	/* @seen is called soon, and again after each change in a directory along @path. */
	void *(*begin)(void *data, const char *path, void (*seen)(void *to, bool is_there),
		       void *to);
	void (*end)(void *look);
	void *data;
} SocketLook;

/**
 * system_bus_new() - wait for the bus, and stay connected
 * @socket_path: copied; its directory need not exist yet
 * @look: copied
 */
SystemBus *system_bus_new(const char *socket_path, const SocketLook *look, GError **error);

/**
 * system_bus_new_session() - like system_bus_new(), for a session bus
 * @address: as in DBUS_SESSION_BUS_ADDRESS
 */
SystemBus *system_bus_new_session(const char *address, const SocketLook *look, GError **error);
void system_bus_free(SystemBus *bus); /* NULL is allowed; pending calls end without a callback */

/*
 * @listener: borrowed; if the bus is connected, connected() is called in a later turn. Returns: a
 * number for the removal.
 */
unsigned system_bus_add_listener(SystemBus *bus, const SystemBusListener *listener, void *data);
void system_bus_remove_listener(SystemBus *bus, unsigned id);

/* "system" or "session", for messages. */
const char *system_bus_kind(const SystemBus *bus);
bool system_bus_is_connected(const SystemBus *bus);
/* ":1.42"; NULL while not connected. */
const char *system_bus_unique_name(const SystemBus *bus);

/*
 * Match rules are counted, and sent again at every connection. The bus limits them to a few hundred
 * per connection (max_match_rules_per_connection in dbus-daemon(1)). So a caller with many keys
 * must use few rules.
 */
void system_bus_add_match(SystemBus *bus, const char *rule);
void system_bus_remove_match(SystemBus *bus, const char *rule);

/*
 * @reply: the answer, which may be an error; NULL if none came in time, or the bus went away.
 * Borrowed.
 */
typedef void (*SystemBusReply)(void *data, DBusMessage *reply);

/**
 * system_bus_call() - call a method
 * @call: still owned by the caller
 * Returns: a number for system_bus_cancel(); 0 if there is no bus; then @reply is not called.
 */
unsigned system_bus_call(SystemBus *bus, DBusMessage *call, int64_t timeout_us,
			 SystemBusReply reply, void *data);
void system_bus_cancel(SystemBus *bus, unsigned id);

/* Does sent data wait because the bus reads slowly? Then optional messages should not be sent. */
bool system_bus_is_congested(const SystemBus *bus);

/* Returns: the length on the wire of the message that listeners are handling. */
size_t system_bus_message_bytes(const SystemBus *bus);

/*
 * For signals and answers, which are dropped if there is no bus. @message is still owned by the
 * caller.
 */
void system_bus_send(SystemBus *bus, DBusMessage *message);
/* Writes what the socket takes now; for the manager's exit. */
void system_bus_flush(SystemBus *bus);

#endif
