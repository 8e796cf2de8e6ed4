/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify eater: has datagrams with descriptors received by svc-worker, which then closes the descriptors. That may take for ever: the
 * sender decides what is closed. Ordinary ones, as the barrier of systemd-notify(1), are closed at once.
 *
 * A few are closed at the same time. If all of them hang, the socket is to be given up.
 */
#ifndef SVCD_PROCESS_NOTIFY_EATER_H
#define SVCD_PROCESS_NOTIFY_EATER_H

#include "worker/pool.h"

/* Processes of one service that may hang. */
#define NOTIFY_EATERS 4

typedef struct NotifyEater NotifyEater;

typedef struct NotifyEaterListener {
	void (*eaten)(void *data);    /* the socket can be read again */
	void (*given_up)(void *data); /* all of them hang; may free the eater */
} NotifyEaterListener;

/* @service: of the name of the workers. */
NotifyEater *notify_eater_new(WorkerPool *pool, const char *service, const NotifyEaterListener *listener, void *data);
/* The first datagram of @socket, borrowed, has descriptors; it is not read before the answer. The listener is never called from here. */
void notify_eater_eat(NotifyEater *eater, int socket);
void notify_eater_free(NotifyEater *eater); /* NULL is nothing */

#endif
