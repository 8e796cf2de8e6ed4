/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client socket: /run/svcd/private for root, which works from the first moment without a bus; and
 * the socket of an svcd --user.
 *
 * The keeper keeps the listening socket, so connections wait in its backlog while no manager runs.
 * A client is accepted or refused before anything is read from it. The decision uses the
 * credentials that the kernel noted at connect(2). On the machine's socket it also uses the
 * capabilities of the process (peer-rights.h). Other users come through the system bus.
 */
#ifndef SVCD_BUS_CLIENT_SOCKET_H
#define SVCD_BUS_CLIENT_SOCKET_H

#include <glib.h>

#include "bus/names.h"
#include "bus/rows.h"

typedef struct ClientSocket ClientSocket;

/**
 * client_socket_open() - make, bind and listen; replaces a stale socket
 * Returns: a non-blocking descriptor, or -1 with @error.
 */
int client_socket_open(ClientSocketKind kind, const char *path, GError **error);

typedef struct SocketListener {
	void (*message)(void *data, BusClient *client, DBusMessage *message);
	/* The client has left. It is freed after this returns. */
	void (*gone)(void *data, BusClient *client);
	/* Takes @fd of a refused client. An expendable process closes it (BusOps.dispose). */
	void (*dispose)(void *data, int fd);
} SocketListener;

ClientSocket *client_socket_new(ClientSocketKind kind, int fd, const SocketListener *listener,
				void *data);
void client_socket_free(ClientSocket *socket); /* accepts NULL */

/* Sends to each client that has subscribed. This and the next two functions accept NULL. */
void client_socket_broadcast(ClientSocket *socket, DBusMessage *message);
bool client_socket_has_subscribers(const ClientSocket *socket);
void client_socket_flush(ClientSocket *socket);

#endif
