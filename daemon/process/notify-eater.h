/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify eater: svc-worker receives datagrams that carry descriptors and closes the descriptors.
 * That can block for ever, because the sender chooses the descriptors. Ordinary descriptors, such
 * as the barrier of systemd-notify(1), are closed at once.
 *
 * Up to NOTIFY_EATERS jobs run at the same time. If all of them hang, the caller must give up the
 * socket.
 */
#ifndef SVCD_PROCESS_NOTIFY_EATER_H
#define SVCD_PROCESS_NOTIFY_EATER_H

#include "worker/pool.h"

/* Jobs of one service that may hang. */
#define NOTIFY_EATERS 4

typedef struct NotifyEater NotifyEater;

typedef struct NotifyEaterListener {
	void (*eaten)(void *data); /* the socket can be read again */
	void (*given_up)(void *data); /* all jobs hang; the call may free the eater */
} NotifyEaterListener;

/* @service: for the names of the jobs. */
NotifyEater *notify_eater_new(WorkerPool *pool, const char *service,
			      const NotifyEaterListener *listener, void *data);
/*
 * Called when the first datagram in @socket (borrowed) has descriptors. The caller then does not
 * read the socket before eaten() is called. This function never calls the listener.
 */
void notify_eater_eat(NotifyEater *eater, int socket);
void notify_eater_free(NotifyEater *eater); /* NULL is allowed */

#endif
