/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listening: one socket or fifo of a service, from its definition to a descriptor. Nothing here waits: a name that would have
 * to be looked up has been (ListenOwner), and the descriptor is opened non-blocking.
 */
#ifndef SVCD_PROCESS_LISTENING_H
#define SVCD_PROCESS_LISTENING_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "model/socket-def.h"

/* SocketUser= and SocketGroup= as numbers. */
typedef struct ListenOwner {
	uid_t uid;
	gid_t gid;
} ListenOwner;

/**
 * listening_open() - make it, at its address, with all that its definition says
 *
 * What a dead program left at a path is removed: a socket to which nobody listens, never another file. Owner and mode
 * are right from the first moment, or stricter.
 * Returns: the descriptor, or -1 with @error, which says whose the address is, if that can be found out.
 */
int listening_open(const Listen *listen, const SocketDef *def, const ListenOwner *owner, GError **error);

/**
 * listening_matches() - is @fd what listening_open() would make?
 *
 * The kernel is asked, nobody's memory: kind, address, what can only be said before a socket has its address, and
 * whether its file is still there. What can be changed later is not compared: listening_apply().
 */
bool listening_matches(int fd, const Listen *listen, const SocketDef *def);

/* Set what can be set on one that is open: options, backlog, owner and mode. */
bool listening_apply(int fd, const Listen *listen, const SocketDef *def, const ListenOwner *owner, GError **error);

/* The path that @fd was bound to, or opened by; a new string, NULL if it has none. */
char *listening_path(int fd);

/* Remove the file at @path if it is that of @fd. */
void listening_remove_file(int fd, const char *path);

#endif
