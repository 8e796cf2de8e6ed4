/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client socket: /run/svcd/private for root, there from the first moment, bus or no bus; and the same of a svcd --user.
 *
 * The keeper keeps the listening socket, so that connections made while no manager lives wait in its backlog. Who may use it is
 * decided when it is accepted, before anything is read: by the credentials that the kernel noted at connect(2), and for the machine's
 * by the capabilities of the process (peer-rights.h). Other users look through the system bus.
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
	/* It has left, and is forgotten when this returns. */
	void (*gone)(void *data, BusClient *client);
	/* Takes @fd of a refused client, and has it closed by a process that may wait (BusOps.dispose). */
	void (*dispose)(void *data, int fd);
} SocketListener;

/* @fd: taken. */
ClientSocket *client_socket_new(ClientSocketKind kind, int fd, const SocketListener *listener, void *data);
void client_socket_free(ClientSocket *socket); /* NULL is nothing */

/* Sends to each client that has subscribed. These three: NULL is nothing. */
void client_socket_broadcast(ClientSocket *socket, DBusMessage *message);
bool client_socket_has_subscribers(const ClientSocket *socket);
void client_socket_flush(ClientSocket *socket);

#endif
