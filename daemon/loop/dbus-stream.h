/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus stream: a connected socket that speaks D-Bus, from bytes to messages and back; for both of its ends.
 *
 * libdbus can neither adopt a connected socket nor connect without waiting (connect(2) to a bus daemon that is stopped
 * and whose backlog is full blocks), so greeting and framing are done here; messages themselves are libdbus' work (it
 * checks all that comes). Everything has an end: the greeting's time, a message's size, the messages in one turn, what
 * waits to be written. Descriptors that come along are dropped.
 */
#ifndef SVCD_LOOP_DBUS_STREAM_H
#define SVCD_LOOP_DBUS_STREAM_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DBusStream DBusStream;

typedef enum GreetingResult {
	GREETING_MORE,    /* go on reading */
	GREETING_DONE,    /* messages follow */
	GREETING_REFUSED, /* send what is in @reply, then close */
} GreetingResult;

/* What this end puts up with. */
typedef struct DBusStreamLimits {
	int priority;       /* in the main loop */
	int message_bytes;  /* a longer message is the end, or is passed over */
	bool skips_long;
	unsigned batch;     /* messages in one turn of the main loop, and fewer if they take more than LIMIT_BUS_TURN_US */
	size_t pause_bytes; /* with so much waiting to be written nothing is read */
	size_t queue_bytes; /* with so much waiting nothing more is taken: the end */
} DBusStreamLimits;

typedef struct DBusStreamListener {
	/* Takes bytes of the greeting: @ret_used of them belong to it; what to send is appended to @reply. */
	GreetingResult (*greet)(void *data, const guint8 *bytes, size_t length, size_t *ret_used, GString *reply);
	void (*open)(void *data); /* the greeting is done; may be NULL */
	void (*message)(void *data, DBusMessage *message); /* borrowed; must not free the stream */
	void (*room)(void *data); /* dbus_stream_is_congested() is over; may be NULL */
	/* Over, and said from the main loop only. @why is NULL when the other end simply left. The listener frees it. */
	void (*closed)(void *data, const char *why);
} DBusStreamListener;

/**
 * dbus_stream_new() - greet, then exchange messages
 * @fd:     taken; connected and non-blocking
 * @limits: borrowed, as is @listener
 */
DBusStream *dbus_stream_new(int fd, const DBusStreamLimits *limits, const DBusStreamListener *listener, void *data);
void dbus_stream_free(DBusStream *stream); /* NULL is nothing */

/* Bytes of the greeting by which this end begins. */
void dbus_stream_begin(DBusStream *stream, const void *bytes, size_t length);

/**
 * dbus_stream_send() - queue @message with @serial (not 0) and write what the socket takes
 * Returns: false when the greeting is not done, or the stream is over.
 */
bool dbus_stream_send(DBusStream *stream, DBusMessage *message, uint32_t serial);

/* Does the other end not read? Something that was sent waits here for room in the socket. */
bool dbus_stream_is_congested(const DBusStream *stream);

/* How long the message is, on the wire, that the listener is being told of. */
size_t dbus_stream_message_bytes(const DBusStream *stream);

/* Ends it for @why, a text that stays; closed() follows from the main loop. */
void dbus_stream_end(DBusStream *stream, const char *why);

/* Writes what the socket takes. */
void dbus_stream_flush(DBusStream *stream);

/* Counts serials: 0 is none. */
static inline uint32_t dbus_stream_next_serial(uint32_t *last)
{
	if (++*last == 0)
		*last = 1;
	return *last;
}

#endif
