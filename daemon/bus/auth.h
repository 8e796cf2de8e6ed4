/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Auth: the server side of D-Bus authentication, EXTERNAL only ("Authentication Protocol" in the
 * D-Bus Specification).
 *
 * The code does no I/O. The caller has already read the peer's uid from the socket.
 * DBUS_COOKIE_SHA1, which reads files in a home directory (CVE-2019-12749), is not implemented, and
 * file descriptors are never accepted.
 */
#ifndef SVCD_BUS_AUTH_H
#define SVCD_BUS_AUTH_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "loop/dbus-stream.h"

typedef enum AuthState {
	AUTH_STATE_NUL, /* one NUL byte is expected */
	AUTH_STATE_COMMAND,
	AUTH_STATE_DATA, /* DATA was sent: the identity is expected */
	AUTH_STATE_BEGIN, /* OK was sent: BEGIN is expected */
} AuthState;

typedef struct Auth {
	AuthState state;
	uid_t uid;
	unsigned n_lines;
	GString *line;
	char guid[33];
} Auth;

/**
 * auth_init() - wait for the authentication of a client
 * @uid: of the peer, from the kernel
 * @guid: 32 hexadecimal digits
 */
void auth_init(Auth *auth, uid_t uid, const char *guid);
void auth_clear(Auth *auth);

/**
 * auth_feed() - consume received bytes
 * @ret_used: the number of bytes that belong to the authentication; after AUTHENTICATION_DONE
 * messages follow
 * @reply: the bytes to send are appended
 */
AuthenticationResult auth_feed(Auth *auth, const guint8 *bytes, size_t length, size_t *ret_used,
			       GString *reply);

#endif
