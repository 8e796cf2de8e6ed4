/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket keys: readers of the values in [Socket], for the rows in service-keys.c. @def->socket
 * already exists.
 */
#ifndef SVCD_MODEL_SOCKET_READ_H
#define SVCD_MODEL_SOCKET_READ_H

#include "model/field-read.h"

/* One for each kind of Listen...=; @field is unused. */
KeyReader socket_read_stream;
KeyReader socket_read_datagram;
KeyReader socket_read_seqpacket;
KeyReader socket_read_fifo;
KeyReader socket_read_accept; /* only "no" */
KeyReader socket_read_mode;
KeyReader socket_read_backlog;
KeyReader socket_read_names;
KeyReader socket_read_ipv6_only;
KeyReader socket_read_buffer_size;
KeyReader socket_read_trigger_limit;

#endif
