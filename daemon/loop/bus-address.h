/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus address: where a bus listens, from a text like DBUS_SESSION_BUS_ADDRESS.
 */
#ifndef SVCD_LOOP_BUS_ADDRESS_H
#define SVCD_LOOP_BUS_ADDRESS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct BusAddress {
	struct sockaddr_un socket;
	socklen_t length;
	bool is_abstract; /* there is no file, so nothing reports when a process begins to listen */
} BusAddress;

/**
 * bus_address_parse() - find the first address that is a local socket
 * @text: addresses separated by ";", such as "unix:path=/run/user/1000/bus" or
 * "unix:abstract=/tmp/dbus-x,guid=..."
 */
bool bus_address_parse(const char *text, BusAddress *ret, GError **error);

/* Makes the address of the socket at @path. Returns: false with @error if the path is too long. */
bool bus_address_of_path(const char *path, BusAddress *ret, GError **error);

#endif
