/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify socket: reads datagrams with credentials, one batch per turn, at a limited rate.
 */
#include "config.h"

#include "process/notify-socket.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "loop/loop.h"
#include "model/service-def.h"
#include "process/pidfile.h"

/* More than a socket holds (net.unix.max_dgram_qlen is raised to 512), so that draining ends. */
#define DRAIN_MAX 4096

/* Why the first datagram is still in the socket. Nothing is read meanwhile. */
typedef enum Hold {
	HOLD_NONE,
	HOLD_NOTE, /* handled; its effect is not in the note yet */
	HOLD_SENDER, /* it is not yet known whether its sender is accepted */
	HOLD_EATER, /* handled; svc-worker receives it */
} Hold;

struct NotifySocket {
	int fd;
	FdSource *source; /* NULL until armed */
	Timer *refill;
	double tokens;
	int64_t tokens_at_us;
	unsigned n_ignored;
	/* The first datagram: */
	Hold hold;
	bool has_descriptors;
	uid_t sender;
	pid_t queried_pid; /* its sender, about which the listener was asked; 0: none */
	NotifyTrust answer;
	const NotifyListener *listener;
	void *data;
};

/* --- content of a datagram --- */

static void on_ready(NotifyMessage *m, const char *value)
{
	m->ready = m->ready || strcmp(value, "1") == 0;
}

static void on_stopping(NotifyMessage *m, const char *value)
{
	m->stopping = m->stopping || strcmp(value, "1") == 0;
}

static void on_reloading(NotifyMessage *m, const char *value)
{
	m->reloading = m->reloading || strcmp(value, "1") == 0;
}

static void on_status(NotifyMessage *m, const char *value)
{
	m->status = value;
}

static void on_main_pid(NotifyMessage *m, const char *value)
{
	if (!pidfile_parse(value, &m->main_pid))
		m->main_pid = 0;
}

static void on_extend(NotifyMessage *m, const char *value)
{
	uint64_t us;

	if (text_parse_uint(value, 10, INT64_MAX, &us))
		m->extend_us = (int64_t)MIN(us, (uint64_t)NOTIFY_EXTEND_MAX_US);
}

static void on_errno(NotifyMessage *m, const char *value)
{
	uint64_t errnum;

	if (text_parse_uint(value, 10, 4095, &errnum)) /* the kernel's MAX_ERRNO */
		m->errnum = (int)errnum;
}

static void on_watchdog(NotifyMessage *m, const char *value)
{
	m->is_alive = m->is_alive || strcmp(value, "1") == 0;
	m->is_in_trouble = m->is_in_trouble || strcmp(value, "trigger") == 0;
}

static void on_watchdog_time(NotifyMessage *m, const char *value)
{
	uint64_t us;

	if (!text_parse_uint(value, 10, INT64_MAX, &us))
		return;
	m->has_watchdog = true;
	m->watchdog_us = (int64_t)MIN(us, (uint64_t)WATCHDOG_MAX_US);
}

static const struct {
	const char *name;
	void (*apply)(NotifyMessage *m, const char *value);
} variables[] = {
	{ "READY", on_ready },   { "STOPPING", on_stopping }, { "RELOADING", on_reloading },
	{ "STATUS", on_status }, { "MAINPID", on_main_pid },  { "EXTEND_TIMEOUT_USEC", on_extend },
	{ "ERRNO", on_errno },   { "WATCHDOG", on_watchdog }, { "WATCHDOG_USEC", on_watchdog_time },
};

static void parse_line(char *line, NotifyMessage *ret)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return;
	*equals = '\0';
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
		if (strcmp(line, variables[i].name) == 0)
			variables[i].apply(ret, equals + 1);
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

static struct ucred sender_of(struct msghdr *header)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(header);
	struct ucred credentials = { .pid = 0 };

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS &&
	    c->cmsg_len == CMSG_LEN(sizeof credentials))
		memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
	return credentials;
}

/*
 * The first datagram has been handled. If it has descriptors attached, svc-worker must receive it.
 */
static void finish_one(NotifySocket *socket)
{
	char byte;

	socket->hold = HOLD_NONE;
	if (socket->has_descriptors) {
		socket->hold = HOLD_EATER;
		socket->listener->descriptors(socket->data);
		return;
	}
	(void)recv(socket->fd, &byte, sizeof byte, MSG_DONTWAIT);
}

static NotifyTrust trust(NotifySocket *socket, pid_t pid)
{
	const NotifyTrust known = pid == socket->queried_pid ? socket->answer : NOTIFY_LOOKED_UP;

	socket->queried_pid = 0;
	return known != NOTIFY_LOOKED_UP ? known : socket->listener->trust(socket->data, pid);
}

/*
 * Returns: false if nothing more is to be read now.
 *
 * The control buffer holds the credentials only. So the kernel installs no descriptors, and
 * MSG_CTRUNC shows that some were sent. Otherwise the receiver would have to close them, which can
 * block for ever.
 */
