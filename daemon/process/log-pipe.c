/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: a table of output pipes, and svc-logger at the other end of a seqpacket pair.
 *
 * A pipe leaves the table when svc-logger says that it has written out all of it, and nobody has opened it for writing
 * since it was last handed over.
 */
#include "config.h"

#include "process/log-pipe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "loop/loop.h"
#include "process/cgroup.h"
#include "protocol/logger-protocol.h"

/* A logger that dies within LIVES_US of its start is started again after a delay that doubles. */
#define LIVES_US (10 * G_USEC_PER_SEC)
#define DELAY_FIRST_US (100 * G_TIME_SPAN_MILLISECOND)
#define DELAY_MAX_US (10 * G_USEC_PER_SEC)

/* A pipe is not handed over before that, but with all that were made meanwhile: what is in it can wait. */
#define HAND_OVER_US (10 * G_TIME_SPAN_MILLISECOND)

/* Ends of pipes that are read in one turn. */
#define CONTROL_BATCH 32

typedef struct LogPipe {
	const char *service; /* interned */
	uint64_t invocation;
	int fd;         /* read end */
	bool is_marked; /* to be handed over */
	bool reopened;  /* a write end was made after it was handed over: an end that is told now is none */
	gid_t group;   /* as last told to svc-logger */
} LogPipe;

struct LogRouter {
	KeeperLink *link;
	char *program;
	char *directory;
	gid_t (*group)(void *data, const char *service);
	void *group_data;
	char *cgroup_root;
	GHashTable *pipes; /* a set of LogPipe, owned; one for each service and invocation */
	GQueue marked;     /* LogPipe *, in the order they were made */
	int control_fd;    /* our end of the pair; -1: none */
	FdSource *source;
	bool is_alive; /* asked for, its end not yet told */
	uint64_t invocation;
	int64_t started_us;
	int64_t delay_us;
	Timer *restart;
	Timer *hand_over;
};

static void log_pipe_free(gpointer data)
{
	LogPipe *pipe = data;

	fd_close(&pipe->fd);
	g_free(pipe);
}

static guint pipe_hash(gconstpointer pipe)
{
	const LogPipe *p = pipe;

	return g_direct_hash(p->service) ^ (guint)p->invocation;
}

static gboolean pipe_equal(gconstpointer a, gconstpointer b)
{
	const LogPipe *left = a;
	const LogPipe *right = b;

	return left->service == right->service && left->invocation == right->invocation;
}

static LogPipe *find_pipe(const LogRouter *router, const char *service, uint64_t invocation)
{
	const LogPipe wanted = { .service = g_intern_string(service), .invocation = invocation };

	return g_hash_table_lookup(router->pipes, &wanted);
}

/* As the keeper has it; a new string. */
static char *pipe_name(const LogPipe *pipe)
{
	return g_strdup_printf("%s/log/%" G_GUINT64_FORMAT, pipe->service, pipe->invocation);
}

/* --- handing over --- */

/* Returns: 0 or an errno. */
static int hand_over(int control_fd, const LogPipe *pipe)
{
	struct LoggerMessage body = { .type = LOGGER_PIPE, .group = pipe->group, .invocation = pipe->invocation };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = &body, .iov_len = sizeof body };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	g_strlcpy(body.service, pipe->service, sizeof body.service);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &pipe->fd, sizeof(int));
	return sendmsg(control_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

static void mark(LogRouter *router, LogPipe *pipe)
{
	if (pipe->is_marked)
		return;
	pipe->is_marked = true;
	g_queue_push_tail(&router->marked, pipe);
}

static gid_t group_of(const LogRouter *router, const char *service)
{
	return router->group ? router->group(router->group_data, service) : 0;
}

static LogPipe *next_marked(LogRouter *router)
{
	LogPipe *pipe = g_queue_peek_head(&router->marked);

	if (pipe)
		pipe->group = group_of(router, pipe->service);
	return pipe;
}

/* As many as the socket takes; the rest waits for room, or for the next logger. */
static void hand_over_marked(LogRouter *router)
{
	LogPipe *pipe;

	if (router->control_fd < 0 || !router->is_alive)
		return;
	while ((pipe = next_marked(router)) && hand_over(router->control_fd, pipe) == 0) {
		pipe->is_marked = false;
		pipe->reopened = false;
		g_queue_pop_head(&router->marked);
	}
	fd_source_set_events(router->source, G_IO_IN | (pipe ? G_IO_OUT : 0));
}

static void on_hand_over(void *data)
{
	hand_over_marked(data);
}

/* --- what svc-logger says --- */

static void forget_pipe(LogRouter *router, LogPipe *pipe)
{
	g_autofree char *name = pipe_name(pipe);

	keeper_link_forget(router->link, name);
	if (pipe->is_marked)
		g_queue_remove(&router->marked, pipe);
	g_hash_table_remove(router->pipes, pipe);
}

static void take_end(LogRouter *router, struct LoggerMessage *message)
{
	LogPipe *pipe;

	message->service[sizeof message->service - 1] = '\0';
	pipe = find_pipe(router, message->service, message->invocation);
	if (!pipe)
		return;
	if (pipe->reopened)
		mark(router, pipe);
	else
		forget_pipe(router, pipe);
}

/* Returns: false when nothing is left to read. */
static bool receive_one(LogRouter *router)
{
	struct LoggerMessage message;
	ssize_t n = recv(router->control_fd, &message, sizeof message, MSG_DONTWAIT);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (n == (ssize_t)sizeof message && message.type == LOGGER_END)
		take_end(router, &message);
	return true;
}

static void close_control(LogRouter *router)
{
	fd_source_free(router->source);
	router->source = NULL;
	fd_close(&router->control_fd);
}

static void on_control(GIOCondition condition, void *data)
{
	LogRouter *router = data;

	for (int i = 0; i < CONTROL_BATCH; i++) {
		if (receive_one(router))
			continue;
		if (condition & (G_IO_HUP | G_IO_ERR)) {
			close_control(router); /* nobody is there, and all is read; the keeper will tell how it ended */
			return;
		}
		break;
	}
	hand_over_marked(router);
}

static void watch_control(LogRouter *router, int fd)
{
	close_control(router);
	router->control_fd = fd;
	(void)fd_set_nonblocking(fd, true); /* cannot fail on a socket of ours */
	router->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_BUS, on_control, router);
}

