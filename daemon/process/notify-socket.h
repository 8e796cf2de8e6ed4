/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify socket: receives the sd_notify(3) messages of a service. Each service has its own socket.
 * So the path identifies the service, and a service that floods its socket does not affect others.
 *
 * The listener decides whether a sender is accepted. For each datagram it gets the process id that
 * the kernel has attached.
 */
#ifndef SVCD_PROCESS_NOTIFY_SOCKET_H
#define SVCD_PROCESS_NOTIFY_SOCKET_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The content of one datagram. The texts point into its buffer. */
typedef struct NotifyMessage {
	bool ready;
	bool stopping;
	bool reloading;
	const char *status; /* NULL: not set */
	pid_t main_pid; /* 0: not set */
	int64_t extend_us; /* 0: not set */
	int errnum; /* 0: not set */
	bool is_alive; /* WATCHDOG=1 */
	bool is_in_trouble; /* WATCHDOG=trigger */
	bool has_watchdog; /* WATCHDOG_USEC= was set, to @watchdog_us */
	/* the longest time between two WATCHDOG=1 messages from now on; 0: no watchdog */
	int64_t watchdog_us;
} NotifyMessage;

/**
 * notify_parse() - read "NAME=value" lines
 * @text: @length bytes, followed by a NUL; modified
 * Returns: false if the whole datagram is to be ignored: empty, too long, or with a NUL inside.
 */
bool notify_parse(char *text, size_t length, NotifyMessage *ret);

typedef enum NotifyTrust {
	NOTIFY_IGNORED,
	NOTIFY_BELIEVED,
	NOTIFY_LOOKED_UP, /* the datagram stays in the socket until notify_socket_answered() */
} NotifyTrust;

/* None of these may free the socket. */
typedef struct NotifyListener {
	NotifyTrust (*trust)(void *data, pid_t pid);
	/*
	 * Returns: true if the result must first be stored in the note. The message then stays in
	 * the socket until notify_socket_remembered(), and the next manager reads it too. So
	 * handling it twice must be harmless.
	 */
	bool (*message)(void *data, const NotifyMessage *message);
	/*
	 * The first datagram has been handled and has descriptors attached. The manager never
	 * receives them, because closing the last descriptor of a file can block for ever. An
	 * expendable process receives the datagram; then the owner calls notify_socket_eaten().
	 */
	void (*descriptors)(void *data);
} NotifyListener;

typedef struct NotifySocket NotifySocket;

/* The path for a service: its name, shortened with a hash if it exceeds sun_path. A new string. */
char *notify_socket_path(const char *runtime_dir, const char *service);

/* Every user may write to the socket, so only the sender is checked. */
#define NOTIFY_ANY_USER ((uid_t)-1)

/**
 * notify_socket_new() - make the socket at @path, replacing an old one, and make its directory
 * @owner: the only user besides root that may write to it; or NOTIFY_ANY_USER
 *
 * Nothing is read before the socket is armed.
 */
NotifySocket *notify_socket_new(const char *path, uid_t owner, const NotifyListener *listener,
				void *data, GError **error);
/* Like notify_socket_new(), with a socket that the keeper has kept. Takes @fd. */
NotifySocket *notify_socket_resume(int fd, const NotifyListener *listener, void *data);
void notify_socket_arm(NotifySocket *socket);
/* Handles all pending datagrams, without the rate limit, because the sender is dead. */
void notify_socket_drain(NotifySocket *socket);

/* Called when the effect of the last message is in the note. */
void notify_socket_remembered(NotifySocket *socket);
/* Gives the answer to NOTIFY_LOOKED_UP. */
void notify_socket_answered(NotifySocket *socket, bool is_believed);
/* Called when svc-worker has received the datagram with descriptors. */
void notify_socket_eaten(NotifySocket *socket);

int notify_socket_fd(const NotifySocket *socket);
/* The user that sent the last examined datagram. */
uid_t notify_socket_sender(const NotifySocket *socket);
/* The number of datagrams that were malformed or came from senders that were not accepted. */
unsigned notify_socket_ignored(const NotifySocket *socket);
void notify_socket_free(NotifySocket *socket); /* leaves the path in place */

/*
 * A flood is slowed down and never dropped, because READY=1 may be in the middle of it. After
 * NOTIFY_BURST datagrams a service gets NOTIFY_RATE per second. The rest waits in the socket, and
 * when that is full, the sender blocks.
 */
#define NOTIFY_BURST 200
#define NOTIFY_RATE 200

/*
 * After ignored datagrams the socket is not read for this long. So a flood of them costs a tenth of
 * a processor at most.
 */
#define NOTIFY_IGNORED_US (5 * G_TIME_SPAN_MILLISECOND)

/* The longest time that one EXTEND_TIMEOUT_USEC= adds. */
#define NOTIFY_EXTEND_MAX_US (G_TIME_SPAN_HOUR * 24)

#endif
