/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer: one client of the private socket. It consists of a D-Bus stream (loop/dbus-stream.h), the
 * server side of authentication (auth.h) and the limits of a client.
 */
#ifndef SVCD_BUS_PEER_H
#define SVCD_BUS_PEER_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct Peer Peer;

typedef struct PeerListener {
	void (*message)(void *data, DBusMessage *message); /* must not free the peer */
	/*
	 * The connection has ended. @why is for the log; NULL: the client left. The listener frees
	 * the peer.
	 */
	void (*closed)(void *data, const char *why);
} PeerListener;

/**
 * peer_new() - authenticate, then serve
 * @fd: taken; connected and non-blocking
 * @uid: of the client, from the kernel
 */
Peer *peer_new(int fd, uid_t uid, const char *guid, const PeerListener *listener, void *data);
void peer_free(Peer *peer); /* accepts NULL */

/* Queues @message with the next serial and writes as much as the socket accepts. */
void peer_send(Peer *peer, DBusMessage *message);

void peer_flush(Peer *peer);

#endif