void log_router_group_again(LogRouter *router)
{
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, router->pipes);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		LogPipe *pipe = key;

		if (pipe->group != group_of(router, pipe->service))
			mark(router, pipe);
	}
	hand_over_marked(router);
}

/* --- svc-logger itself --- */

static int open_own_cgroup(const LogRouter *router)
{
	Cgroup *cgroup = cgroup_new(router->cgroup_root, LOGGER_SERVICE, NULL, NULL);
	g_autoptr(GError) error = NULL;
	int fd = -1;

	if (cgroup_create(cgroup, &error))
		fd = cgroup_open(cgroup, &error);
	if (error)
		log_warning("svc-logger", "%s", error->message);
	cgroup_free(cgroup);
	return fd;
}

static bool send_spawn(LogRouter *router, int logger_end, GError **error)
{
	const char *const argv[] = { router->program, router->directory, NULL };
	const char *const environment[] = { NULL };
	auto_fd int cgroup_fd = open_own_cgroup(router);
	const SpawnRequest request = {
		.service = LOGGER_SERVICE,
		.role = ROLE_MAIN,
		.invocation = router->invocation,
		.argv = argv,
		.environment = environment,
		.stdin_fd = -1,
		.stdout_fd = -1,
		.stderr_fd = -1,
		.cgroup_fd = cgroup_fd,
		.status_fd = -1,
		.inherited = &logger_end,
		.n_inherited = 1,
		.has_oom = geteuid() == 0,
		.oom_score_adjust = -500, /* what it holds is what explains why others were killed */
	};

	return keeper_link_spawn(router->link, &request, error);
}

static bool start_logger(LogRouter *router, GError **error)
{
	auto_fd int logger_end = -1;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return fail_errno(error, errno, "cannot make a socket pair");
	logger_end = fds[1];
	watch_control(router, fds[0]);
	keeper_link_keep(router->link, LOGGER_SERVICE "/control/0", fds[0]);
	/* A clock that only goes forward makes numbers that do too, through all managers of a boot. */
	router->invocation = MAX((uint64_t)loop_now(), router->invocation + 1);
	router->started_us = loop_now();
	router->is_alive = send_spawn(router, logger_end, error);
	return router->is_alive;
}

static void start_later(LogRouter *router)
{
	router->delay_us = router->delay_us ? MIN(router->delay_us * 2, DELAY_MAX_US) : DELAY_FIRST_US;
	timer_arm(router->restart, loop_now() + router->delay_us);
}

static void start_now(LogRouter *router)
{
	g_autoptr(GError) error = NULL;

	if (start_logger(router, &error)) {
		hand_over_marked(router);
		return;
	}
	log_error("svc-logger", "%s", error->message);
	start_later(router);
}

static void on_restart(void *data)
{
	LogRouter *router = data;

	if (!router->is_alive)
		start_now(router);
}

static void mark_all(LogRouter *router)
{
	GHashTableIter iter;
	gpointer pipe;

	g_hash_table_iter_init(&iter, router->pipes);
	while (g_hash_table_iter_next(&iter, &pipe, NULL))
		mark(router, pipe);
}

void log_router_on_spawned(LogRouter *router, const struct MessageSpawned *message)
{
	if (message->id.invocation != router->invocation || !message->error)
		return;
	log_error("svc-logger", "cannot be started: %s", g_strerror(message->error));
	router->is_alive = false;
	start_later(router);
}

