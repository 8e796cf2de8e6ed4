/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket watch: tells when a connection to a path may be worth another try. By inotify on the nearest directory that
 * exists, so that waiting for a server that never comes costs nothing.
 */
#ifndef SVCD_LOOP_SOCKET_WATCH_H
#define SVCD_LOOP_SOCKET_WATCH_H

#include <glib.h>

typedef struct SocketWatch SocketWatch;

/**
 * socket_watch_new() - not armed yet
 * @path:    absolute; copied
 * @touched: something was made, moved or had its mode changed on the way to it; called once a turn, may disarm
 */
SocketWatch *socket_watch_new(const char *path, void (*touched)(void *data), void *data, GError **error);
void socket_watch_free(SocketWatch *watch); /* NULL is nothing */

/* From here on nothing is missed: arm first, then try to connect. */
void socket_watch_arm(SocketWatch *watch);
void socket_watch_disarm(SocketWatch *watch);

#endif
