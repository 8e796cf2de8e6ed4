/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call queue: calls that have come from the system bus, and the order in which they are handled.
 *
 * All callers share one connection. In the order of arrival, one caller with a thousand calls would
 * delay all others. Here users take turns, and so do the callers of one user. A single call waits
 * for at most one call of each other user, however many calls and connections that user has.
 *
 * The bus daemon is asked for the user of a caller only when calls are left over after a turn.
 * Until then all calls count as one user's. Excess calls are refused at once, which is cheap, so
 * the connection is read as fast as it fills.
 *
 * If the bus is so slow that answers wait for it, a user with many calls gets short errors
 * (LIMIT_BUS_SLOW_US). In a flood, such errors replace the long answers to all users.
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
	 * Handles @call, which is borrowed. If @refusal is set, refuses the call; with
	 * @only_if_long, only a call with a long answer. May add and forget calls, but not free the
	 * queue.
	 */
	void (*turn)(void *data, DBusMessage *call, const GError *refusal, bool only_if_long);
	/*
	 * May the next call be handled? If not, the listener calls call_queue_go_on() as soon as it
	 * may.
	 */
	bool (*is_open)(void *data);
	/* looks up the uid of @caller; the result comes through call_queue_known() */
	void (*on_query)(void *data, const char *caller);
	/*
	 * True: calls were left over at the end of a turn of the main loop. False: the queue is
	 * empty and the bus is not slow.
	 */
	void (*backlog)(void *data, bool is_there);
} CallQueueListener;

/* @listener: borrowed. */
CallQueue *call_queue_new(const CallQueueListener *listener, void *data);
void call_queue_free(CallQueue *queue); /* accepts NULL; drops the calls that are left */

/**
 * call_queue_add() - queue @call until it is its caller's turn
 * @n_bytes: the size of the call
 */
bool call_queue_add(CallQueue *queue, DBusMessage *call, size_t n_bytes, GError **error);
void call_queue_go_on(CallQueue *queue);

/* The caller belongs to @uid. */
void call_queue_known(CallQueue *queue, const char *caller, uid_t uid);
/* The caller has left. Its calls are dropped. */
void call_queue_forget(CallQueue *queue, const char *caller);
/* The bus is gone, and all callers with it. */
void call_queue_clear(CallQueue *queue);

#endif
