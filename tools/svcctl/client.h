/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client: the connection to the manager, on the private socket for root and on the system bus for
 * other users.
 *
 * A manager that dies during a call is replaced within a second, and the socket outlives it. Calls
 * that only read are then repeated. Calls that change something are not repeated; their error
 * reports that the outcome is unknown.
 */
#ifndef SVCD_SVCCTL_CLIENT_H
#define SVCD_SVCCTL_CLIENT_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Client Client;

/**
 * client_new() - make a client, which connects at its first call
 * @timeout_us: for connecting and for each call
 */
Client *client_new(int64_t timeout_us);
/* Further calls go to the user's own svcd. */
void client_use_own(Client *client);
void client_free(Client *client);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Client, client_free)

/*
 * Is PID 1 svcd? @ret_name: the name of its process, a new string, NULL if it cannot be read; may
 * be NULL.
 */
bool client_pid1_is_svcd(char **ret_name);

/**
 * client_get() - call a method that only reads
 * @args: floating or NULL
 * @type: of the answer, "(s)"
 */
GVariant *client_get(Client *client, const char *path, const char *interface, const char *method,
		     GVariant *args, const char *type, GError **error);

/* A method of org.svcd1.Manager that only reads. */
GVariant *client_get_manager(Client *client, const char *method, GVariant *args, const char *type,
			     GError **error);

/* A method of org.svcd1.Manager that changes something. */
GVariant *client_change(Client *client, const char *method, GVariant *args, const char *type,
			GError **error);

/* A method of org.svcd1.Service that changes something. */
GVariant *client_change_service(Client *client, const char *name, const char *method,
				GVariant *args, const char *type, GError **error);

/* All properties of an interface of an object: a{sv}. */
GVariant *client_properties(Client *client, const char *path, const char *interface,
			    GError **error);

/* The properties of a service; NoSuchService if there is none. */
GVariant *client_service(Client *client, const char *name, GError **error);

/* Receives signals in the order in which svcd sent them, also relative to the answers to calls. */
typedef void (*ClientSignalFunc)(void *data, const char *path, const char *name, GVariant *args);
void client_set_listener(Client *client, ClientSignalFunc func, void *data);

/**
 * client_watch() - collect all signals from now on, for client_wait()
 */
bool client_watch(Client *client, GError **error);

/*
 * Like client_watch(), but without a subscription to all signals: collects only the signals of the
 * client's own condition watches.
 */
bool client_listen(Client *client, GError **error);

/*
 * The number of connections so far. A different number means that the manager may be another one,
 * and that signals may have been missed.
 */
unsigned client_count_connections(const Client *client);
bool client_is_connected(const Client *client);

/* Was the last failure a timeout, although svcd is present? */
bool client_was_late(const Client *client);

/* Makes client_wait() return. */
void client_wake(Client *client);

/**
 * client_open() - connect to any bus or peer, with a time limit
 * @ret_is_late: whether the attempt ended at the time limit
 */
GDBusConnection *client_open(const char *address, GDBusConnectionFlags flags, int64_t deadline_us,
			     bool *ret_is_late, GError **error);

/* The system bus, if it answers within @timeout_us; else NULL. */
GDBusConnection *client_open_system_bus(int64_t timeout_us);

/**
 * client_wait() - wait until a signal has arrived since the last call, the connection is lost, or
 * @deadline_us
 * Returns: false at the deadline.
 */
bool client_wait(Client *client, int64_t deadline_us);

#endif
