/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View client: requests one view from svcd, through its private socket, which works before the bus
 * starts and after it stops.
 *
 * It polls instead of subscribing, because a subscriber receives every change of every service.
 * That would slow a boot more than two requests a second.
 */
#ifndef SVCD_SVC_PROGRESS_VIEW_CLIENT_H
#define SVCD_SVC_PROGRESS_VIEW_CLIENT_H

#include <dbus/dbus.h>

#include "svc-progress/view.h"

typedef struct ViewClient {
	/* NULL while there is none: the manager may be replaced at any moment */
	DBusConnection *svcd;
} ViewClient;

/* Returns: false if svcd does not answer; a later request may succeed. */
bool view_client_get(ViewClient *client, View *ret);
void view_client_clear(ViewClient *client);

#endif
