/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus stream: queue, framing and limits of one connected socket.
 */
#include "config.h"

#include "loop/dbus-stream.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "base/limits.h"
#include "loop/loop.h"

enum { READ_BYTES = 16 * 1024, PIECES_AT_ONCE = 32 };

struct DBusStream {
	int fd;
	FdSource *source;
	/* messages that wait for the next turn, or an end to report; NULL: none */
	GSource *later;
	Timer *limit; /* of the authentication */
	bool is_open; /* the authentication is over */
	bool is_paused; /* complete messages may wait in @in for room in @out */
	bool is_congested; /* the socket did not take all bytes; on_writable() will be called */
	/* why the stream has ended; "": no reason to report; NULL: it has not ended */
	const char *dead;
	GByteArray *in;
	size_t to_skip; /* bytes of a skipped message that have not come yet */
	size_t taken_bytes; /* length of the last message */
	GQueue out; /* GBytes * */
	size_t out_offset; /* the bytes of the first element that are already written */
	size_t queued; /* bytes in @out */
	const DBusStreamLimits *limits;
	const DBusStreamListener *listener;
	void *data;
};

static gboolean on_later(gpointer data);

static void do_later(DBusStream *stream)
{
	if (stream->later)
		return;
	stream->later = g_idle_source_new();
	g_source_set_priority(stream->later, stream->limits->priority);
	g_source_set_callback(stream->later, on_later, stream, NULL);
	g_source_attach(stream->later, NULL);
}

/* Marks the end. The listener is called later, when the stream may be freed. */
void dbus_stream_end(DBusStream *stream, const char *why)
{
	if (stream->dead)
		return;
	stream->dead = why;
	do_later(stream);
}

static void update_events(DBusStream *stream)
{
	GIOCondition events = 0;

	if (!stream->dead && stream->queued < stream->limits->pause_bytes && !stream->later)
		events |= G_IO_IN;
	if (!stream->dead && stream->queued > 0)
		events |= G_IO_OUT;
	fd_source_set_events(stream->source, events);
}

static void queue_bytes(DBusStream *stream, GBytes *bytes)
{
	stream->queued += g_bytes_get_size(bytes);
	g_queue_push_tail(&stream->out, bytes);
	dbus_stream_flush(stream);
}

static void authenticate(DBusStream *stream)
{
	g_autoptr(GString) reply = g_string_new(NULL);
	size_t used = 0;
	const AuthenticationResult result = stream->listener->authenticate(
		stream->data, stream->in->data, stream->in->len, &used, reply);

	g_byte_array_remove_range(stream->in, 0, (guint)used);
	if (reply->len > 0)
		queue_bytes(stream, g_bytes_new(reply->str, reply->len));
	switch (result) {
	case AUTHENTICATION_MORE:
		break;
	case AUTHENTICATION_DONE:
		stream->is_open = true;
		timer_disarm(stream->limit);
		if (stream->listener->open)
			stream->listener->open(stream->data);
		break;
	case AUTHENTICATION_REFUSED:
		dbus_stream_end(stream, "it did not authenticate as D-Bus requires");
		break;
	}
}

/* Skips the received bytes of a message that is too long. */
static void skip(DBusStream *stream)
{
	const guint here = (guint)MIN(stream->to_skip, stream->in->len);

	g_byte_array_remove_range(stream->in, 0, here);
	stream->to_skip -= here;
}

/* Returns: the length of the first message; 0 if it is unknown yet, or the stream has ended. */
static guint message_length(DBusStream *stream)
{
	int length;

	/* libdbus needs the fixed part of the header. */
	if (stream->in->len < 16)
		return 0;
	length = dbus_message_demarshal_bytes_needed((const char *)stream->in->data,
						     (int)stream->in->len);
	if (length <= 0) {
		dbus_stream_end(stream, "it sent an invalid D-Bus message");
		return 0;
	}
	if (length > stream->limits->message_bytes && !stream->limits->skips_long) {
		dbus_stream_end(stream, "it sent a message that is too long");
		return 0;
	}
	return (guint)length;
}

/*
 * Takes one complete message from the front of @in. Returns: NULL if there is none, or the stream
 * has ended.
 */
static DBusMessage *take_message(DBusStream *stream)
{
	DBusMessage *message;
	guint length;

	skip(stream);
	length = message_length(stream);
	while (length > (guint)stream->limits->message_bytes) {
		stream->to_skip = length;
		skip(stream);
		length = stream->to_skip > 0 ? 0 : message_length(stream);
	}
	if (length == 0 || length > stream->in->len)
		return NULL;
	message = dbus_message_demarshal((const char *)stream->in->data, (int)length, NULL);
	if (!message)
		dbus_stream_end(stream, "it sent an invalid D-Bus message");
	g_byte_array_remove_range(stream->in, 0, length);
	stream->taken_bytes = length;
	return message;
}

/*
 * Handles a bounded number of messages. The rest waits for the next turn, so a busy peer delays
 * only itself.
 */
static void handle_input(DBusStream *stream)
{
	const int64_t until_us = loop_now() + LIMIT_BUS_TURN_US;

	if (!stream->dead && !stream->is_open && stream->in->len > 0)
		authenticate(stream);
	if (!stream->is_open)
		return;
	for (unsigned i = 0; !stream->dead; i++) {
		DBusMessage *message;

		stream->is_paused = stream->queued >= stream->limits->pause_bytes;
		if (stream->is_paused)
			return; /* dbus_stream_flush() continues when the other end has read */
		if (i == stream->limits->batch || (i > 0 && loop_now() >= until_us)) {
			do_later(stream);
			return;
		}
		message = take_message(stream);
		if (!message)
			return;
		stream->listener->message(stream->data, message);
		dbus_message_unref(message);
	}
}

