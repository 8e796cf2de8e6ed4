/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus daemon: a dbus-daemon for one test, in its own directory. The test can kill, stop and restart
 * it.
 */
#ifndef SVCD_TESTS_BUS_DAEMON_H
#define SVCD_TESTS_BUS_DAEMON_H

#include <sys/types.h>

typedef struct BusDaemon {
	char *directory; /* made by bus_daemon_init() */
	char *socket; /* "DIRECTORY/run/dbus/socket" */
	pid_t pid; /* 0 while the daemon does not run */
} BusDaemon;

void bus_daemon_init(BusDaemon *daemon);
void bus_daemon_clear(BusDaemon *daemon); /* kills it and removes the directory */

/* Returns before the daemon listens. It dies with the test. */
void bus_daemon_start(BusDaemon *daemon);
/* Kills it (SIGKILL) and reaps it. Its socket remains. */
void bus_daemon_kill(BusDaemon *daemon);
/* Makes the directory of the socket if it is missing. */
void bus_daemon_make_directory(const BusDaemon *daemon);

#endif
