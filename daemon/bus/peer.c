/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer: a D-Bus stream with the server side of authentication and the limits of a client.
 */
#include "config.h"

#include "bus/peer.h"

#include <glib.h>

#include "base/limits.h"
#include "bus/auth.h"
#include "loop/dbus-stream.h"
#include "loop/loop.h"

struct Peer {
	DBusStream *stream;
	Auth auth;
	uint32_t serial;
	const PeerListener *listener;
	void *data;
};

static const DBusStreamLimits limits = {
	.priority = LOOP_PRIORITY_BUS,
	.message_bytes = LIMIT_BUS_MESSAGE_BYTES,
	.batch = LIMIT_BUS_BATCH,
	.pause_bytes = LIMIT_BUS_QUEUE_PAUSE_BYTES,
	.queue_bytes = LIMIT_BUS_QUEUE_BYTES,
};

static AuthenticationResult on_authenticate(void *data, const guint8 *bytes, size_t length,
					    size_t *ret_used, GString *reply)
{
	Peer *peer = data;

	return auth_feed(&peer->auth, bytes, length, ret_used, reply);
}

static void on_message(void *data, DBusMessage *message)
{
	Peer *peer = data;

	peer->listener->message(peer->data, message);
}

static void on_closed(void *data, const char *why)
{
	Peer *peer = data;

	peer->listener->closed(peer->data, why);
}

static const DBusStreamListener stream_listener = { .authenticate = on_authenticate,
						    .message = on_message,
						    .closed = on_closed };

Peer *peer_new(int fd, uid_t uid, const char *guid, const PeerListener *listener, void *data)
{
	Peer *peer = g_new0(Peer, 1);

	peer->listener = listener;
	peer->data = data;
	auth_init(&peer->auth, uid, guid);
	peer->stream = dbus_stream_new(fd, &limits, &stream_listener, peer);
	return peer;
}

void peer_flush(Peer *peer)
{
	dbus_stream_flush(peer->stream);
}

void peer_send(Peer *peer, DBusMessage *message)
{
	/* on_closed() reports a failure */
	(void)dbus_stream_send(peer->stream, message, dbus_stream_next_serial(&peer->serial));
}

void peer_free(Peer *peer)
{
	if (!peer)
		return;
	dbus_stream_free(peer->stream);
	auth_clear(&peer->auth);
	g_free(peer);
}
