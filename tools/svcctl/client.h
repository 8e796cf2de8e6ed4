/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client: svcctl's way to the manager: the private socket for root, the system bus for other users.
 *
 * A manager that dies in a call is replaced within a second and the socket outlives it: what only reads is asked again,
 * what changes something is not, and the error says that the outcome is not known.
 */
#ifndef SVCD_SVCCTL_CLIENT_H
#define SVCD_SVCCTL_CLIENT_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Client Client;

/**
 * client_new() - not connected yet; the first call does that
 * @timeout_us: for connecting and for each call
 */
Client *client_new(int64_t timeout_us);
/* From now on the svcd of the user is meant. */
void client_use_own(Client *client);
void client_free(Client *client);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Client, client_free)

/* Is PID 1 svcd? @ret_name: what it calls itself, a new string, NULL if that cannot be read; may be NULL. */
bool client_pid1_is_svcd(char **ret_name);

/**
 * client_ask() - call a method that only reads
 * @args: floating or NULL
 * @type: of the answer, "(s)"
 */
GVariant *client_ask(Client *client, const char *path, const char *interface, const char *method, GVariant *args,
		     const char *type, GError **error);

/* A method of org.svcd1.Manager that only reads. */
GVariant *client_ask_manager(Client *client, const char *method, GVariant *args, const char *type, GError **error);

/* A method of org.svcd1.Manager that changes something. */
GVariant *client_change(Client *client, const char *method, GVariant *args, const char *type, GError **error);

/* A method of org.svcd1.Service that changes something. */
GVariant *client_change_service(Client *client, const char *name, const char *method, GVariant *args, const char *type,
				GError **error);

/* All properties of an interface of an object: a{sv}. */
GVariant *client_properties(Client *client, const char *path, const char *interface, GError **error);

/* The same of a service; NoSuchService if there is none. */
GVariant *client_service(Client *client, const char *name, GError **error);

/* What signals are handed to; in their order, and in order with the answers to what was asked. */
typedef void (*ClientSignalFunc)(void *data, const char *path, const char *name, GVariant *args);
void client_set_listener(Client *client, ClientSignalFunc func, void *data);

/**
 * client_watch() - take note of all signals from now on, for client_wait()
 */
bool client_watch(Client *client, GError **error);

/* The same for those signals only that a client gets without asking for all: of conditions that it watches. */
bool client_listen(Client *client, GError **error);

/* How many connections there have been: another number, another manager maybe, and signals may have been missed. */
unsigned client_count_connections(const Client *client);
bool client_is_connected(const Client *client);

/* Was the last failure this one: svcd is there, and did not answer in time? */
bool client_was_late(const Client *client);

/* Let client_wait() return. */
void client_wake(Client *client);

/**
 * client_open() - connect to any bus or peer, with a time limit
 * @ret_is_late: whether it was that limit that ended it
 */
GDBusConnection *client_open(const char *address, GDBusConnectionFlags flags, int64_t deadline_us, bool *ret_is_late,
			     GError **error);

/* The system bus, if it answers within @timeout_us; else NULL. */
GDBusConnection *client_open_system_bus(int64_t timeout_us);

/**
 * client_wait() - until something was told since the last call, the connection was lost, or @deadline_us
 * Returns: false at the deadline.
 */
bool client_wait(Client *client, int64_t deadline_us);

#endif
