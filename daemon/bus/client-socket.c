/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client socket: the listening socket, new connections, and the list of clients.
 */
#include "config.h"

#include "bus/client-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "bus/peer-rights.h"
#include "bus/peer.h"
#include "loop/loop.h"

enum { ACCEPT_BATCH = 8 };

/*
 * The descriptors that the check of a client's rights needs (peer-rights.c). Turning a client away
 * needs one.
 */
enum { N_RESERVE = 3 };

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83 /* Linux 6.16 */
#endif

typedef struct SocketClient {
	BusClient base; /* first: a BusClient is cast to it */
	Peer *peer;
	ClientSocket *socket;
} SocketClient;

/*
 * A message that is logged at most once in LIMIT_CLIENT_REMARK_US, because any process that may
 * connect can cause it.
 */
typedef struct Remark {
	int64_t reported_us; /* 0: never */
	unsigned n_untold;
} Remark;

struct ClientSocket {
	ClientSocketKind kind;
	int fd;
	FdSource *source;
	GPtrArray *clients; /* SocketClient *, owned */
	char guid[33];
	Remark disconnected; /* clients disconnected for bad messages */
	Remark full;
	Remark refused;
	/* closed for a moment when no other descriptors are left; -1: closed */
	int reserve[N_RESERVE];
	Timer *pause; /* while it is armed, no client is accepted */
	const SocketListener *listener;
	void *data;
};

/*
 * Mode 0 on the machine's socket: a process needs CAP_DAC_OVERRIDE to connect, and uid 0 is not
 * enough. A container may lack that capability. Then no process could connect, so the mode is 0600.
 */
static mode_t mode_of(ClientSocketKind kind)
{
	return kind == CLIENT_SOCKET_OF_MACHINE && peer_rights_override_modes() ? 0 : 0600;
}

/*
 * Accepted sockets inherit the option. Older kernels lack it, which is tolerable because the
 * clients are trusted.
 */
static void refuse_descriptors(int fd)
{
	const int off = 0;

	(void)setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
}

int client_socket_open(ClientSocketKind kind, const char *path, GError **error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (strlen(path) >= sizeof address.sun_path) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is too long for the path of a socket",
		     path);
		return -1;
	}
	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	(void)unlink(path); /* left by an earlier svcd; on failure bind() reports why */
	/*
	 * The mode is set before a client can connect: a socket that does not listen yet refuses
	 * all connections.
	 */
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
	    chmod(path, mode_of(kind)) < 0 || listen(fd, LIMIT_PRIVATE_CLIENTS) < 0) {
		fail_errno(error, errno, "cannot listen on %s", path);
		return -1;
	}
	return fd_steal(&fd);
}

static void socket_client_free(gpointer data)
{
	SocketClient *client = data;

	client->socket->listener->gone(client->socket->data, &client->base);
	peer_free(client->peer);
	g_free(client);
}

static void on_message(void *data, DBusMessage *message)
{
	SocketClient *client = data;

	client->socket->listener->message(client->socket->data, &client->base, message);
}

/*
 * Is the message to be logged now? *@ret_since: a new string with the number of times that it was
 * not logged.
 */
static bool remark_is_due(Remark *remark, char **ret_since)
{
	const int64_t now_us = loop_now();

	if (remark->reported_us && now_us - remark->reported_us < LIMIT_CLIENT_REMARK_US) {
		remark->n_untold++;
		return false;
	}
	*ret_since = remark->n_untold ?
			     g_strdup_printf(" (and %u more times since the last such message)",
					     remark->n_untold) :
			     g_strdup("");
	*remark = (Remark){ .reported_us = now_us };
	return true;
}

static void on_closed(void *data, const char *why)
{
	SocketClient *client = data;
	ClientSocket *socket = client->socket;
	g_autofree char *since = NULL;

	if (why && remark_is_due(&socket->disconnected, &since))
		log_warning(NULL, "a client of the private socket (pid %d) was disconnected: %s%s",
			    (int)client->base.requester.pid, why, since);
	g_ptr_array_remove_fast(socket->clients, client);
}

static const PeerListener peer_listener = { .message = on_message, .closed = on_closed };

static void client_send(BusClient *client, DBusMessage *message)
{
	peer_send(((SocketClient *)client)->peer, message);
}

static void open_reserve(ClientSocket *socket)
{
	for (unsigned i = 0; i < N_RESERVE; i++) {
		if (socket->reserve[i] < 0)
			/* any file will do; this needs no path lookup */
			socket->reserve[i] = fcntl(socket->fd, F_DUPFD_CLOEXEC, 0);
	}
}

static void close_reserve(ClientSocket *socket)
{
	for (unsigned i = 0; i < N_RESERVE; i++)
		fd_close(&socket->reserve[i]);
}

static bool is_welcome(ClientSocket *socket, int fd, const struct ucred *ucred)
{
	bool is_root;

	if (socket->kind == CLIENT_SOCKET_OF_USER)
		return ucred->uid == 0 || ucred->uid == geteuid();
	close_reserve(socket);
	is_root = ucred->uid == 0 && peer_rights_of_socket(fd, ucred->pid);
	open_reserve(socket);
	return is_root;
}

/* Takes @fd. Unread data may contain descriptors, and closing these may block. */
static void turn_away(ClientSocket *socket, int fd)
{
	socket->listener->dispose(socket->data, fd);
}

