/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System client: org.svcd1 on the system bus: the name, calls of everybody, signals to everybody.
 *
 * Reads are answered at once. A call that changes something is parked: the bus daemon is asked whose it is, and for other
 * users than root polkit; then it goes on, or is refused. Nothing of the call is looked at before: objects are found anew
 * when the answer has come. A flag that belongs to a bus name is set by whoever owns that, root or not.
 */
#ifndef SVCD_BUS_SYSTEM_CLIENT_H
#define SVCD_BUS_SYSTEM_CLIENT_H

#include "bus/rows.h"
#include "loop/system-bus.h"

typedef struct SystemClient SystemClient;

typedef struct SystemClientListener {
	/* We have got the name: from now on signals are heard. */
	void (*named)(void *data);
	/* What this call asks for. */
	Access (*access)(void *data, DBusMessage *message);
	/*
	 * A call with ACCESS_OPERATE: does @client operate all that is concerned? Then polkit is not asked. @error: set if
	 * the client is to know what it lacks, should polkit refuse too.
	 */
	bool (*is_operator)(void *data, const BusClient *client, DBusMessage *message, GError **error);
	/* A call that may be carried out. After a read @client is nobody any more, else it is until gone(). */
	void (*message)(void *data, BusClient *client, DBusMessage *message);
	/* Does @client hold anything that must be given back when it leaves the bus? */
	bool (*is_held)(void *data, const BusClient *client);
	void (*gone)(void *data, BusClient *client);
} SystemClientListener;

/* @bus, @listener: borrowed. */
SystemClient *system_client_new(SystemBus *bus, const SystemClientListener *listener, void *data);
void system_client_free(SystemClient *client); /* NULL is nothing; parked calls get no answer */

/* Do we have the name? If not, nobody hears our signals. */
bool system_client_has_name(const SystemClient *client);
/* A signal; the message stays the caller's. */
void system_client_broadcast(SystemClient *client, DBusMessage *message);
void system_client_flush(SystemClient *client);

#endif
