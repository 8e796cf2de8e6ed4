/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client socket: /run/svcd/private for root, /run/svcd/public for everybody who only looks; there from the first moment, bus or
 * no bus.
 *
 * The keeper keeps the listening sockets, so that connections made while no manager lives wait in their backlogs. Who comes is
 * known by the credentials that the kernel noted at connect(2): by the private socket only root gets in (or the user of a
 * svcd --user), by the public one anybody, and access.c lets him read. Two sockets, so that no crowd at one keeps root from the other.
 */
#ifndef SVCD_BUS_CLIENT_SOCKET_H
#define SVCD_BUS_CLIENT_SOCKET_H

#include <glib.h>

#include "bus/names.h"
#include "bus/rows.h"

typedef struct ClientSocket ClientSocket;

/**
 * client_socket_open() - make, bind and listen; a stale one is replaced
 * Returns: a non-blocking descriptor, or -1 with @error.
 */
int client_socket_open(ClientSocketKind kind, const char *path, GError **error);

typedef struct SocketListener {
	void (*message)(void *data, BusClient *client, DBusMessage *message);
	/* It has left; nobody may know it any more when this returns. */
	void (*gone)(void *data, BusClient *client);
} SocketListener;

/* @fd: taken. */
ClientSocket *client_socket_new(ClientSocketKind kind, int fd, const SocketListener *listener, void *data);
void client_socket_free(ClientSocket *socket); /* NULL is nothing */

/* Sends to each client that has subscribed. These three: NULL is nothing. */
void client_socket_broadcast(ClientSocket *socket, DBusMessage *message);
bool client_socket_has_subscribers(const ClientSocket *socket);
void client_socket_flush(ClientSocket *socket);

#endif
