/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: the directory is watched, and its parent while there is no directory. inotify only wakes; what is so is looked
 * up after the watch is set.
 *
 * udevd leaves its socket behind even when it ends in good order (seen with 252), so that the file alone says little: we connect,
 * which udevd takes for a client that has nothing to say, and from then on watch the process that listens.
 */
#include "config.h"

#include "providers/udev-daemon.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/inotify.h"
#include "loop/loop.h"

#define CONTROL "control"

#define WATCH_MASK (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

/* A socket appears before its owner listens: so often, and so far apart, it is tried again. */
#define TRIES 5
#define TRY_PAUSE_US (100 * G_TIME_SPAN_MILLISECOND)

/* Which one it is: an inode's number alone may be used again at once. */
typedef struct Socket {
	ino_t inode; /* 0: there is none */
	struct timespec changed;
} Socket;

struct UdevDaemon {
	char *directory;
	char *parent;
	char *name; /* of the directory in its parent */
	char *control;
	Inotify *inotify;
	int watch;
	bool is_watching_parent;
	bool is_there;
	bool is_anew;  /* within one batch */
	bool must_look;
	Socket socket; /* the one that was tried last */
	Socket told;   /* the one of the last change */
	pid_t pid;            /* who listened last; 0: nobody */
	int pidfd;            /* -1: its end cannot be seen */
	FdSource *pid_source;
	Timer *again;
	unsigned tries_left;
	void (*changed)(void *data, bool is_there);
	void *data;
};

/* Once more for each watch that is set: what was made before it was is seen now. */
static void watch(UdevDaemon *daemon)
{
	if (daemon->watch >= 0)
		inotify_unwatch(daemon->inotify, daemon->watch);
	daemon->watch = inotify_watch(daemon->inotify, daemon->directory, WATCH_MASK);
	daemon->is_watching_parent = daemon->watch < 0;
	if (daemon->watch >= 0)
		return;
	daemon->watch = inotify_watch(daemon->inotify, daemon->parent, WATCH_MASK);
	if (g_file_test(daemon->directory, G_FILE_TEST_IS_DIR)) { /* made between the two */
		inotify_unwatch(daemon->inotify, daemon->watch);
		daemon->watch = inotify_watch(daemon->inotify, daemon->directory, WATCH_MASK);
		daemon->is_watching_parent = false;
	}
}

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

	if (lstat(daemon->control, &st) < 0)
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
	auto_fd int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(daemon->control) >= sizeof address.sun_path)
		return false;
	strcpy(address.sun_path, daemon->control);
	daemon->socket = find_socket(daemon);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return errno == EAGAIN;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
		watch_process(daemon, peer.pid);
	return true;
}

static void look(UdevDaemon *daemon)
{
	const bool is_there = probe(daemon);
	const bool may_come = !is_there && daemon->tries_left > 0 && g_file_test(daemon->control, G_FILE_TEST_EXISTS);
	/* The event of a socket that was made while its directory began to be watched comes when it has been told already. */
	const bool is_another = daemon->is_anew || !is_same_socket(&daemon->socket, &daemon->told);
	const bool is_news = is_there != daemon->is_there || (is_there && is_another);

	daemon->must_look = false;
	if (may_come) {
		daemon->tries_left--;
		timer_arm(daemon->again, loop_now() + TRY_PAUSE_US);
		if (is_another)
			return; /* it was there, and is about to be again */
	}
	daemon->is_there = is_there;
	daemon->is_anew = false;
	daemon->told = daemon->socket;
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

static void on_directory_event(void *data, int number, uint32_t mask, const char *name)
{
	UdevDaemon *daemon = data;

	if (number != daemon->watch)
		return; /* of a watch that was taken back */
	if (daemon->is_watching_parent) {
		if (strcmp(name, daemon->name) != 0)
			return;
		watch(daemon);
		daemon->tries_left = TRIES;
		daemon->must_look = true;
	} else if (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) {
		watch(daemon);
		daemon->must_look = true;
	} else if (strcmp(name, CONTROL) == 0) {
		if (mask & (IN_CREATE | IN_MOVED_TO)) {
			daemon->tries_left = TRIES;
			daemon->pid = 0;
		}
		daemon->must_look = true;
	}
}

static void on_directory_overflow(void *data)
{
	UdevDaemon *daemon = data;

	watch(daemon);
	daemon->is_anew = true;
	daemon->must_look = true;
}

static void on_directory_batch_end(void *data)
{
	UdevDaemon *daemon = data;

	if (daemon->must_look)
		look(daemon);
}

UdevDaemon *udev_daemon_new(const char *directory, void (*changed)(void *data, bool is_there), void *data, GError **error)
{
	static const InotifyListener listener = { on_directory_event, on_directory_overflow, on_directory_batch_end };
	UdevDaemon *daemon = g_new0(UdevDaemon, 1);

	daemon->directory = g_strdup(directory);
	daemon->parent = g_path_get_dirname(directory);
	daemon->name = g_path_get_basename(directory);
	daemon->control = g_build_filename(directory, CONTROL, NULL);
	daemon->changed = changed;
	daemon->data = data;
	daemon->watch = -1;
	daemon->pidfd = -1;
	daemon->tries_left = TRIES;
	daemon->again = timer_new(on_try_again, daemon);
	daemon->inotify = inotify_new(&listener, daemon, error);
	if (!daemon->inotify) {
		udev_daemon_free(daemon);
		return NULL;
	}
	watch(daemon);
	daemon->is_there = probe(daemon);
	daemon->told = daemon->socket;
	if (!daemon->is_there && g_file_test(daemon->control, G_FILE_TEST_EXISTS))
		timer_arm(daemon->again, loop_now() + TRY_PAUSE_US);
	return daemon;
}

void udev_daemon_free(UdevDaemon *daemon)
{
	if (!daemon)
		return;
	forget_process(daemon);
	timer_free(daemon->again);
	inotify_free(daemon->inotify);
	g_free(daemon->directory);
	g_free(daemon->parent);
	g_free(daemon->name);
	g_free(daemon->control);
	g_free(daemon);
}

bool udev_daemon_is_there(const UdevDaemon *daemon)
{
	return daemon->is_there;
}