/* Must be the last call in a callback, because the stream may be freed here. */
static void finish_turn(DBusStream *stream)
{
	if (stream->dead)
		stream->listener->closed(stream->data, *stream->dead ? stream->dead : NULL);
	else
		update_events(stream);
}

static void notify_writable(DBusStream *stream)
{
	if (stream->dead || !stream->is_congested || stream->queued > 0)
		return;
	stream->is_congested = false;
	if (stream->listener->on_writable)
		stream->listener->on_writable(stream->data);
}

static gboolean on_later(gpointer data)
{
	DBusStream *stream = data;

	g_source_unref(stream->later); /* the context holds it until we return */
	stream->later = NULL;
	notify_writable(stream);
	handle_input(stream);
	finish_turn(stream);
	return G_SOURCE_REMOVE;
}

static void read_some(DBusStream *stream)
{
	guint8 buffer[READ_BYTES];
	/*
	 * This closes descriptors that came with the bytes, and the close can block. So the other
	 * end must be trusted: it is root (bus/client-socket.c), or a bus daemon that was not asked
	 * for descriptors (bus-authentication.h).
	 */
	const ssize_t n = recv(stream->fd, buffer, sizeof buffer, MSG_DONTWAIT);

	if (n > 0)
		g_byte_array_append(stream->in, buffer, (guint)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		dbus_stream_end(stream, "");
}

static void on_ready(GIOCondition condition, void *data)
{
	DBusStream *stream = data;

	if (condition & G_IO_OUT)
		dbus_stream_flush(stream);
	if (condition & G_IO_IN)
		read_some(stream);
	else if (condition & (G_IO_HUP | G_IO_ERR))
		dbus_stream_end(stream, "");
	if (!stream->later)
		handle_input(stream);
	finish_turn(stream);
}

static void on_limit(void *data)
{
	dbus_stream_end(data, "it did not authenticate in time");
}

DBusStream *dbus_stream_new(int fd, const DBusStreamLimits *limits,
			    const DBusStreamListener *listener, void *data)
{
	DBusStream *stream = g_new0(DBusStream, 1);

	stream->fd = fd;
	stream->limits = limits;
	stream->listener = listener;
	stream->data = data;
	stream->in = g_byte_array_new();
	g_queue_init(&stream->out);
	stream->source = fd_source_new(fd, G_IO_IN, limits->priority, on_ready, stream);
	stream->limit = timer_new(on_limit, stream);
	timer_arm(stream->limit, loop_now() + LIMIT_AUTH_US);
	return stream;
}

void dbus_stream_begin(DBusStream *stream, const void *bytes, size_t length)
{
	queue_bytes(stream, g_bytes_new(bytes, length));
}

/*
 * Writes several messages at once, because in a small socket buffer a short write takes as much
 * room as a long one.
 */
static ssize_t write_some(DBusStream *stream)
{
	struct iovec pieces[PIECES_AT_ONCE];
	struct msghdr message = { .msg_iov = pieces };
	gsize offset = stream->out_offset;

	for (GList *l = stream->out.head; l && message.msg_iovlen < PIECES_AT_ONCE; l = l->next) {
		gsize length;
		const guint8 *bytes = g_bytes_get_data(l->data, &length);

		pieces[message.msg_iovlen++] =
			(struct iovec){ (void *)(bytes + offset), length - offset };
		offset = 0;
	}
	return sendmsg(stream->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void drop_written(DBusStream *stream, size_t n)
{
	stream->queued -= n;
	stream->out_offset += n;
	while (!g_queue_is_empty(&stream->out)) {
		const gsize length = g_bytes_get_size(g_queue_peek_head(&stream->out));

		if (stream->out_offset < length)
			return;
		stream->out_offset -= length;
		g_bytes_unref(g_queue_pop_head(&stream->out));
	}
}

void dbus_stream_flush(DBusStream *stream)
{
	while (!stream->dead && !g_queue_is_empty(&stream->out)) {
		const ssize_t n = write_some(stream);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				dbus_stream_end(stream, "");
			break;
		}
		drop_written(stream, (size_t)n);
	}
	stream->is_congested = stream->is_congested || stream->queued > 0;
	if ((stream->is_paused && stream->queued < stream->limits->pause_bytes) ||
	    (stream->is_congested && stream->queued == 0))
		do_later(stream);
	update_events(stream);
}

bool dbus_stream_send(DBusStream *stream, DBusMessage *message, uint32_t serial)
{
	char *bytes;
	int length;

	if (stream->dead || !stream->is_open)
		return false;
	if (stream->queued >= stream->limits->queue_bytes) {
		dbus_stream_end(stream, "it does not read its messages");
		return false;
	}
	dbus_message_set_serial(message, serial);
	if (!dbus_message_marshal(message, &bytes, &length))
		g_error("no memory for a D-Bus message");
	queue_bytes(stream, g_bytes_new_with_free_func(bytes, (gsize)length, dbus_free, bytes));
	return true;
}

bool dbus_stream_is_congested(const DBusStream *stream)
{
	return stream->is_congested;
}

size_t dbus_stream_message_bytes(const DBusStream *stream)
{
	return stream->taken_bytes;
}

void dbus_stream_free(DBusStream *stream)
{
	GBytes *bytes;

	if (!stream)
		return;
	if (stream->later) {
		g_source_destroy(stream->later);
		g_source_unref(stream->later);
	}
	timer_free(stream->limit);
	fd_source_free(stream->source);
	fd_close(&stream->fd);
	g_byte_array_unref(stream->in);
	while ((bytes = g_queue_pop_head(&stream->out)))
		g_bytes_unref(bytes);
	g_free(stream);
}
