/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask: requests one view from svcd, through its private socket, which works before the bus starts
 * and after it stops.
 *
 * It polls instead of subscribing, because a subscriber receives every change of every service.
 * That would slow a boot more than two requests a second.
 */
#ifndef SVCD_SVC_PROGRESS_ASK_H
#define SVCD_SVC_PROGRESS_ASK_H

#include <dbus/dbus.h>

#include "svc-progress/view.h"

typedef struct Ask {
	DBusConnection *svcd; /* NULL while there is none: the manager may be replaced at any moment */
} Ask;

/* Returns: false if svcd does not answer; a later request may succeed. */
bool ask_view(Ask *ask, View *ret);
void ask_clear(Ask *ask);

#endif
