/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus peer: another client on a test's bus, in the test's own main loop. It owns names and has
 * objects with properties.
 */
#ifndef SVCD_TESTS_BUS_PEER_H
#define SVCD_TESTS_BUS_PEER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "loop/system-bus.h"

typedef struct BusPeer {
	SystemBus *bus;
	unsigned listener;
	/* "PATH INTERFACE.PROPERTY" -> "u20", "sText", "bt", "bf", "L" (a list); owned */
	GHashTable *values;
	GPtrArray *held; /* DBusMessage *: unanswered calls */
	bool is_silent; /* leave calls unanswered */
	unsigned n_calls; /* number of Get calls */
} BusPeer;

BusPeer *bus_peer_new(const char *socket);
/* Leaves the bus. */
void bus_peer_free(BusPeer *peer);

/* Sends the request for the name without waiting. The peer must be on the bus. */
void bus_peer_own(BusPeer *peer, const char *name);
void bus_peer_release(BusPeer *peer, const char *name);

/* @value: as in @values; NULL: removed. Sends no signal. */
void bus_peer_set(BusPeer *peer, const char *path, const char *property, const char *value);
/* Sends PropertiesChanged, with the value or only with the name. */
void bus_peer_send(BusPeer *peer, const char *path, const char *property, bool with_value);
/* Sends InterfacesAdded(path, {}). */
void bus_peer_send_object(BusPeer *peer, const char *path);
void bus_peer_answer_held(BusPeer *peer);

#endif
