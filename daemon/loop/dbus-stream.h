/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus stream: D-Bus messages over a connected socket, for either of its ends.
 *
 * libdbus can neither adopt a connected socket nor connect without waiting: connect(2) blocks if
 * the bus daemon is stopped and its backlog is full. So authentication and framing are done here.
 * libdbus parses and checks the messages. Everything is limited: the time of the authentication,
 * the size of a message, the messages per turn, and the bytes that wait to be written. Received
 * descriptors are closed.
 */
#ifndef SVCD_LOOP_DBUS_STREAM_H
#define SVCD_LOOP_DBUS_STREAM_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DBusStream DBusStream;

typedef enum AuthenticationResult {
	AUTHENTICATION_MORE, /* more bytes are needed */
	AUTHENTICATION_DONE, /* messages follow */
	AUTHENTICATION_REFUSED, /* send the bytes in @reply, then close */
} AuthenticationResult;

typedef struct DBusStreamLimits {
	int priority; /* in the main loop */
	int message_bytes; /* a longer message ends the stream, or is skipped */
	bool skips_long;
	/* messages per turn of the main loop; a turn also ends after LIMIT_BUS_TURN_US */
	unsigned batch;
	size_t pause_bytes; /* with this many unwritten bytes, nothing is read */
	size_t queue_bytes; /* with this many unwritten bytes, the stream ends */
} DBusStreamLimits;

typedef struct DBusStreamListener {
	/*
	 * Takes bytes of the authentication. @ret_used: the number of bytes that belong to it. The
	 * answer is appended to @reply.
	 */
	AuthenticationResult (*authenticate)(void *data, const guint8 *bytes, size_t length,
					     size_t *ret_used, GString *reply);
	void (*open)(void *data); /* the authentication is over; may be NULL */
	void (*message)(void *data, DBusMessage *message); /* borrowed; must not free the stream */
	void (*on_writable)(void *data); /* the stream is no longer congested; may be NULL */
	/*
	 * The stream has ended; called from the main loop only. @why is NULL if the other end has
	 * closed it. The listener frees the stream.
	 */
	void (*closed)(void *data, const char *why);
} DBusStreamListener;

/**
 * dbus_stream_new() - authenticate, then exchange messages
 * @fd:     taken; connected and non-blocking
 * @limits: borrowed, as is @listener
 */
DBusStream *dbus_stream_new(int fd, const DBusStreamLimits *limits,
			    const DBusStreamListener *listener, void *data);
void dbus_stream_free(DBusStream *stream); /* NULL is allowed */

/* Sends @bytes, which begin the authentication. */
void dbus_stream_begin(DBusStream *stream, const void *bytes, size_t length);

/**
 * dbus_stream_send() - queue @message with @serial (not 0) and write what the socket takes
 * Returns: false before the end of the authentication, or after the end of the stream.
 */
bool dbus_stream_send(DBusStream *stream, DBusMessage *message, uint32_t serial);

/* Does sent data wait because the other end does not read? */
bool dbus_stream_is_congested(const DBusStream *stream);

/* Returns: the length on the wire of the message that the listener is handling. */
size_t dbus_stream_message_bytes(const DBusStream *stream);

/*
 * Ends the stream for the reason @why, which must stay valid. closed() follows from the main loop.
 */
void dbus_stream_end(DBusStream *stream, const char *why);

void dbus_stream_flush(DBusStream *stream);

/* Returns: the next serial, which is never 0. */
static inline uint32_t dbus_stream_next_serial(uint32_t *last)
{
	if (++*last == 0)
		*last = 1;
	return *last;
}

#endif
