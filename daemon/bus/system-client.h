/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System client: org.svcd1 on the system bus. It owns the bus name, serves calls of all users, and
 * sends signals to all clients.
 *
 * Reads are answered at once. A call that changes something is parked until the bus daemon has
 * reported its user. If the user is not root, polkit is asked too. Then the call is carried out or
 * refused. Objects are looked up only then, because they may have changed. A flag that belongs to a
 * bus name can be set only by the owner of the name. Root is no exception.
 */
#ifndef SVCD_BUS_SYSTEM_CLIENT_H
#define SVCD_BUS_SYSTEM_CLIENT_H

#include "bus/rows.h"
#include "loop/system-bus.h"

typedef struct SystemClient SystemClient;

typedef struct SystemClientListener {
	/* svcd owns the name now, so its signals are received. */
	void (*named)(void *data);
	Access (*access)(void *data, DBusMessage *message);
	/*
	 * For a call with ACCESS_OPERATE or ACCESS_LOG: does @client operate all affected services?
	 * Then polkit is not asked. @error: set to the right that the client lacks, which is
	 * reported if polkit refuses too.
	 */
	bool (*is_operator)(void *data, const BusClient *client, DBusMessage *message,
			    GError **error);
	/*
	 * Carries out an authorized call. After a read @client becomes invalid, otherwise it is
	 * valid until gone().
	 */
	void (*message)(void *data, BusClient *client, DBusMessage *message);
	/*
	 * Does @client have a watch or a promised answer, which must be dropped when it leaves the
	 * bus?
	 */
	bool (*is_held)(void *data, const BusClient *client);
	void (*gone)(void *data, BusClient *client);
} SystemClientListener;

/* @bus, @listener: borrowed. */
SystemClient *system_client_new(SystemBus *bus, const SystemClientListener *listener, void *data);
void system_client_free(SystemClient *client); /* accepts NULL; parked calls get no answer */

/* Does svcd own the name? If not, no client receives our signals. */
bool system_client_has_name(const SystemClient *client);
/* Sends a signal, and does not take @message. */
void system_client_broadcast(SystemClient *client, DBusMessage *message);
void system_client_flush(SystemClient *client);

#endif
