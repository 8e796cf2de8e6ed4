/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket fields: all settings of one socket as strings for svc-worker, and their hash, by which the
 * socket is recognized.
 */
#ifndef SVCD_MODEL_SOCKET_FIELDS_H
#define SVCD_MODEL_SOCKET_FIELDS_H

#include "model/socket-def.h"

/* The number of hexadecimal digits of a hash. */
#define SOCKET_HASH_LENGTH 16

/* The answer of svc-worker if clients can still reach the kept socket. */
#define SOCKET_IS_SAME "same"

/*
 * The address, the kind, then KEY=VALUE of the options for such an address. Returns: a new array.
 */
char **socket_fields_new(const Listen *listen, const SocketDef *def);

/**
 * socket_fields_read() - the reverse of socket_fields_new()
 * Returns: a definition with this one socket; NULL if the strings are invalid.
 */
SocketDef *socket_fields_read(const char *const *fields, unsigned n_fields);

/*
 * Two sockets of one definition that differ in any way have different hashes. Returns: a new
 * string.
 */
char *socket_fields_hash(const char *const *fields);

#endif
