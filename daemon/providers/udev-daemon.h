/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: is udevd running? It runs while a process listens on its control socket. A new
 * socket means a new udevd.
 */
#ifndef SVCD_PROVIDERS_UDEV_DAEMON_H
#define SVCD_PROVIDERS_UDEV_DAEMON_H

#include <glib.h>
#include <stdbool.h>

#include "loop/system-bus.h"

typedef struct UdevDaemon UdevDaemon;

/**
 * udev_daemon_new() - watch for udevd
 * @directory: contains its socket "control", "/run/udev"; need not exist yet
 * @sockets: copied
 * @changed: called when udevd has appeared (or reappeared) or has gone; the first call comes soon
 */
UdevDaemon *udev_daemon_new(const char *directory, const SocketLook *sockets,
			    void (*changed)(void *data, bool is_there), void *data);
void udev_daemon_free(UdevDaemon *daemon); /* NULL is allowed */

bool udev_daemon_is_there(const UdevDaemon *daemon);

#endif
