/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus daemon: a real dbus-daemon of a test's own, in a directory of its own, to be killed, stopped and started again.
 */
#ifndef SVCD_TESTS_BUS_DAEMON_H
#define SVCD_TESTS_BUS_DAEMON_H

#include <sys/types.h>

typedef struct BusDaemon {
	char *directory; /* made by bus_daemon_init() */
	char *socket;    /* "DIRECTORY/run/dbus/socket"; the two directories are made by bus_daemon_start() */
	pid_t pid;       /* 0 while it does not run */
} BusDaemon;

void bus_daemon_init(BusDaemon *daemon);
void bus_daemon_clear(BusDaemon *daemon); /* kills it and removes the directory */

/* Returns before it listens. It dies with the test. */
void bus_daemon_start(BusDaemon *daemon);
/* SIGKILL, and reaped; its socket stays. */
void bus_daemon_kill(BusDaemon *daemon);
/* The directory of the socket, made if it is not there. */
void bus_daemon_make_directory(const BusDaemon *daemon);

#endif
