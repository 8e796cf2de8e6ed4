/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System bus: the manager's one connection to it, or that of a user's manager to the bus of the session. Never waits:
 * connecting, greeting, Hello and every call go through the main loop; when the bus goes, calls end without an answer, and the
 * connection comes back when its socket does.
 *
 * Who listens sets its matches first and asks afterwards: signals only wake, the answer to a question is the truth. After
 * connected() everything known before is void and asked again.
 */
#ifndef SVCD_LOOP_SYSTEM_BUS_H
#define SVCD_LOOP_SYSTEM_BUS_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SYSTEM_BUS_SOCKET "/run/dbus/system_bus_socket"

typedef struct SystemBus SystemBus;

/* Each member may be NULL. A listener may call anything here from inside them, but not free the bus. */
typedef struct SystemBusListener {
	void (*connected)(void *data);    /* Hello is answered; matches are set already */
	void (*disconnected)(void *data);
	/* Every signal and method call that comes; answers go to who asked. @message is borrowed. */
	void (*message)(void *data, DBusMessage *message);
	void (*room)(void *data); /* system_bus_is_congested() is over */
} SystemBusListener;

/*
 * Looks for the socket of a bus. connect(2) looks its path up, and may wait for ever for the lock of a directory in which the name does
 * not exist. So another process looks, and this one connects only to what is there.
 */
typedef struct SocketLook {
	/* @seen is called soon, and again whenever something has happened on the way to @path. */
	void *(*begin)(void *data, const char *path, void (*seen)(void *to, bool is_there), void *to);
	void (*end)(void *look);
	void *data;
} SocketLook;

/**
 * system_bus_new() - look out for the bus, and stay connected
 * @socket_path: copied; its directory need not exist yet
 * @look:        copied
 */
SystemBus *system_bus_new(const char *socket_path, const SocketLook *look, GError **error);

/**
 * system_bus_new_session() - the same of the bus of a session
 * @address: as DBUS_SESSION_BUS_ADDRESS has it
 */
SystemBus *system_bus_new_session(const char *address, const SocketLook *look, GError **error);
void system_bus_free(SystemBus *bus); /* NULL is nothing; calls in flight end without a callback */

/* @listener: borrowed; if the bus is connected already, connected() is called in a later turn. Returns: for the removal. */
unsigned system_bus_add_listener(SystemBus *bus, const SystemBusListener *listener, void *data);
void system_bus_remove_listener(SystemBus *bus, unsigned id);

/* "system" or "session", for people. */
const char *system_bus_kind(const SystemBus *bus);
bool system_bus_is_connected(const SystemBus *bus);
/* ":1.42"; NULL while not connected. */
const char *system_bus_unique_name(const SystemBus *bus);

/*
 * Match rules are counted, and sent again with every connection. The bus takes some hundred of them from one connection
 * (max_match_rules_per_connection in dbus-daemon(1)): who has many keys must make do with few rules.
 */
void system_bus_add_match(SystemBus *bus, const char *rule);
void system_bus_remove_match(SystemBus *bus, const char *rule);

/*
 * @reply: the answer, which may be an error message; NULL: none came in time, or the bus went away. Borrowed.
 */
typedef void (*SystemBusReply)(void *data, DBusMessage *reply);

/**
 * system_bus_call() - ask something
 * @call: stays the caller's
 * Returns: for system_bus_cancel(); 0 when there is no bus: @reply is not called then.
 */
unsigned system_bus_call(SystemBus *bus, DBusMessage *call, int64_t timeout_us, SystemBusReply reply, void *data);
void system_bus_cancel(SystemBus *bus, unsigned id);

/* Is the bus so slow to read that what we send waits? Then who can had better not send more. */
bool system_bus_is_congested(const SystemBus *bus);

/* How long the message is, on the wire, that listeners are being told of. */
size_t system_bus_message_bytes(const SystemBus *bus);

/* Signals and answers; dropped without a bus. @message stays the caller's. */
void system_bus_send(SystemBus *bus, DBusMessage *message);
/* Writes what the socket takes now; before the manager leaves. */
void system_bus_flush(SystemBus *bus);

#endif
