/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the bytes from a client of the private socket: the authentication and the messages
 * after it.
 *
 * Each accepted method call gets an answer, as from bus/dispatch.c.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "bus/peer.h"
#include "loop/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Target {
	Peer *peer;
	bool is_over;
} Target;

static void on_message(void *data, DBusMessage *message)
{
	Target *target = data;
	DBusMessage *reply;

	g_assert(dbus_message_get_serial(message) != 0);
	if (dbus_message_get_type(message) != DBUS_MESSAGE_TYPE_METHOD_CALL)
		return;
	g_assert(dbus_message_get_path(message) && dbus_message_get_member(message));
	reply = wire_must(dbus_message_new_method_return(message));
	peer_send(target->peer, reply);
	dbus_message_unref(reply);
}

static void on_closed(void *data, const char *why)
{
	Target *target = data;

	peer_free(target->peer);
	target->peer = NULL;
	target->is_over = true;
}

static const PeerListener listener = { .message = on_message, .closed = on_closed };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Target target = { 0 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		g_error("no socket pair");
	target.peer = peer_new(pair[0], 0, "0123456789abcdef0123456789abcdef", &listener, &target);
	while (size > 0 && !target.is_over) {
		const ssize_t n = send(pair[1], data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		while (g_main_context_iteration(NULL, FALSE))
			;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	(void)close(pair[1]); /* the peer must notice, and exit */
	while (!target.is_over)
		g_main_context_iteration(NULL, TRUE);
	return 0;
}
