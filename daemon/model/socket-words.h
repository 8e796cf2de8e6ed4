/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket words: everything that a definition says of one of its sockets, as strings that svc-worker gets, and a hash of them by which a
 * socket is known again.
 */
#ifndef SVCD_MODEL_SOCKET_WORDS_H
#define SVCD_MODEL_SOCKET_WORDS_H

#include "model/socket-def.h"

/* Hexadecimal digits of a hash. */
#define SOCKET_HASH_LENGTH 16

/* svc-worker's answer if clients can still reach the socket that is kept. */
#define SOCKET_IS_SAME "same"

/* The address, the kind, then KEY=VALUE of what applies to such an address. Returns: a new array. */
char **socket_words_new(const Listen *listen, const SocketDef *def);

/**
 * socket_words_read() - the reverse
 * Returns: a definition with this one socket; NULL if @words are not of socket_words_new().
 */
SocketDef *socket_words_read(const char *const *words, unsigned n_words);

/* Sockets of one definition that differ in anything have different hashes. Returns: a new string. */
char *socket_words_hash(const char *const *words);

#endif
