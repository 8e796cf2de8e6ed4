/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: svc-worker looks whether there is a socket, and again after each event on the way to it. The manager looks up only a
 * name that exists, on a tmpfs: for that no lock is taken.
 *
 * udevd leaves its socket behind even when it ends in good order (seen with 252), so that the file alone says little: we connect,
 * which udevd takes for a client that has nothing to say, and from then on watch the process that listens.
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

/* A socket appears before its owner listens: so often, and so far apart, it is tried again. */
#define TRIES 5
#define TRY_PAUSE_US (100 * G_TIME_SPAN_MILLISECOND)

/* Which one it is: an inode's number alone may be used again at once. */
typedef struct Socket {
	ino_t inode; /* 0: there is none */
	struct timespec changed;
} Socket;

struct UdevDaemon {
	char *control;
	SocketLook sockets;
	void *looking;
	bool exists;   /* the socket, at the last look */
	bool is_known; /* it was reported whether it is there */
	bool is_there;
	Socket socket; /* the one that was tried last */
	Socket reported; /* the one of the last change */
	pid_t pid;            /* who listened last; 0: nobody */
	int pidfd;            /* -1: its end cannot be seen */
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
 * Who has begun to listen may have handed the socket to a child (udevd --daemon): the same process is not watched twice, or one
 * that nobody waits for would wake us for ever.
 */
static void watch_process(UdevDaemon *daemon, pid_t pid)
{
	if (pid == daemon->pid)
		return;
	forget_process(daemon);
	daemon->pid = pid;
	daemon->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (daemon->pidfd >= 0)
		daemon->pid_source = fd_source_new(daemon->pidfd, G_IO_IN, LOOP_PRIORITY_PROVIDER, on_process_ended,
						   daemon);
}

/* Looked at before the socket is tried: should another one take its place meanwhile, an event will say so, and it is not this one. */
static Socket find_socket(const UdevDaemon *daemon)
{
	struct stat st;

	if (!daemon->exists || lstat(daemon->control, &st) < 0)
		return (Socket){ .inode = 0 };
	return (Socket){ st.st_ino, st.st_ctim };
}

static bool is_same_socket(const Socket *a, const Socket *b)
{
	return a->inode == b->inode && a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Does somebody listen? Too many clients at the moment (EAGAIN) are a yes as well. */
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
	/* The event of a socket that was made while its directory began to be watched comes when it has been reported already. */
	const bool is_another = !is_same_socket(&daemon->socket, &daemon->reported);
	const bool is_news = !daemon->is_known || is_there != daemon->is_there || (is_there && is_another);

	if (may_come) {
		daemon->tries_left--;
		timer_arm(daemon->again, loop_now() + TRY_PAUSE_US);
		if (is_another)
			return; /* it was there, and is about to be again */
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

/* Something has happened on the way to the socket, or it is looked at for the first time. */
static void on_seen(void *data, bool exists)
{
	UdevDaemon *daemon = data;

	daemon->exists = exists;
	daemon->tries_left = TRIES;
	look(daemon);
}

UdevDaemon *udev_daemon_new(const char *directory, const SocketLook *sockets, void (*changed)(void *data, bool is_there), void *data)
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
