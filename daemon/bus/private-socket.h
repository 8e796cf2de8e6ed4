/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private socket: /run/svcd/private, there from the first moment, bus or no bus.
 *
 * The keeper keeps the listening socket, so that connections made while no manager lives wait in its backlog. Only
 * root (or the user of a svcd --user) gets in, by the credentials that the kernel noted at connect(2).
 */
#ifndef SVCD_BUS_PRIVATE_SOCKET_H
#define SVCD_BUS_PRIVATE_SOCKET_H

#include <glib.h>

#include "bus/names.h"
#include "bus/rows.h"

typedef struct PrivateSocket PrivateSocket;

/**
 * private_socket_open() - make, bind and listen; a stale one is replaced
 * Returns: a non-blocking descriptor, or -1 with @error.
 */
int private_socket_open(const char *path, GError **error);

typedef struct PrivateListener {
	void (*message)(void *data, BusClient *client, DBusMessage *message);
	/* It has left; nobody may know it any more when this returns. */
	void (*gone)(void *data, BusClient *client);
} PrivateListener;

/* @fd: taken. */
PrivateSocket *private_socket_new(int fd, const PrivateListener *listener, void *data);
void private_socket_free(PrivateSocket *socket); /* NULL is nothing */

/* Sends to each client that has subscribed. */
void private_socket_broadcast(PrivateSocket *socket, DBusMessage *message);
bool private_socket_has_subscribers(const PrivateSocket *socket);
void private_socket_flush(PrivateSocket *socket);

#endif
