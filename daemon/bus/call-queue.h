/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call queue: calls that have come from the system bus, and whose turn it is.
 *
 * All callers share one connection, so whoever calls a thousand times would be a thousand calls ahead of the next one. Here users
 * take turns, and so do the callers of one user: who calls once waits for one call of each other user, however many those make on
 * however many connections. Whose a caller is, is asked only when calls are left over; until then all are one user's. What a caller
 * has too much of is refused at once, which is cheap, so that the connection is read as fast as it is filled. If the bus is so slow
 * that answers wait for it, a user with many calls gets short ones, and in a flood everybody does: LIMIT_BUS_SLOW_US.
 */
#ifndef SVCD_BUS_CALL_QUEUE_H
#define SVCD_BUS_CALL_QUEUE_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct CallQueue CallQueue;

typedef struct CallQueueListener {
	/*
	 * @call is borrowed, and refused if there is a @refusal; @only_if_long: only if its answer would be long. May add and forget
	 * calls, but not free the queue.
	 */
	void (*turn)(void *data, DBusMessage *call, const GError *refusal, bool only_if_long);
	/* May the next call be handled? If not, call_queue_go_on() is to be called when it may. */
	bool (*is_open)(void *data);
	void (*ask)(void *data, const char *caller); /* whose it is: call_queue_known() */
	/* Calls are left over when a turn of the main loop is at its end, and later: none is left, and the bus is not slow. */
	void (*backlog)(void *data, bool is_there);
} CallQueueListener;

/* @listener: borrowed. */
CallQueue *call_queue_new(const CallQueueListener *listener, void *data);
void call_queue_free(CallQueue *queue); /* NULL is nothing; what is left over is forgotten */

/**
 * call_queue_add() - let @call wait until it is its caller's turn
 * @n_bytes: how long it is
 */
bool call_queue_add(CallQueue *queue, DBusMessage *call, size_t n_bytes, GError **error);
void call_queue_go_on(CallQueue *queue);

/* Whose the caller is. */
void call_queue_known(CallQueue *queue, const char *caller, uid_t uid);
/* The caller has left: nobody waits for its answers. */
void call_queue_forget(CallQueue *queue, const char *caller);
/* All have: the bus is gone. */
void call_queue_clear(CallQueue *queue);

#endif
