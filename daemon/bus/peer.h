/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer: one connected client of the private socket: a D-Bus stream (loop/dbus-stream.h) with the server's half of the
 * greeting (auth.h) and the limits of a client.
 */
#ifndef SVCD_BUS_PEER_H
#define SVCD_BUS_PEER_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct Peer Peer;

typedef struct PeerListener {
	void (*message)(void *data, DBusMessage *message); /* must not free the peer */
	/* Over. @why is for the log, NULL when the client simply left. The listener frees the peer. */
	void (*closed)(void *data, const char *why);
} PeerListener;

/**
 * peer_new() - greet, then serve
 * @fd:  taken; connected and non-blocking
 * @uid: of the other side, from the kernel
 */
Peer *peer_new(int fd, uid_t uid, const char *guid, const PeerListener *listener, void *data);
void peer_free(Peer *peer); /* NULL is nothing */

/* Queues @message with the next serial and writes what the socket takes. */
void peer_send(Peer *peer, DBusMessage *message);

/* Writes what the socket takes. */
void peer_flush(Peer *peer);

#endif
