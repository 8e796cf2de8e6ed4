/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify socket: datagrams with credentials, a batch a turn, at a limited rate.
 */
#include "config.h"

#include "process/notify-socket.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "loop/loop.h"
#include "model/service-def.h"
#include "process/pidfile.h"

/* SCM_MAX_FD of the kernel: no datagram carries more. */
#define MAX_FDS 253

/* More than a socket holds (net.unix.max_dgram_qlen is raised to 512): reading them all comes to an end. */
#define DRAIN_MAX 4096

struct NotifySocket {
	int fd;
	FdSource *source; /* NULL until armed */
	Timer *refill;
	double tokens;
	int64_t tokens_at_us;
	unsigned n_ignored;
	bool is_held; /* the first datagram has been handled and is still there */
	const NotifyListener *listener;
	void *data;
};

/* --- what a datagram says --- */

static void say_ready(NotifyMessage *m, const char *value)
{
	m->ready = m->ready || strcmp(value, "1") == 0;
}

static void say_stopping(NotifyMessage *m, const char *value)
{
	m->stopping = m->stopping || strcmp(value, "1") == 0;
}

static void say_reloading(NotifyMessage *m, const char *value)
{
	m->reloading = m->reloading || strcmp(value, "1") == 0;
}

static void say_status(NotifyMessage *m, const char *value)
{
	m->status = value;
}

static void say_main_pid(NotifyMessage *m, const char *value)
{
	if (!pidfile_parse(value, &m->main_pid))
		m->main_pid = 0;
}

static void say_extend(NotifyMessage *m, const char *value)
{
	uint64_t us;

	if (text_parse_uint(value, 10, INT64_MAX, &us))
		m->extend_us = (int64_t)MIN(us, (uint64_t)NOTIFY_EXTEND_MAX_US);
}

static void say_errno(NotifyMessage *m, const char *value)
{
	uint64_t errnum;

	if (text_parse_uint(value, 10, 4095, &errnum)) /* MAX_ERRNO of the kernel */
		m->errnum = (int)errnum;
}

static void say_watchdog(NotifyMessage *m, const char *value)
{
	m->is_alive = m->is_alive || strcmp(value, "1") == 0;
	m->is_in_trouble = m->is_in_trouble || strcmp(value, "trigger") == 0;
}

static void say_watchdog_time(NotifyMessage *m, const char *value)
{
	uint64_t us;

	if (!text_parse_uint(value, 10, INT64_MAX, &us))
		return;
	m->has_watchdog = true;
	m->watchdog_us = (int64_t)MIN(us, (uint64_t)WATCHDOG_MAX_US);
}

static const struct {
	const char *name;
	void (*say)(NotifyMessage *m, const char *value);
} variables[] = {
	{ "READY", say_ready },
	{ "STOPPING", say_stopping },
	{ "RELOADING", say_reloading },
	{ "STATUS", say_status },
	{ "MAINPID", say_main_pid },
	{ "EXTEND_TIMEOUT_USEC", say_extend },
	{ "ERRNO", say_errno },
	{ "WATCHDOG", say_watchdog },
	{ "WATCHDOG_USEC", say_watchdog_time },
};

static void parse_line(char *line, NotifyMessage *ret)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return;
	*equals = '\0';
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
		if (strcmp(line, variables[i].name) == 0)
			variables[i].say(ret, equals + 1);
	}
}

bool notify_parse(char *text, size_t length, NotifyMessage *ret)
{
	char *rest = text;
	char *line;

	*ret = (NotifyMessage){ 0 };
	if (length == 0 || length > LIMIT_NOTIFY_BYTES || strlen(text) != length)
		return false;
	while ((line = strsep(&rest, "\n")))
		parse_line(line, ret);
	return true;
}

/* --- receiving --- */

/* Takes what the kernel attached: who sent it, and descriptors, which nobody asked for (they end a BARRIER=1). */
static pid_t take_control(struct msghdr *header)
{
	pid_t pid = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
			struct ucred credentials;

			memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
			pid = credentials.pid;
		}
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			fd_close(&fd);
		}
	}
	return pid;
}

static void drop_one(NotifySocket *socket)
{
	char byte;

	(void)recv(socket->fd, &byte, sizeof byte, MSG_DONTWAIT);
	socket->is_held = false;
}

/* Returns: false when nothing is left to read. */
static bool receive_one(NotifySocket *socket)
{
	char text[LIMIT_NOTIFY_BYTES + 2];
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int) * MAX_FDS)];
	} control;
	struct iovec iov = { .iov_base = text, .iov_len = LIMIT_NOTIFY_BYTES + 1 };
	struct msghdr header = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
				 .msg_controllen = sizeof control.space };
	ssize_t n = recvmsg(socket->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | MSG_PEEK);
	NotifyMessage message;
	pid_t pid;

	if (n < 0)
		return errno == EINTR;
	pid = take_control(&header);
	text[n] = '\0';
	if (pid > 0 && notify_parse(text, (size_t)n, &message) && socket->listener->may_send(socket->data, pid))
		socket->is_held = socket->listener->message(socket->data, &message);
	else
		socket->n_ignored++;
	if (!socket->is_held)
		drop_one(socket);
	return true;
}

