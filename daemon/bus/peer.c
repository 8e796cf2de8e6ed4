/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer: one connected client of the private socket.
 */
#include "config.h"

#include "bus/peer.h"

#include <errno.h>
#include <glib.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/limits.h"
#include "bus/auth.h"
#include "bus/wire.h"
#include "loop/loop.h"

enum { READ_BYTES = 16 * 1024 };

struct Peer {
	int fd;
	FdSource *source;
	GSource *later;  /* messages that wait for the next turn, or an end to be told; NULL: none */
	Timer *limit;    /* of the greeting */
	Auth auth;
	bool is_open;    /* the greeting is done */
	const char *dead; /* why it is over; "" for no reason worth a word; NULL while it is not */
	GByteArray *in;
	GQueue out;      /* GBytes * */
	size_t out_offset; /* of the first that is written already */
	size_t queued;   /* bytes in @out */
	dbus_uint32_t serial;
	const PeerListener *listener;
	void *data;
};

static gboolean on_later(gpointer data);

static void do_later(Peer *peer)
{
	if (peer->later)
		return;
	peer->later = g_idle_source_new();
	g_source_set_priority(peer->later, LOOP_PRIORITY_BUS);
	g_source_set_callback(peer->later, on_later, peer, NULL);
	g_source_attach(peer->later, NULL);
}

/* Marks the end; the listener hears of it from a place where the peer may be freed. */
static void end(Peer *peer, const char *why)
{
	if (peer->dead)
		return;
	peer->dead = why;
	do_later(peer);
}

static void update_events(Peer *peer)
{
	GIOCondition events = 0;

	if (!peer->dead && peer->queued < LIMIT_BUS_QUEUE_PAUSE_BYTES && !peer->later)
		events |= G_IO_IN;
	if (!peer->dead && peer->queued > 0)
		events |= G_IO_OUT;
	fd_source_set_events(peer->source, events);
}

static void queue_bytes(Peer *peer, GBytes *bytes)
{
	peer->queued += g_bytes_get_size(bytes);
	g_queue_push_tail(&peer->out, bytes);
	peer_flush(peer);
}

static void greet(Peer *peer)
{
	g_autoptr(GString) reply = g_string_new(NULL);
	size_t used;
	const AuthResult result = auth_feed(&peer->auth, peer->in->data, peer->in->len, &used, reply);

	g_byte_array_remove_range(peer->in, 0, (guint)used);
	if (reply->len > 0)
		queue_bytes(peer, g_bytes_new(reply->str, reply->len));
	switch (result) {
	case AUTH_MORE:
		break;
	case AUTH_DONE:
		peer->is_open = true;
		timer_disarm(peer->limit);
		break;
	case AUTH_REFUSED:
		end(peer, "its greeting is not D-Bus'");
		break;
	}
}

/* Takes one whole message from the front of @in. Returns: NULL when there is none yet, or the peer ended. */
static DBusMessage *take_message(Peer *peer)
{
	DBusMessage *message;
	int length;

	/* libdbus reads the fixed part of the header; before that there is nothing to ask. */
	if (peer->in->len < 16)
		return NULL;
	length = dbus_message_demarshal_bytes_needed((const char *)peer->in->data, (int)peer->in->len);
	if (length <= 0 || length > LIMIT_BUS_MESSAGE_BYTES) {
		end(peer, length <= 0 ? "it sent what is no D-Bus message" : "it sent too long a message");
		return NULL;
	}
	if ((guint)length > peer->in->len)
		return NULL;
	message = dbus_message_demarshal((const char *)peer->in->data, length, NULL);
	if (!message)
		end(peer, "it sent what is no D-Bus message");
	g_byte_array_remove_range(peer->in, 0, (guint)length);
	return message;
}

/* A bounded number of calls; the rest waits for the next turn, so that a chatty client costs only its own turns. */
static void handle_input(Peer *peer)
{
	if (!peer->dead && !peer->is_open && peer->in->len > 0)
		greet(peer);
	if (!peer->is_open)
		return;
	for (unsigned i = 0; !peer->dead; i++) {
		DBusMessage *message;

		if (peer->queued >= LIMIT_BUS_QUEUE_PAUSE_BYTES)
			return; /* on_ready() comes back when it has read its answers */
		if (i == LIMIT_BUS_BATCH) {
			do_later(peer);
			return;
		}
		message = take_message(peer);
		if (!message)
			return;
		peer->listener->message(peer->data, message);
		dbus_message_unref(message);
	}
}

