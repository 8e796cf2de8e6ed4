/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listening: one socket or fifo of a service, from its definition to a descriptor.
 *
 * Only svc-worker calls this, because each of these functions may block for ever. Users can hold
 * the locks of the directories on the path, and a service can hold the lock of its socket.
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
 * listening_open() - make the socket or fifo at its address, with all settings of its definition
 *
 * A socket file that a dead program left is removed if no process listens on it. Other files are
 * never removed. From the first moment, owner and mode are those of the definition, or stricter. An
 * address in use is tried again for LISTENING_PATIENCE_US, because PID 1 may be about to close the
 * previous socket.
 * Returns: the descriptor, or -1 with @error.
 */
int listening_open(const Listen *listen, const SocketDef *def, const ListenOwner *owner,
		   GError **error);

#define LISTENING_PATIENCE_US (1 * G_USEC_PER_SEC)

/**
 * listening_is_intact() - can clients still reach @fd?
 *
 * The service had the descriptor, and an admin may have removed the file. Checks the type, the
 * address, whether the socket accepts connections, and whether the file still exists.
 */
bool listening_is_intact(int fd, const Listen *listen);

/* The path that @fd was bound to or opened by. A new string; NULL if there is none. */
char *listening_path(int fd);

/* Removes the file at @path if it is the file of @fd. */
void listening_remove_file(int fd, const char *path);

#endif
