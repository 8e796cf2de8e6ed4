/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forwarder: the process between svc-logger and the syslog daemon.
 *
 * /dev can be listed by every user, and such a directory can be held by one: while it is, a process that looks for "log" there, and does not
 * find it in the cache, waits. So can one that reads the time zone. If it is this process, forwarding is all that stops.
 */
#ifndef SVCD_LOGGER_FORWARDER_H
#define SVCD_LOGGER_FORWARDER_H

#include <sys/types.h>

/* A line to be forwarded is one datagram, "SECONDS <PRIORITY> SERVICE: TEXT". Longer ones are cut. */
#define FORWARDER_LINE_BYTES 9000

/**
 * forwarder_start() - fork it
 * @path:    of the syslog daemon's socket
 * @ret_pid: a child; it ends on SIGTERM, and with svc-logger
 * Returns: our end of a SOCK_SEQPACKET pair, or -1. It takes a few hundred lines while there is no syslog daemon.
 */
int forwarder_start(const char *path, pid_t *ret_pid);

#endif