static bool receive_one(NotifySocket *socket)
{
	char text[LIMIT_NOTIFY_BYTES + 2];
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { .iov_base = text, .iov_len = LIMIT_NOTIFY_BYTES + 1 };
	struct msghdr header = { .msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.space,
				 .msg_controllen = sizeof control.space };
	const ssize_t n = recvmsg(socket->fd, &header, MSG_DONTWAIT | MSG_PEEK);
	NotifyTrust trusted = NOTIFY_IGNORED;
	struct ucred sender;
	NotifyMessage message;
	pid_t pid;

	if (n < 0)
		return errno == EINTR;
	sender = sender_of(&header);
	pid = sender.pid;
	socket->sender = sender.uid;
	text[n] = '\0';
	socket->has_descriptors = header.msg_flags & MSG_CTRUNC;
	if (pid > 0 && notify_parse(text, (size_t)n, &message))
		trusted = trust(socket, pid);
	if (trusted == NOTIFY_LOOKED_UP) {
		socket->hold = HOLD_SENDER;
		socket->queried_pid = pid;
		return false;
	}
	socket->n_ignored += trusted == NOTIFY_IGNORED;
	if (trusted == NOTIFY_BELIEVED && socket->listener->message(socket->data, &message))
		socket->hold = HOLD_NOTE;
	else
		finish_one(socket);
	return socket->hold == HOLD_NONE;
}

/* Reads only if no datagram is held and tokens are left. */
static void watch(NotifySocket *socket)
{
	const bool is_awaited = socket->hold == HOLD_NONE && !timer_is_armed(socket->refill);

	if (socket->source)
		fd_source_set_events(socket->source, is_awaited ? G_IO_IN : 0);
}

void notify_socket_remembered(NotifySocket *socket)
{
	if (socket->hold != HOLD_NOTE)
		return;
	finish_one(socket);
	watch(socket);
}

void notify_socket_answered(NotifySocket *socket, bool is_believed)
{
	if (socket->hold != HOLD_SENDER)
		return;
	socket->hold = HOLD_NONE;
	socket->answer = is_believed ? NOTIFY_BELIEVED : NOTIFY_IGNORED;
	watch(socket);
}

void notify_socket_eaten(NotifySocket *socket)
{
	if (socket->hold != HOLD_EATER)
		return;
	socket->hold = HOLD_NONE;
	watch(socket);
}

/* Returns: false if the service has used up its tokens. The rest is read after the refill. */
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

/*
 * An ignored datagram costs no token. So other writers cannot use up the tokens of the service;
 * they only slow the reading down.
 */
static void on_readable(GIOCondition condition, void *data)
{
	NotifySocket *socket = data;
	const unsigned n_ignored = socket->n_ignored;

	(void)condition;
	for (int i = 0; i < LIMIT_NOTIFY_BATCH; i++) {
		const unsigned n_before = socket->n_ignored;
		bool goes_on;

		if (!take_token(socket)) {
			timer_arm(socket->refill,
				  loop_now() + LIMIT_NOTIFY_BATCH * G_USEC_PER_SEC / NOTIFY_RATE);
			break;
		}
		goes_on = receive_one(socket);
		if (socket->n_ignored != n_before ||
		    (!goes_on && (socket->hold == HOLD_NONE || socket->hold == HOLD_SENDER)))
			socket->tokens += 1;
		if (!goes_on)
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
	name = g_strdup_printf("%.24s~%.24s", service, hash); /* no service name contains "~" */
	return g_build_filename(runtime_dir, "notify", name, NULL);
}

/* The file has its mode and owner before any process of the service can know its path. */
static bool give_to(const char *path, uid_t owner)
{
	if (owner == NOTIFY_ANY_USER)
		return chmod(path, 0666) == 0;
	return owner == geteuid() || chown(path, owner, (gid_t)-1) == 0;
}

static int bind_at(const char *path, uid_t owner, GError **error)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int on = 1;

	if (strlen(path) >= sizeof address.sun_path) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	(void)unlink(path); /* left by an earlier run; if this fails, bind reports it */
	/* The file gets the mode of the socket (unix(7)). */
	if (fd < 0 || fchmod(fd, 0600) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || !give_to(path, owner)) {
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

NotifySocket *notify_socket_new(const char *path, uid_t owner, const NotifyListener *listener,
				void *data, GError **error)
{
	g_autofree char *directory = g_path_get_dirname(path);
	int fd;

	/* usually it exists; otherwise bind reports why not */
	(void)g_mkdir_with_parents(directory, 0711);
	fd = bind_at(path, owner, error);
	return fd < 0 ? NULL : notify_socket_resume(fd, listener, data);
}

void notify_socket_arm(NotifySocket *socket)
{
	if (!socket->source)
		socket->source = fd_source_new(socket->fd, G_IO_IN, LOOP_PRIORITY_NOTIFY,
					       on_readable, socket);
}

void notify_socket_drain(NotifySocket *socket)
{
	/*
	 * A datagram with an effect that is not in the note yet is dropped. If the note is lost,
	 * the exit of the process is reported again, which is sufficient.
	 */
	for (int i = 0; i < DRAIN_MAX && (socket->hold == HOLD_NONE || socket->hold == HOLD_NOTE);
	     i++) {
		if (socket->hold == HOLD_NOTE)
			finish_one(socket);
		else if (!receive_one(socket) && socket->hold == HOLD_NONE)
			break;
	}
	watch(socket);
}

int notify_socket_fd(const NotifySocket *socket)
{
	return socket->fd;
}

uid_t notify_socket_sender(const NotifySocket *socket)
{
	return socket->sender;
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
