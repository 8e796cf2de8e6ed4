/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: datagrams of any bytes at the socket where a service sends sd_notify(3) messages,
 * with descriptors. Each is parsed within its limits or counted as ignored, and none of the
 * descriptors stays open.
 *
 * The input is split at 0xff bytes. The first byte of a datagram is the number of its descriptors.
 */
#include "config.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "model/service-def.h"
#include "process/notify-socket.h"
#include "tests/fuzz/datagram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_FDS 7

typedef struct Ear {
	NotifySocket *notify;
	unsigned n_received;
	bool holds; /* its STOPPING=1 must be noted first */
} Ear;

static NotifyTrust on_trust(void *data, pid_t pid)
{
	(void)data;
	g_assert(pid == getpid());
	return NOTIFY_BELIEVED;
}

/* The events of another process. */
static void on_descriptors(void *data)
{
	Ear *ear = data;
	char byte;

	g_assert(recv(notify_socket_fd(ear->notify), &byte, sizeof byte, MSG_DONTWAIT) >= 0);
	notify_socket_eaten(ear->notify);
}

static bool on_message(void *data, const NotifyMessage *m)
{
	Ear *ear = data;

	g_assert(m->main_pid == 0 || (m->main_pid > 1 && m->main_pid <= 4194304));
	g_assert(m->extend_us >= 0 && m->extend_us <= NOTIFY_EXTEND_MAX_US);
	g_assert(m->watchdog_us >= 0 && m->watchdog_us <= WATCHDOG_MAX_US &&
		 (m->has_watchdog || m->watchdog_us == 0));
	g_assert(m->errnum >= 0 && m->errnum <= 4095);
	g_assert(!m->status ||
		 (strlen(m->status) < LIMIT_NOTIFY_BYTES && !strchr(m->status, '\n')));
	ear->n_received++;
	return ear->holds && m->stopping;
}

static const NotifyListener listener = { on_trust, on_message, on_descriptors };

static unsigned send_all(int fd, const uint8_t *data, size_t size)
{
	const int fds[MOST_FDS] = { 0 };
	unsigned n_sent = 0;

	while (size > 0) {
		const uint8_t *end = memchr(data, 0xff, size);
		const size_t length = end ? (size_t)(end - data) : size;

		if (length > 0)
			n_sent += datagram_send(fd, data + 1, length - 1, fds, data[0] & MOST_FDS);
		data += length + (end ? 1 : 0);
		size -= length + (end ? 1 : 0);
	}
	return n_sent;
}

static int next_free(void)
{
	const int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	(void)close(fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Ear ear = { .holds = size % 2 };
	const int before = next_free();
	const int on = 1;
	NotifySocket *notify;
	unsigned n_sent;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0 ||
	    setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0)
		g_error("no sockets");
	notify = notify_socket_resume(pair[0], &listener, &ear);
	ear.notify = notify;
	n_sent = send_all(pair[1], data, size);
	notify_socket_drain(notify);
	g_assert(ear.n_received + notify_socket_ignored(notify) == n_sent);
	notify_socket_free(notify);
	(void)close(pair[1]);
	g_assert(next_free() == before);
	return 0;
}
