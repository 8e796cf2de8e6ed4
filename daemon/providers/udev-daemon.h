/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: is udevd there? It is while somebody listens on its control socket; a socket made anew is another udevd.
 */
#ifndef SVCD_PROVIDERS_UDEV_DAEMON_H
#define SVCD_PROVIDERS_UDEV_DAEMON_H

#include <glib.h>
#include <stdbool.h>

#include "loop/system-bus.h"

typedef struct UdevDaemon UdevDaemon;

/**
 * udev_daemon_new() - look out for udevd
 * @directory: where it keeps its socket "control", "/run/udev"; need not exist yet
 * @sockets:   copied
 * @changed:   it is there now (again, if it was), or it has gone; soon for the first time
 */
UdevDaemon *udev_daemon_new(const char *directory, const SocketLook *sockets, void (*changed)(void *data, bool is_there), void *data);
void udev_daemon_free(UdevDaemon *daemon); /* NULL is nothing */

bool udev_daemon_is_there(const UdevDaemon *daemon);

#endif
