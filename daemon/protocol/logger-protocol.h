/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logger protocol: the messages between the manager and svc-logger on a SOCK_SEQPACKET pair, one
 * struct per datagram.
 */
#ifndef SVCD_PROTOCOL_LOGGER_PROTOCOL_H
#define SVCD_PROTOCOL_LOGGER_PROTOCOL_H

#include <stdint.h>

#include "protocol/protocol.h"

/* The descriptor of svc-logger's end of the pair. */
#define LOGGER_CONTROL_FD 3

/*
 * The version of the protocol. PID 1 keeps the manager's end under this number, so that a manager
 * never takes over a logger of another version.
 */
#define LOGGER_PROTOCOL "1"

enum LoggerMessageType {
	/*
	 * manager -> logger, with one descriptor: our end of a log channel. For a known channel
	 * only the group is used
	 */
	LOGGER_CHANNEL = 1,
	/*
	 * logger -> manager; the logger has closed that channel, and the manager must dispose of
	 * its copy:
	 */
	LOGGER_END = 2, /* every writer has closed it, and all is written */
	LOGGER_REFUSED = 3, /* file descriptors were sent on it (base/channel.h) */
};

struct LoggerMessage {
	uint32_t type;
	uint32_t group; /* LOGGER_CHANNEL: the group that may read the log besides root; 0: none */
	uint64_t serial; /* the channel's */
	char service[PROTOCOL_NAME_BYTES];
};

#endif
