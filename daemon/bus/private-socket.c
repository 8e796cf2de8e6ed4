/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private socket: listening, accepting, and the list of who is connected.
 */
#include "config.h"

#include "bus/private-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

typedef struct PrivateClient {
	BusClient base; /* first: a BusClient is cast to it */
	Peer *peer;
	PrivateSocket *socket;
} PrivateClient;

struct PrivateSocket {
	int fd;
	FdSource *source;
	GPtrArray *clients; /* PrivateClient *, owned */
	char guid[33];
	bool is_full_told; /* one line of log, not one a refusal */
	int reserve_fd;    /* given up to turn a client away when there are no descriptors; -1: none */
	const PrivateListener *listener;
	void *data;
};

int private_socket_open(const char *path, GError **error)
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
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, 0600) < 0 ||
	    listen(fd, LIMIT_PRIVATE_CLIENTS) < 0) {
		fail_errno(error, errno, "cannot listen on %s", path);
		return -1;
	}
	return fd_steal(&fd);
}

static void private_client_free(gpointer data)
{
	PrivateClient *client = data;

	client->socket->listener->gone(client->socket->data, &client->base);
	peer_free(client->peer);
	g_free(client);
}

static void on_message(void *data, DBusMessage *message)
{
	PrivateClient *client = data;

	client->socket->listener->message(client->socket->data, &client->base, message);
}

static void on_closed(void *data, const char *why)
{
	PrivateClient *client = data;

	if (why)
		log_warning(NULL, "a client of the private socket (pid %d, %s) was disconnected: %s",
			    (int)client->base.who.pid, client->base.who.command, why);
	g_ptr_array_remove_fast(client->socket->clients, client);
}

static const PeerListener peer_listener = { .message = on_message, .closed = on_closed };

static void client_send(BusClient *client, DBusMessage *message)
{
	peer_send(((PrivateClient *)client)->peer, message);
}

/* Takes @fd. */
static void take_client(PrivateSocket *socket, int fd)
{
	struct ucred ucred;
	socklen_t size = sizeof ucred;
	PrivateClient *client;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &size) < 0) {
		(void)close(fd); /* nobody we could name */
		return;
	}
	client = g_new0(PrivateClient, 1);
	client->socket = socket;
	client->base.send = client_send;
	client->base.who.uid = ucred.uid;
	client->base.who.pid = ucred.pid;
	requester_read_command(&client->base.who);
	client->peer = peer_new(fd, ucred.uid, access_is_welcome(ucred.uid), socket->guid, &peer_listener, client);
	g_ptr_array_add(socket->clients, client);
}

static int open_reserve(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
 * Out of descriptors: a client that waits in the backlog would wake us again and again, for nothing. With one descriptor
 * in reserve it can be let in and turned away, and comes again.
 */
static void turn_away_first(PrivateSocket *socket)
{
	int fd;

	fd_close(&socket->reserve_fd);
	fd = accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	fd_close(&fd);
	socket->reserve_fd = open_reserve();
	if (!socket->is_full_told)
		log_warning(NULL, "no descriptors are left for clients of the private socket; they are turned away");
	socket->is_full_told = true;
}

static void on_connection(GIOCondition condition, void *data)
{
	PrivateSocket *socket = data;

	for (unsigned i = 0; i < ACCEPT_BATCH; i++) {
		const int fd = accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			turn_away_first(socket);
		if (fd < 0)
			return; /* EAGAIN: all are in */
		if (socket->clients->len < LIMIT_PRIVATE_CLIENTS) {
			socket->is_full_told = false;
			take_client(socket, fd);
			continue;
		}
		(void)close(fd); /* better a clear end than a place in a queue that may never move */
		if (!socket->is_full_told)
			log_warning(NULL, "the private socket has %u clients; further ones are turned away",
				    socket->clients->len);
		socket->is_full_told = true;
	}
}

PrivateSocket *private_socket_new(int fd, const PrivateListener *listener, void *data)
{
	PrivateSocket *socket = g_new0(PrivateSocket, 1);

	socket->fd = fd;
	socket->listener = listener;
	socket->data = data;
	socket->clients = g_ptr_array_new_with_free_func(private_client_free);
	/* Tells one server from another, nothing more; chance of this quality will do. */
	for (unsigned i = 0; i < 4; i++)
		g_snprintf(socket->guid + 8 * i, 9, "%08x", g_random_int());
	socket->reserve_fd = open_reserve();
	(void)fd_set_nonblocking(fd, true); /* a socket: cannot fail */
	socket->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_BUS, on_connection, socket);
	return socket;
}

void private_socket_broadcast(PrivateSocket *socket, DBusMessage *message)
{
	for (guint i = 0; i < socket->clients->len; i++) {
		PrivateClient *client = g_ptr_array_index(socket->clients, i);

		if (client->base.is_subscribed)
			client->base.send(&client->base, message);
	}
}

bool private_socket_has_subscribers(const PrivateSocket *socket)
{
	for (guint i = 0; i < socket->clients->len; i++) {
		const PrivateClient *client = g_ptr_array_index(socket->clients, i);

		if (client->base.is_subscribed)
			return true;
	}
	return false;
}

void private_socket_flush(PrivateSocket *socket)
{
	for (guint i = 0; i < socket->clients->len; i++)
		peer_flush(((PrivateClient *)g_ptr_array_index(socket->clients, i))->peer);
}

void private_socket_free(PrivateSocket *socket)
{
	if (!socket)
		return;
	g_ptr_array_unref(socket->clients);
	fd_source_free(socket->source);
	fd_close(&socket->fd);
	fd_close(&socket->reserve_fd);
	g_free(socket);
}
