/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Auth: the server's half of D-Bus' greeting, EXTERNAL only ("Authentication Protocol" in the D-Bus Specification).
 *
 * Bytes in, bytes out; who the peer is has been read from the socket before. DBUS_COOKIE_SHA1, which reads files in a
 * home directory (CVE-2019-12749), does not exist here, and descriptors are never taken.
 */
#ifndef SVCD_BUS_AUTH_H
#define SVCD_BUS_AUTH_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "loop/dbus-stream.h"

typedef enum AuthState {
	AUTH_STATE_NUL,     /* one NUL byte comes first */
	AUTH_STATE_COMMAND,
	AUTH_STATE_DATA,    /* asked for the identity */
	AUTH_STATE_BEGIN,   /* accepted */
} AuthState;

typedef struct Auth {
	AuthState state;
	uid_t uid;
	unsigned n_lines;
	GString *line;
	char guid[33];
} Auth;

/**
 * auth_init() - wait for a client's greeting
 * @uid:  of the peer, from the kernel
 * @guid: 32 hexadecimal digits
 */
void auth_init(Auth *auth, uid_t uid, const char *guid);
void auth_clear(Auth *auth);

/**
 * auth_feed() - take some bytes
 * @ret_used: how many belong to the greeting; after GREETING_DONE the rest are messages
 * @reply:    what to send is appended
 */
GreetingResult auth_feed(Auth *auth, const guint8 *bytes, size_t length, size_t *ret_used, GString *reply);

#endif