/* The last thing a callback does: the peer may be gone afterwards. */
static void finish_turn(Peer *peer)
{
	if (peer->dead)
		peer->listener->closed(peer->data, *peer->dead ? peer->dead : NULL);
	else
		update_events(peer);
}

static gboolean on_later(gpointer data)
{
	Peer *peer = data;

	g_source_unref(peer->later); /* the context holds it until we return */
	peer->later = NULL;
	handle_input(peer);
	finish_turn(peer);
	return G_SOURCE_REMOVE;
}

static void read_some(Peer *peer)
{
	guint8 buffer[READ_BYTES];
	const ssize_t n = recv(peer->fd, buffer, sizeof buffer, MSG_DONTWAIT); /* descriptors sent along are dropped */

	if (n > 0)
		g_byte_array_append(peer->in, buffer, (guint)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		end(peer, "");
}

static void on_ready(GIOCondition condition, void *data)
{
	Peer *peer = data;

	if (condition & G_IO_OUT)
		peer_flush(peer);
	if (condition & G_IO_IN)
		read_some(peer);
	else if (condition & (G_IO_HUP | G_IO_ERR))
		end(peer, "");
	if (!peer->later)
		handle_input(peer);
	finish_turn(peer);
}

static void on_limit(void *data)
{
	Peer *peer = data;

	end(peer, "it did not greet in time");
}

Peer *peer_new(int fd, uid_t uid, bool is_welcome, const char *guid, const PeerListener *listener, void *data)
{
	Peer *peer = g_new0(Peer, 1);

	peer->fd = fd;
	peer->listener = listener;
	peer->data = data;
	peer->in = g_byte_array_new();
	g_queue_init(&peer->out);
	auth_init(&peer->auth, uid, is_welcome, guid);
	peer->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_BUS, on_ready, peer);
	peer->limit = timer_new(on_limit, peer);
	timer_arm(peer->limit, loop_now() + LIMIT_AUTH_US);
	return peer;
}

void peer_flush(Peer *peer)
{
	while (!peer->dead && !g_queue_is_empty(&peer->out)) {
		gsize length;
		const guint8 *bytes = g_bytes_get_data(g_queue_peek_head(&peer->out), &length);
		const ssize_t n = send(peer->fd, bytes + peer->out_offset, length - peer->out_offset,
				       MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				end(peer, "");
			break;
		}
		peer->queued -= (size_t)n;
		peer->out_offset += (size_t)n;
		if (peer->out_offset == length) {
			g_bytes_unref(g_queue_pop_head(&peer->out));
			peer->out_offset = 0;
		}
	}
	update_events(peer);
}

void peer_send(Peer *peer, DBusMessage *message)
{
	char *bytes;
	int length;

	if (peer->dead || !peer->is_open)
		return;
	if (peer->queued >= LIMIT_BUS_QUEUE_BYTES) {
		end(peer, "it does not read its answers");
		return;
	}
	if (++peer->serial == 0)
		peer->serial = 1; /* 0 is no serial */
	dbus_message_set_serial(message, peer->serial);
	if (!dbus_message_marshal(message, &bytes, &length))
		g_error("no memory for a D-Bus message");
	queue_bytes(peer, g_bytes_new_with_free_func(bytes, (gsize)length, dbus_free, bytes));
}

void peer_free(Peer *peer)
{
	GBytes *bytes;

	if (!peer)
		return;
	if (peer->later) {
		g_source_destroy(peer->later);
		g_source_unref(peer->later);
	}
	timer_free(peer->limit);
	fd_source_free(peer->source);
	fd_close(&peer->fd);
	auth_clear(&peer->auth);
	g_byte_array_unref(peer->in);
	while ((bytes = g_queue_pop_head(&peer->out)))
		g_bytes_unref(bytes);
	g_free(peer);
}