/* Not before there are tokens, if it waits for those too. */
static void watch(NotifySocket *socket)
{
	const bool is_awaited = !socket->is_held && !timer_is_armed(socket->refill);

	if (socket->source)
		fd_source_set_events(socket->source, is_awaited ? G_IO_IN : 0);
}

void notify_socket_remembered(NotifySocket *socket)
{
	if (!socket->is_held)
		return;
	drop_one(socket);
	watch(socket);
}

/* Returns: false when the service has used up its share for now; the rest is read when there are tokens again. */
static bool take_token(NotifySocket *socket)
{
	int64_t now = loop_now();

	socket->tokens += (double)(now - socket->tokens_at_us) * NOTIFY_RATE / G_USEC_PER_SEC;
	socket->tokens = MIN(socket->tokens, NOTIFY_BURST);
	socket->tokens_at_us = now;
	if (socket->tokens < 1)
		return false;
	socket->tokens -= 1;
	return true;
}

/* What is ignored costs no token: who may write to the socket cannot use up the share of whose it is, and is only read slowly. */
static void on_readable(GIOCondition condition, void *data)
{
	NotifySocket *socket = data;
	const unsigned n_ignored = socket->n_ignored;

	(void)condition;
	for (int i = 0; i < LIMIT_NOTIFY_BATCH; i++) {
		const unsigned n_before = socket->n_ignored;

		if (!take_token(socket)) {
			timer_arm(socket->refill, loop_now() + LIMIT_NOTIFY_BATCH * G_USEC_PER_SEC / NOTIFY_RATE);
			break;
		}
		if (!receive_one(socket)) {
			socket->tokens += 1; /* nothing was read for it */
			break;
		}
		if (socket->n_ignored != n_before)
			socket->tokens += 1;
		if (socket->is_held)
			break;
	}
	if (socket->n_ignored != n_ignored && !timer_is_armed(socket->refill))
		timer_arm(socket->refill, loop_now() + NOTIFY_IGNORED_US);
	watch(socket);
}

static void on_refill(void *data)
{
	watch(data);
}

/* --- life --- */

char *notify_socket_path(const char *runtime_dir, const char *service)
{
	const size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1;
	char *path = g_build_filename(runtime_dir, "notify", service, NULL);
	g_autofree char *hash = NULL;
	g_autofree char *name = NULL;

	if (strlen(path) <= max)
		return path;
	g_free(path);
	hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, service, -1);
	name = g_strdup_printf("%.24s~%.24s", service, hash); /* "~" is in no service's name */
	return g_build_filename(runtime_dir, "notify", name, NULL);
}

static int bind_at(const char *path, GError **error)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int on = 1;

	if (strlen(path) >= sizeof address.sun_path) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	(void)unlink(path); /* of an earlier run; if it cannot go, bind says so */
	/* Every user may write to it: the sender is checked, not the file. Until chmod nobody else knows of it. */
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, 0666) < 0) {
		fail_errno(error, errno, "cannot make the notify socket %s", path);
		return -1;
	}
	return fd_steal(&fd);
}

NotifySocket *notify_socket_resume(int fd, const NotifyListener *listener, void *data)
{
	NotifySocket *socket = g_new0(NotifySocket, 1);

	socket->fd = fd;
	socket->tokens = NOTIFY_BURST;
	socket->tokens_at_us = loop_now();
	socket->refill = timer_new(on_refill, socket);
	socket->listener = listener;
	socket->data = data;
	return socket;
}

NotifySocket *notify_socket_new(const char *path, const NotifyListener *listener, void *data, GError **error)
{
	g_autofree char *directory = g_path_get_dirname(path);
	int fd;

	if (!directory_ensure(directory, error))
		return NULL;
	fd = bind_at(path, error);
	return fd < 0 ? NULL : notify_socket_resume(fd, listener, data);
}

void notify_socket_arm(NotifySocket *socket)
{
	if (!socket->source)
		socket->source = fd_source_new(socket->fd, G_IO_IN, LOOP_PRIORITY_NOTIFY, on_readable, socket);
}

void notify_socket_drain(NotifySocket *socket)
{
	for (int i = 0; i < DRAIN_MAX && receive_one(socket); i++) {
		if (socket->is_held)
			drop_one(socket); /* its end is told again if it is lost, and that is what counts */
	}
	watch(socket);
}

int notify_socket_fd(const NotifySocket *socket)
{
	return socket->fd;
}

unsigned notify_socket_ignored(const NotifySocket *socket)
{
	return socket->n_ignored;
}

void notify_socket_free(NotifySocket *socket)
{
	if (!socket)
		return;
	fd_source_free(socket->source);
	timer_free(socket->refill);
	fd_close(&socket->fd);
	g_free(socket);
}
