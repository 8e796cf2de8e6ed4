/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: svc-worker checks whether the socket exists, and again after each event on the way
 * to it. The manager looks up only an existing name on a tmpfs, because that takes no lock.
 *
 * udevd leaves its socket behind even after a normal exit (seen with 252), so the file alone proves
 * little. So the manager connects, and then watches the process that listens. udevd ignores the
 * connection, because it contains no request.
 */
#include "config.h"

#include "providers/udev-daemon.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"

#define CONTROL "control"

/*
 * A socket file appears before its owner listens, so the connection is tried several times with
 * this delay.
 */
#define TRIES 5
#define TRY_PAUSE_US (100 * G_TIME_SPAN_MILLISECOND)

/* The identity of a socket. The inode number alone may be reused at once. */
typedef struct Socket {
	ino_t inode; /* 0: there is none */
	struct timespec changed;
} Socket;

struct UdevDaemon {
	char *control;
	SocketLook sockets;
	void *looking;
	bool exists; /* the socket, at the last look */
	bool is_known; /* its existence was reported */
	bool is_there;
	Socket socket; /* the socket that was tried last */
	Socket reported; /* the socket of the last reported change */
	pid_t pid; /* the process that listened last; 0: none */
	int pidfd; /* -1: its end cannot be seen */
	FdSource *pid_source;
	Timer *again;
	unsigned tries_left;
	void (*changed)(void *data, bool is_there);
	void *data;
};

static void forget_process(UdevDaemon *daemon)
{
	g_clear_pointer(&daemon->pid_source, fd_source_free);
	fd_close(&daemon->pidfd);
}

static void on_process_ended(GIOCondition condition, void *data);

/*
 * The process that began to listen may have passed the socket to a child (udevd --daemon). The same
 * process is not watched twice, because an unreaped process would wake the manager for ever.
 */
static void watch_process(UdevDaemon *daemon, pid_t pid)
{
	if (pid == daemon->pid)
		return;
	forget_process(daemon);
	daemon->pid = pid;
	daemon->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (daemon->pidfd >= 0)
		daemon->pid_source = fd_source_new(daemon->pidfd, G_IO_IN, LOOP_PRIORITY_PROVIDER,
						   on_process_ended, daemon);
}

/*
 * Called before connecting. If another socket replaces this one meanwhile, an event reports that,
 * and the identity differs.
 */
static Socket find_socket(const UdevDaemon *daemon)
{
	struct stat st;

	if (!daemon->exists || lstat(daemon->control, &st) < 0)
		return (Socket){ .inode = 0 };
	return (Socket){ st.st_ino, st.st_ctim };
}

static bool is_same_socket(const Socket *a, const Socket *b)
{
	return a->inode == b->inode && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Does a process listen? Too many clients at the moment (EAGAIN) means yes, too. */
static bool probe(UdevDaemon *daemon)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ucred peer;
	socklen_t length = sizeof peer;
	Socket before;
	auto_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(daemon->control) >= sizeof address.sun_path)
		return false;
	strcpy(address.sun_path, daemon->control);
	before = daemon->socket;
	daemon->socket = find_socket(daemon);
	if (!is_same_socket(&daemon->socket, &before))
		daemon->pid = 0; /* the same process may listen again */
	if (!daemon->exists)
		return false;
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return errno == EAGAIN;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
		watch_process(daemon, peer.pid);
	return true;
}

static void look(UdevDaemon *daemon)
{
	const bool is_there = probe(daemon);
	const bool may_come = !is_there && daemon->tries_left > 0 && daemon->exists;
	/*
	 * If a socket was made while the watch of its directory began, its event arrives after the
	 * socket was reported.
	 */
	const bool is_another = !is_same_socket(&daemon->socket, &daemon->reported);
	const bool is_news = !daemon->is_known || is_there != daemon->is_there ||
			     (is_there && is_another);

	if (may_come) {
		daemon->tries_left--;
		timer_arm(daemon->again, loop_now() + TRY_PAUSE_US);
		if (is_another)
			return; /* udevd existed and is about to return */
	}
	daemon->is_known = true;
	daemon->is_there = is_there;
	daemon->reported = daemon->socket;
	if (is_news)
		daemon->changed(daemon->data, is_there);
}

static void on_try_again(void *data)
{
	look(data);
}

static void on_process_ended(GIOCondition condition, void *data)
{
	UdevDaemon *daemon = data;

	(void)condition;
	forget_process(daemon);
	look(daemon);
}

/* An event has occurred on the way to the socket, or this is the first look-up. */
static void on_seen(void *data, bool exists)
{
	UdevDaemon *daemon = data;

	daemon->exists = exists;
	daemon->tries_left = TRIES;
	look(daemon);
}

UdevDaemon *udev_daemon_new(const char *directory, const SocketLook *sockets,
			    void (*changed)(void *data, bool is_there), void *data)
{
	UdevDaemon *daemon = g_new0(UdevDaemon, 1);

	daemon->control = g_build_filename(directory, CONTROL, NULL);
	daemon->changed = changed;
	daemon->data = data;
	daemon->pidfd = -1;
	daemon->again = timer_new(on_try_again, daemon);
	daemon->sockets = *sockets;
	daemon->looking = sockets->begin(sockets->data, daemon->control, on_seen, daemon);
	return daemon;
}

void udev_daemon_free(UdevDaemon *daemon)
{
	if (!daemon)
		return;
	daemon->sockets.end(daemon->looking);
	forget_process(daemon);
	timer_free(daemon->again);
	g_free(daemon->control);
	g_free(daemon);
}

bool udev_daemon_is_there(const UdevDaemon *daemon)
{
	return daemon->is_there;
}
