/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plymouth: see plymouth.h.
 */
#include "config.h"

#include "svc-progress/plymouth.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* An abstract socket: a NUL precedes the name. */
#define SOCKET_NAME "/org/freedesktop/plymouthd"

/* A plymouthd that does not hang answers much sooner. */
enum { LAST_ANSWER_MS = 500 };

size_t plymouth_pack(char *ret, PlymouthRequest request, const char *text)
{
	const size_t length = text ? strnlen(text, PLYMOUTH_TEXT_BYTES - 1) : 0;

	ret[0] = (char)request;
	if (!text) {
		ret[1] = '\0';
		return 2;
	}
	ret[1] = 2;
	ret[2] = (char)(length + 1);
	memcpy(ret + 3, text, length);
	ret[3 + length] = '\0';
	return 3 + length + 1;
}

/* --- the socket --- */

/* Drops the status and the pending requests, because another plymouthd does not know them. */
static void forget(Plymouth *plymouth)
{
	if (plymouth->fd >= 0)
		(void)close(plymouth->fd);
	plymouth_init(plymouth, plymouth->is_shutdown);
}

static bool is_connected(Plymouth *plymouth)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (plymouth->fd >= 0)
		return true;
	memcpy(address.sun_path + 1, SOCKET_NAME, strlen(SOCKET_NAME));
	plymouth->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (plymouth->fd < 0)
		return false;
	if (connect(plymouth->fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				strlen(SOCKET_NAME))) == 0)
		return true;
	forget(plymouth);
	return false;
}

/*
 * The answers of plymouthd are one byte each, ACK or NAK, and both are ignored. An excess of bytes
 * ends the connection: any program can take an abstract name, and one that sends too much is not
 * plymouthd.
 */
static void read_answers(Plymouth *plymouth)
{
	char answers[64];
	const ssize_t n = recv(plymouth->fd, answers, sizeof answers, MSG_DONTWAIT);

	if (n > 0 && n <= (ssize_t)plymouth->n_unanswered)
		plymouth->n_unanswered -= (unsigned)n;
	else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		forget(plymouth);
}

static bool send_request(Plymouth *plymouth, PlymouthRequest request, const char *text)
{
	char packet[PLYMOUTH_PACKET_BYTES + 1];
	const size_t length = plymouth_pack(packet, request, text);

	if (plymouth->fd < 0)
		return false;
	if (send(plymouth->fd, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)length) {
		forget(plymouth); /* a partial request cannot be withdrawn */
		return false;
	}
	plymouth->n_unanswered++;
	return true;
}

void plymouth_init(Plymouth *plymouth, bool is_shutdown)
{
	*plymouth = (Plymouth){ .fd = -1, .is_shutdown = is_shutdown };
}

/* Until plymouthd gets the mode, its picture is still the one from before the shutdown. */
static void send_mode(Plymouth *plymouth)
{
	if (!plymouth->is_shutdown || plymouth->is_mode_sent)
		return;
	if (send_request(plymouth, PLYMOUTH_CHANGE_MODE, "shutdown") &&
	    send_request(plymouth, PLYMOUTH_SHOW_SPLASH, NULL))
		plymouth->is_mode_sent = true;
}

static void send_status(Plymouth *plymouth, unsigned percent)
{
	char status[sizeof plymouth->status];

	(void)snprintf(status, sizeof status, "svcd:%u", percent);
	if (plymouth->is_shutdown || strcmp(status, plymouth->status) == 0)
		return;
	if (send_request(plymouth, PLYMOUTH_UPDATE, status))
		memcpy(plymouth->status, status, sizeof status);
}

static void send_message(Plymouth *plymouth, const char *message)
{
	char shown[sizeof plymouth->message];

	(void)snprintf(shown, sizeof shown, "%s", message);
	if (strcmp(shown, plymouth->message) == 0)
		return;
	if (*plymouth->message && !send_request(plymouth, PLYMOUTH_HIDE_MESSAGE, plymouth->message))
		return;
	if (*shown && !send_request(plymouth, PLYMOUTH_SHOW_MESSAGE, shown))
		return;
	memcpy(plymouth->message, shown, sizeof shown);
}

void plymouth_update(Plymouth *plymouth, unsigned percent, const char *message)
{
	if (!is_connected(plymouth))
		return;
	read_answers(plymouth);
	if (plymouth->fd < 0 || plymouth->n_unanswered > 0)
		return;
	send_mode(plymouth);
	send_status(plymouth, percent);
	send_message(plymouth, message);
}

void plymouth_close(Plymouth *plymouth)
{
	struct pollfd answer = { .events = POLLIN };

	if (plymouth->fd < 0)
		return;
	read_answers(plymouth);
	if (plymouth->fd >= 0 && plymouth->n_unanswered == 0)
		send_message(plymouth, "");
	answer.fd = plymouth->fd;
	if (plymouth->n_unanswered > 0 && poll(&answer, 1, LAST_ANSWER_MS) > 0)
		read_answers(plymouth);
	forget(plymouth);
}
