/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logger protocol: what the manager and svc-logger say to each other over a SOCK_SEQPACKET pair, one struct a datagram.
 */
#ifndef SVCD_PROTOCOL_LOGGER_PROTOCOL_H
#define SVCD_PROTOCOL_LOGGER_PROTOCOL_H

#include <stdint.h>

#include "protocol/protocol.h"

/* svc-logger finds its end of the pair here. */
#define LOGGER_CONTROL_FD 3

enum LoggerMessageType {
	/* manager -> logger, with one descriptor: the read end of an output pipe. Of a known one only the group is heeded */
	LOGGER_PIPE = 1,
	LOGGER_END = 2,  /* logger -> manager: that pipe is at its end and written out; it may be forgotten */
};

struct LoggerMessage {
	uint32_t type;
	uint32_t group; /* LOGGER_PIPE: who else than root may read the log; 0: nobody */
	uint64_t invocation;
	char service[PROTOCOL_NAME_BYTES];
};

#endif