static void take_client(ClientSocket *socket, int fd)
{
	struct ucred ucred = { 0 };
	socklen_t size = sizeof ucred;
	SocketClient *client;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &size) < 0 ||
	    !is_welcome(socket, fd, &ucred)) {
		g_autofree char *since = NULL;

		turn_away(socket, fd);
		if (remark_is_due(&socket->refused, &since))
			log_warning(
				NULL,
				"uid %u (pid %d) may not use the private socket: the process does "
				"not "
				"have the capabilities of root%s",
				(unsigned)ucred.uid, (int)ucred.pid, since);
		return;
	}
	client = g_new0(SocketClient, 1);
	client->socket = socket;
	client->base.send = client_send;
	client->base.requester.uid = ucred.uid;
	client->base.requester.pid = ucred.pid;
	client->base.is_owner = true;
	client->peer = peer_new(fd, ucred.uid, socket->guid, &peer_listener, client);
	g_ptr_array_add(socket->clients, client);
}

static void on_pause_end(void *data)
{
	ClientSocket *socket = data;

	open_reserve(socket);
	fd_source_set_events(socket->source, G_IO_IN);
}

/*
 * No descriptor is left. A client in the backlog would wake us again and again. With a reserve
 * descriptor it can be accepted and turned away, and may connect again. If the whole machine has no
 * files left (ENFILE), this accept fails too, and the client stays in the backlog during a pause.
 */
static void turn_away_first(ClientSocket *socket)
{
	g_autofree char *since = NULL;
	int fd;

	close_reserve(socket);
	fd = accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0 && errno != EAGAIN) {
		fd_source_set_events(socket->source, 0);
		timer_arm(socket->pause, loop_now() + LIMIT_NO_FILES_PAUSE_US);
	}
	if (fd >= 0)
		turn_away(socket, fd);
	open_reserve(socket);
	if (remark_is_due(&socket->full, &since))
		log_warning(NULL,
			    "no file descriptors are left for the private socket: new clients are "
			    "refused or have to wait%s",
			    since);
}

/* Takes @fd. A refusal is better than a wait in the backlog that may never end. */
static void turn_away_last(ClientSocket *socket, int fd)
{
	g_autofree char *since = NULL;

	turn_away(socket, fd);
	if (remark_is_due(&socket->full, &since))
		log_warning(NULL, "the private socket has %u clients; further ones are refused%s",
			    socket->clients->len, since);
}

static void on_connection(GIOCondition condition, void *data)
{
	ClientSocket *socket = data;

	for (unsigned i = 0; i < ACCEPT_BATCH; i++) {
		const int fd = accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			turn_away_first(socket);
		if (fd < 0)
			return; /* EAGAIN: the backlog is empty */
		if (socket->clients->len < LIMIT_PRIVATE_CLIENTS)
			take_client(socket, fd);
		else
			turn_away_last(socket, fd);
	}
}

/*
 * The GUID only distinguishes servers. It is made from the random bytes that the kernel gave this
 * program at exec (AT_RANDOM, getauxval(3)). Early at boot, getrandom(2) could take up to a second
 * of CPU time. glibc's own secrets are made from the same bytes, so only a digest of them is
 * published.
 */
static void make_guid(char *guid, size_t size)
{
	const guint8 *bytes = (const guint8 *)getauxval(AT_RANDOM);
	g_autofree char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, 16);

	g_strlcpy(guid, digest, size);
}

ClientSocket *client_socket_new(ClientSocketKind kind, int fd, const SocketListener *listener,
				void *data)
{
	ClientSocket *socket = g_new0(ClientSocket, 1);

	socket->kind = kind;
	socket->fd = fd;
	socket->listener = listener;
	socket->data = data;
	socket->clients = g_ptr_array_new_with_free_func(socket_client_free);
	make_guid(socket->guid, sizeof(socket->guid));
	for (unsigned i = 0; i < N_RESERVE; i++)
		socket->reserve[i] = -1;
	open_reserve(socket);
	socket->pause = timer_new(on_pause_end, socket);
	(void)fd_set_nonblocking(fd, true); /* cannot fail on a socket */
	refuse_descriptors(fd);
	socket->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_BUS, on_connection, socket);
	return socket;
}

void client_socket_broadcast(ClientSocket *socket, DBusMessage *message)
{
	for (guint i = 0; socket && i < socket->clients->len; i++) {
		SocketClient *client = g_ptr_array_index(socket->clients, i);

		if (client->base.is_subscribed)
			client->base.send(&client->base, message);
	}
}

bool client_socket_has_subscribers(const ClientSocket *socket)
{
	for (guint i = 0; socket && i < socket->clients->len; i++) {
		const SocketClient *client = g_ptr_array_index(socket->clients, i);

		if (client->base.is_subscribed)
			return true;
	}
	return false;
}

void client_socket_flush(ClientSocket *socket)
{
	for (guint i = 0; socket && i < socket->clients->len; i++)
		peer_flush(((SocketClient *)g_ptr_array_index(socket->clients, i))->peer);
}

void client_socket_free(ClientSocket *socket)
{
	if (!socket)
		return;
	g_ptr_array_unref(socket->clients);
	fd_source_free(socket->source);
	timer_free(socket->pause);
	fd_close(&socket->fd);
	close_reserve(socket);
	g_free(socket);
}