void log_router_on_exited(LogRouter *router, const struct MessageExited *message)
{
	keeper_link_ack(router->link, &message->id, NULL);
	if (message->id.invocation != router->invocation)
		return;
	router->is_alive = false;
	if (router->control_fd >= 0) {
		while (receive_one(router)) /* ends that it told before its own */
			;
	}
	close_control(router);
	mark_all(router);
	log_warning("svc-logger", "ended (code %d, status %d): starting it again", message->code, message->status);
	if (loop_now() - router->started_us >= LIVES_US)
		router->delay_us = 0;
	if (router->delay_us > 0) {
		start_later(router);
		return;
	}
	router->delay_us = DELAY_FIRST_US / 2; /* at once, but only the first time */
	start_now(router);
}

/* --- pipes --- */

static LogPipe *add_pipe(LogRouter *router, const char *service, uint64_t invocation, int fd)
{
	LogPipe *pipe = g_new0(LogPipe, 1);

	pipe->service = g_intern_string(service);
	pipe->invocation = invocation;
	pipe->fd = fd;
	g_hash_table_add(router->pipes, pipe);
	mark(router, pipe);
	return pipe;
}

/* Another write end of a pipe that we only have the read end of: proc(5), /proc/PID/fd. */
static int reopen_for_writing(int fd)
{
	char path[64];

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_CLOEXEC);
}

static int open_again(LogPipe *pipe, GError **error)
{
	int fd = reopen_for_writing(pipe->fd);

	if (fd < 0)
		fail_errno(error, errno, "cannot open its output pipe again");
	else
		pipe->reopened = true;
	return fd;
}

int log_router_open(LogRouter *router, const char *service, uint64_t invocation, GError **error)
{
	LogPipe *pipe = find_pipe(router, service, invocation);
	g_autofree char *name = NULL;
	int fds[2];

	if (pipe)
		return open_again(pipe, error);
	if (pipe2(fds, O_CLOEXEC) < 0) {
		fail_errno(error, errno, "cannot make a pipe");
		return -1;
	}
	pipe = add_pipe(router, service, invocation, fds[0]);
	name = pipe_name(pipe);
	keeper_link_keep(router->link, name, pipe->fd);
	if (!timer_is_armed(router->hand_over))
		timer_arm(router->hand_over, loop_now() + HAND_OVER_US);
	return fds[1];
}

/* --- life --- */

LogRouter *log_router_new(KeeperLink *link, const LogRouterOptions *options)
{
	LogRouter *router = g_new0(LogRouter, 1);

	router->link = link;
	router->program = g_strdup(options->program);
	router->directory = g_strdup(options->directory);
	router->cgroup_root = g_strdup(options->cgroup_root);
	router->group = options->group;
	router->group_data = options->data;
	router->pipes = g_hash_table_new_full(pipe_hash, pipe_equal, log_pipe_free, NULL);
	g_queue_init(&router->marked);
	router->control_fd = -1;
	router->restart = timer_new(on_restart, router);
	router->hand_over = timer_new(on_hand_over, router);
	return router;
}

static bool give_pipe(LogRouter *router, const char *service, const char *index, int fd)
{
	uint64_t invocation;

	if (!text_parse_uint(index, 10, UINT64_MAX, &invocation))
		return false;
	if (find_pipe(router, service, invocation))
		return false;
	add_pipe(router, service, invocation, fd);
	return true;
}

void log_router_give_fd(LogRouter *router, const char *service, const char *kind, const char *index, int fd)
{
	if (strcmp(service, LOGGER_SERVICE) == 0 && strcmp(kind, "control") == 0)
		watch_control(router, fd);
	else if (strcmp(kind, "log") != 0 || !give_pipe(router, service, index, fd))
		fd_close(&fd);
}

void log_router_begin(LogRouter *router, pid_t alive_pid, uint64_t alive_invocation)
{
	struct ProcessId id;

	router->invocation = alive_invocation;
	router->is_alive = alive_pid > 0;
	if (!router->is_alive) {
		start_now(router);
	} else if (router->control_fd < 0) {
		process_id_init(&id, LOGGER_SERVICE, ROLE_MAIN, alive_invocation);
		keeper_link_signal(router->link, &id, SIGKILL); /* nobody can talk to it; the next one can be */
	} else {
		/* What the logger had been given before us nobody knows; it passes over what it has already. */
		hand_over_marked(router);
	}
}

void log_router_free(LogRouter *router)
{
	if (!router)
		return;
	close_control(router);
	timer_free(router->restart);
	timer_free(router->hand_over);
	g_queue_clear(&router->marked);
	g_hash_table_unref(router->pipes);
	g_free(router->program);
	g_free(router->directory);
	g_free(router->cgroup_root);
	g_free(router);
}
