/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Client socket: listening, accepting, and the list of who is connected.
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

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "bus/access.h"
#include "bus/peer.h"
#include "bus/requester.h"
#include "loop/loop.h"

/* Connections taken in one turn. */
enum { ACCEPT_BATCH = 8 };

/* What is different from one to the other. */
static const struct {
	const char *name;   /* for the log */
	mode_t mode;
	unsigned n_clients;
	unsigned n_of_user; /* of one that is not root */
} kinds[] = {
	[CLIENT_SOCKET_PRIVATE] = { "private", 0600, LIMIT_PRIVATE_CLIENTS, LIMIT_PRIVATE_CLIENTS },
	[CLIENT_SOCKET_PUBLIC] = { "public", 0666, LIMIT_PUBLIC_CLIENTS, LIMIT_PUBLIC_CLIENTS_OF_USER },
};

typedef struct SocketClient {
	BusClient base; /* first: a BusClient is cast to it */
	Peer *peer;
	ClientSocket *socket;
} SocketClient;

/* Something that is logged at most once in LIMIT_CLIENT_REMARK_US: whoever may connect can make it happen all the time. */
typedef struct Remark {
	int64_t told_us; /* 0: never */
	unsigned n_untold;
} Remark;

struct ClientSocket {
	ClientSocketKind kind;
	int fd;
	FdSource *source;
	GPtrArray *clients; /* SocketClient *, owned */
	char guid[33];
	Remark disconnected; /* for what one sent */
	Remark full;
	int reserve_fd; /* given up to turn a client away when there are no descriptors; -1: none */
	Timer *pause;	/* armed: nobody is let in */
	const SocketListener *listener;
	void *data;
};

int client_socket_open(ClientSocketKind kind, const char *path, GError **error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (strlen(path) >= sizeof address.sun_path) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s is too long for a socket's path", path);
		return -1;
	}
	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	(void)unlink(path); /* of an earlier svcd; if it cannot be removed, bind() says why */
	/* The mode is set before anybody can connect: a socket that does not listen yet refuses everybody. */
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, kinds[kind].mode) < 0 ||
	    listen(fd, (int)kinds[kind].n_clients) < 0) {
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

/* Returns: is it to be logged now? Then *@ret_since says how often it was not since the last time; a new string. */
static bool remark_is_due(Remark *remark, char **ret_since)
{
	const int64_t now_us = loop_now();

	if (remark->told_us && now_us - remark->told_us < LIMIT_CLIENT_REMARK_US) {
		remark->n_untold++;
		return false;
	}
	*ret_since = remark->n_untold ? g_strdup_printf(" (and %u times since this was last said)", remark->n_untold) :
					g_strdup("");
	*remark = (Remark){ .told_us = now_us };
	return true;
}

static void on_closed(void *data, const char *why)
{
	SocketClient *client = data;
	ClientSocket *socket = client->socket;
	g_autofree char *since = NULL;

	if (why && remark_is_due(&socket->disconnected, &since))
		log_warning(NULL, "a client of the %s socket (pid %d, %s) was disconnected: %s%s", kinds[socket->kind].name,
			    (int)client->base.who.pid, client->base.who.command, why, since);
	g_ptr_array_remove_fast(socket->clients, client);
}

static const PeerListener peer_listener = { .message = on_message, .closed = on_closed };

static void client_send(BusClient *client, DBusMessage *message)
{
	peer_send(((SocketClient *)client)->peer, message);
}

static unsigned count_of_user(const ClientSocket *socket, uid_t uid)
{
	unsigned n = 0;

	for (guint i = 0; i < socket->clients->len; i++)
		n += ((const SocketClient *)g_ptr_array_index(socket->clients, i))->base.who.uid == uid;
	return n;
}

/* Takes @fd. */
static void take_client(ClientSocket *socket, int fd)
{
	struct ucred ucred;
	socklen_t size = sizeof ucred;
	SocketClient *client;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &size) < 0 ||
	    (ucred.uid != 0 && count_of_user(socket, ucred.uid) >= kinds[socket->kind].n_of_user)) {
		(void)close(fd); /* nobody we could name, or one of too many of one user: the others are to get in */
		return;
	}
	client = g_new0(SocketClient, 1);
	client->socket = socket;
	client->base.send = client_send;
	client->base.who.uid = ucred.uid;
	client->base.who.pid = ucred.pid;
	requester_read_command(&client->base.who);
	client->peer = peer_new(fd, ucred.uid, socket->kind == CLIENT_SOCKET_PUBLIC || access_is_welcome(ucred.uid),
				socket->guid, &peer_listener, client);
	g_ptr_array_add(socket->clients, client);
}

static int open_reserve(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void on_pause_end(void *data)
{
	ClientSocket *socket = data;

	if (socket->reserve_fd < 0)
		socket->reserve_fd = open_reserve();
	fd_source_set_events(socket->source, G_IO_IN);
}

/*
 * Out of descriptors: a client that waits in the backlog would wake us again and again, for nothing. With one descriptor
 * in reserve it can be let in and turned away, and comes again. Where it is the machine that has no files left (ENFILE) that does not
 * help, and it stays where it is.
 */
static void turn_away_first(ClientSocket *socket)
{
	g_autofree char *since = NULL;
	int fd;

	fd_close(&socket->reserve_fd);
	fd = accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0 && errno != EAGAIN) {
		fd_source_set_events(socket->source, 0);
		timer_arm(socket->pause, loop_now() + LIMIT_NO_FILES_PAUSE_US);
	}
	fd_close(&fd);
	socket->reserve_fd = open_reserve();
	if (remark_is_due(&socket->full, &since))
		log_warning(NULL, "no descriptors are left for clients of the %s socket; they are turned away, or wait%s",
			    kinds[socket->kind].name, since);
}

/* Takes @fd. Better a clear end than a place in a queue that may never move. */
static void turn_away(ClientSocket *socket, int fd)
{
	g_autofree char *since = NULL;

	(void)close(fd);
	if (remark_is_due(&socket->full, &since))
		log_warning(NULL, "the %s socket has %u clients; further ones are turned away%s", kinds[socket->kind].name,
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
			return; /* EAGAIN: all are in */
		if (socket->clients->len < kinds[socket->kind].n_clients)
			take_client(socket, fd);
		else
			turn_away(socket, fd);
	}
}

/*
 * Tells one server from another, nothing more. The kernel gave this program random bytes when it was executed (AT_RANDOM,
 * getauxval(3)); to ask for others early at boot would take it up to a second of processor time to gather them. glibc's own
 * secrets are made of the same bytes, so only a digest of them gets out.
 */
static void make_guid(char *guid, size_t size)
{
	const guint8 *bytes = (const guint8 *)getauxval(AT_RANDOM);
	g_autofree char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, 16);

	g_strlcpy(guid, digest, size);
}

ClientSocket *client_socket_new(ClientSocketKind kind, int fd, const SocketListener *listener, void *data)
{
	ClientSocket *socket = g_new0(ClientSocket, 1);

	socket->kind = kind;
	socket->fd = fd;
	socket->listener = listener;
	socket->data = data;
	socket->clients = g_ptr_array_new_with_free_func(socket_client_free);
	make_guid(socket->guid, sizeof(socket->guid));
	socket->reserve_fd = open_reserve();
	socket->pause = timer_new(on_pause_end, socket);
	(void)fd_set_nonblocking(fd, true); /* a socket: cannot fail */
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
	fd_close(&socket->reserve_fd);
	g_free(socket);
}
