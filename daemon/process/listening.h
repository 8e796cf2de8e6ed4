/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listening: one socket or fifo of a service, from its definition to a descriptor.
 *
 * Only svc-worker calls this. Names are looked up in directories that users can hold, and a service can hold the lock of a socket
 * that it has, so each of these functions may wait for ever.
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
 * listening_open() - make it, at its address, with all that its definition sets
 *
 * The socket that a dead program left at a path is removed if no process listens on it; another file never is. Owner and mode
 * are right from the first moment, or stricter. An address that is in use is tried again for LISTENING_PATIENCE_US, because
 * PID 1 may be about to close the socket that had it before.
 * Returns: the descriptor, or -1 with @error.
 */
int listening_open(const Listen *listen, const SocketDef *def, const ListenOwner *owner, GError **error);

#define LISTENING_PATIENCE_US (1 * G_USEC_PER_SEC)

/**
 * listening_is_intact() - can clients still reach @fd?
 *
 * The service has had it, and an admin can have removed its file. Asked are its kind, its address, whether it takes
 * connections, and whether its file is still there.
 */
bool listening_is_intact(int fd, const Listen *listen);

/* The path that @fd was bound to, or opened by; a new string, NULL if it has none. */
char *listening_path(int fd);

/* Remove the file at @path if it is that of @fd. */
void listening_remove_file(int fd, const char *path);

#endif
