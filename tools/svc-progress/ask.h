/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask: one view from svcd, through its private socket: before there is a bus, and when there is none any more.
 *
 * It is asked, and not listened to: whoever subscribes is told every change of every service, which would cost a boot
 * more than two questions a second.
 */
#ifndef SVCD_SVC_PROGRESS_ASK_H
#define SVCD_SVC_PROGRESS_ASK_H

#include <dbus/dbus.h>

#include "svc-progress/view.h"

typedef struct Ask {
	DBusConnection *svcd; /* NULL while there is none: the manager may be replaced at any moment */
} Ask;

/* Returns: false when svcd does not answer; asking again later may help. */
bool ask_view(Ask *ask, View *ret);
void ask_clear(Ask *ask);

#endif
