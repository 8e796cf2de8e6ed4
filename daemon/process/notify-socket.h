/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify socket: where a service says sd_notify(3) things. One socket a service, so that its path is the identity, and
 * a service that floods its own fills nobody else's.
 *
 * Whom to believe is the listener's decision: it is asked for every datagram, by the process id that the kernel attached.
 */
#ifndef SVCD_PROCESS_NOTIFY_SOCKET_H
#define SVCD_PROCESS_NOTIFY_SOCKET_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What one datagram said; the texts point into its buffer. */
typedef struct NotifyMessage {
	bool ready;
	bool stopping;
	bool reloading;
	const char *status;  /* NULL: not said */
	pid_t main_pid;      /* 0: not said */
	int64_t extend_us;   /* 0: not said */
	int errnum;          /* 0: not said */
	bool is_alive;       /* WATCHDOG=1 */
	bool is_in_trouble;  /* WATCHDOG=trigger */
	bool has_watchdog;   /* WATCHDOG_USEC= was said: */
	int64_t watchdog_us; /* the longest time between two signs of life from now on; 0: none will come */
} NotifyMessage;

/**
 * notify_parse() - read "NAME=value" lines
 * @text: @length bytes and a NUL behind them; written to
 * Returns: false when it is to be ignored as a whole: empty, too long, or with a NUL inside.
 */
bool notify_parse(char *text, size_t length, NotifyMessage *ret);

typedef enum NotifyTrust {
	NOTIFY_IGNORED,
	NOTIFY_BELIEVED,
	NOTIFY_ASKED, /* the datagram stays where it is until notify_socket_answered() */
} NotifyTrust;

/* None of these may free the socket. */
typedef struct NotifyListener {
	NotifyTrust (*trust)(void *data, pid_t pid);
	/*
	 * Returns true when something came of it that is to be remembered first: then the message stays where it is, and is the next
	 * manager's too, until notify_socket_remembered(). So it must do no harm twice.
	 */
	bool (*message)(void *data, const NotifyMessage *message);
	/*
	 * The first datagram has been handled and has descriptors attached. The manager never receives those: to close the last
	 * descriptor of a file can take for ever. An expendable process receives the datagram, and then notify_socket_eaten() is called.
	 */
	void (*descriptors)(void *data);
} NotifyListener;

typedef struct NotifySocket NotifySocket;

/* The path for a service: its name, shortened with a hash where sun_path is too short for it. A new string. */
char *notify_socket_path(const char *runtime_dir, const char *service);

/* Every user may write to the socket: then the sender alone is checked. */
#define NOTIFY_ANY_USER ((uid_t)-1)

/**
 * notify_socket_new() - make the socket at @path, in place of one that is there, and the directory that it is in
 * @owner: the only user, beside root, who may write to it; or NOTIFY_ANY_USER
 *
 * Quiet until it is armed.
 */
NotifySocket *notify_socket_new(const char *path, uid_t owner, const NotifyListener *listener, void *data, GError **error);
/* The same with a socket that the keeper kept. Takes @fd. */
NotifySocket *notify_socket_resume(int fd, const NotifyListener *listener, void *data);
void notify_socket_arm(NotifySocket *socket);
/* Handles all that has arrived, without regard to the rate: the sender is dead. */
void notify_socket_drain(NotifySocket *socket);

/* What came of the last message is where the next manager finds it. */
void notify_socket_remembered(NotifySocket *socket);
/* The answer to NOTIFY_ASKED. */
void notify_socket_answered(NotifySocket *socket, bool is_believed);
/* The datagram with descriptors is gone. */
void notify_socket_eaten(NotifySocket *socket);

int notify_socket_fd(const NotifySocket *socket);
/* The user that sent the datagram that was looked at last. */
uid_t notify_socket_sender(const NotifySocket *socket);
/* Datagrams that were not believed, or not understood. */
unsigned notify_socket_ignored(const NotifySocket *socket);
void notify_socket_free(NotifySocket *socket); /* leaves the path in place */

/*
 * A flood is slowed down, not thrown away (READY=1 may be in the middle of it): after NOTIFY_BURST datagrams a service
 * gets NOTIFY_RATE a second, the rest waits in its socket, and then the sender waits.
 */
#define NOTIFY_BURST 200
#define NOTIFY_RATE 200

/* After some that were ignored the socket is left alone for so long: a flood of them costs a tenth of a processor at most. */
#define NOTIFY_IGNORED_US (5 * G_TIME_SPAN_MILLISECOND)

/* EXTEND_TIMEOUT_USEC= gives at most this much more at a time. */
#define NOTIFY_EXTEND_MAX_US (G_TIME_SPAN_HOUR * 24)

#endif
