/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forwarder: the process between svc-logger and the syslog daemon.
 *
 * Every user can list /dev, and a user can hold the lock of such a directory. A process that looks
 * up "log" in /dev then blocks, unless the name is in the cache. A process that reads the time zone
 * can block in the same way. If the forwarder blocks, only forwarding stops.
 */
#ifndef SVCD_LOGGER_FORWARDER_H
#define SVCD_LOGGER_FORWARDER_H

#include <sys/types.h>

/* A line to forward is one datagram, "SECONDS <PRIORITY> SERVICE: TEXT". Longer lines are cut. */
#define FORWARDER_LINE_BYTES 9000

/**
 * forwarder_start() - fork the forwarder
 * @path:    the path of the syslog daemon's socket
 * @ret_pid: the forwarder, a child that ends with svc-logger
 * Returns: our end of a SOCK_SEQPACKET pair, or -1. The pair holds a few hundred lines while there
 * is no syslog daemon.
 */
int forwarder_start(const char *path, pid_t *ret_pid);

#endif
