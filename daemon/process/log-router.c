/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: a table of log channels, and svc-logger at the other end of a seqpacket pair.
 *
 * A channel leaves the table when svc-logger reports its end or refuses it. It may carry file
 * descriptors whose close never returns (base/channel.h). So the copies of its descriptor are
 * closed in this order: svc-logger's, ours, and last PID 1's, by an expendable child.
 */
#include "config.h"

#include "process/log-router.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/channel.h"
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

/*
 * The delay before a new channel is handed over, together with all channels made meanwhile. Its
 * output can wait.
 */
#define HAND_OVER_US (10 * G_TIME_SPAN_MILLISECOND)

#define CONTROL_BATCH 32

typedef struct LogChannel {
	guint64 serial; /* the key of the table; unique across all managers of one boot */
	const char *service; /* interned */
	int fd; /* our end */
	bool is_marked; /* to be handed over */
	gid_t group; /* as last sent to svc-logger */
} LogChannel;

struct LogRouter {
	KeeperLink *link;
	char *program;
	char *directory;
	gid_t (*group)(void *data, const char *service);
	void *group_data;
	char *cgroup_root;
	GHashTable *channels; /* &serial -> LogChannel, owned */
	uint64_t serial; /* the last channel's */
	GQueue marked; /* LogChannel *, in the order they were made */
	int control_fd; /* our end of the pair; -1: none */
	FdSource *source;
	bool is_alive; /* spawn requested, exit not yet reported */
	uint64_t invocation;
	int64_t started_us;
	int64_t delay_us;
	Timer *restart;
	Timer *hand_over;
};

static void log_channel_free(gpointer data)
{
	LogChannel *channel = data;

	fd_close(&channel->fd);
	g_free(channel);
}

/* The monotonic clock makes the numbers grow across all managers of one boot. */
static uint64_t next_number(uint64_t last)
{
	return MAX((uint64_t)loop_now(), last + 1);
}

/* The name under which PID 1 keeps a channel; a new string. */
static char *channel_name(const char *service, uint64_t serial)
{
	return g_strdup_printf("%s/log/%" G_GUINT64_FORMAT, service, serial);
}

/* --- handing over --- */

/* Returns: 0 or an errno. */
static int hand_over(int control_fd, const LogChannel *channel)
{
	struct LoggerMessage body = { .type = LOGGER_CHANNEL,
				      .group = channel->group,
				      .serial = channel->serial };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = &body, .iov_len = sizeof body };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	g_strlcpy(body.service, channel->service, sizeof body.service);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &channel->fd, sizeof(int));
	return sendmsg(control_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

static void mark(LogRouter *router, LogChannel *channel)
{
	if (channel->is_marked)
		return;
	channel->is_marked = true;
	g_queue_push_tail(&router->marked, channel);
}

static gid_t group_of(const LogRouter *router, const char *service)
{
	return router->group ? router->group(router->group_data, service) : 0;
}

static LogChannel *next_marked(LogRouter *router)
{
	LogChannel *channel = g_queue_peek_head(&router->marked);

	if (channel)
		channel->group = group_of(router, channel->service);
	return channel;
}

/*
 * Hands over as many channels as the socket takes. The others wait until it is writable, or for the
 * next logger.
 */
static void hand_over_marked(LogRouter *router)
{
	LogChannel *channel;

	if (router->control_fd < 0 || !router->is_alive)
		return;
	while ((channel = next_marked(router)) && hand_over(router->control_fd, channel) == 0) {
		channel->is_marked = false;
		g_queue_pop_head(&router->marked);
	}
	fd_source_set_events(router->source, G_IO_IN | (channel ? G_IO_OUT : 0));
}

static void on_hand_over(void *data)
{
	hand_over_marked(data);
}

/* --- messages from svc-logger --- */

static void forget_channel(LogRouter *router, LogChannel *channel, bool has_ended)
{
	g_autofree char *name = channel_name(channel->service, channel->serial);

	if (channel->is_marked)
		g_queue_remove(&router->marked, channel);
	/* closes our copy; this must be first */
	g_hash_table_remove(router->channels, &channel->serial);
	if (has_ended)
		keeper_link_forget_ended(router->link, name);
	else
		keeper_link_forget(router->link, name);
}

static void end_channel(LogRouter *router, const struct LoggerMessage *message)
{
	LogChannel *channel = g_hash_table_lookup(router->channels, &message->serial);

	if (!channel)
		return;
	if (message->type == LOGGER_REFUSED)
		log_warning(
			channel->service,
			"it sent file descriptors with its output, so its output is no longer "
			"read");
	forget_channel(router, channel, message->type == LOGGER_END);
}

/* Returns: false if nothing is left to read. */
static bool receive_one(LogRouter *router)
{
	struct LoggerMessage message;
	ssize_t n = recv(router->control_fd, &message, sizeof message, MSG_DONTWAIT);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	if (n == (ssize_t)sizeof message &&
	    (message.type == LOGGER_END || message.type == LOGGER_REFUSED))
		end_channel(router, &message);
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
			/* the logger is gone and all is read; PID 1 reports its exit */
			close_control(router);
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
	gpointer value;

	g_hash_table_iter_init(&iter, router->channels);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		LogChannel *channel = value;

		if (channel->group != group_of(router, channel->service))
			mark(router, channel);
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
	const SpawnParameters request = {
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
		.oom_score_adjust = -500, /* its logs explain why other processes were killed */
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
	keeper_link_keep(router->link, LOGGER_SERVICE "/control/" LOGGER_PROTOCOL, fds[0]);
	router->invocation = next_number(router->invocation);
	router->started_us = loop_now();
	router->is_alive = send_spawn(router, logger_end, error);
	return router->is_alive;
}

static void start_later(LogRouter *router)
{
	router->delay_us = router->delay_us ? MIN(router->delay_us * 2, DELAY_MAX_US) :
					      DELAY_FIRST_US;
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
	gpointer channel;

	g_hash_table_iter_init(&iter, router->channels);
	while (g_hash_table_iter_next(&iter, NULL, &channel))
		mark(router, channel);
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
		while (receive_one(router)) /* messages that it sent before it ended */
			;
	}
	close_control(router);
	mark_all(router);
	log_warning("svc-logger", "ended (code %d, status %d): starting it again", message->code,
		    message->status);
	if (loop_now() - router->started_us >= LIVES_US)
		router->delay_us = 0;
	if (router->delay_us > 0) {
		start_later(router);
		return;
	}
	router->delay_us = DELAY_FIRST_US / 2; /* the first restart is not delayed */
	start_now(router);
}

/* --- channels --- */

static void add_channel(LogRouter *router, const char *service, uint64_t serial, int fd)
{
	LogChannel *channel = g_new0(LogChannel, 1);

	channel->service = g_intern_string(service);
	channel->serial = serial;
	channel->fd = fd;
	g_hash_table_insert(router->channels, &channel->serial, channel);
	mark(router, channel);
}

int log_router_open(LogRouter *router, const char *service, GError **error)
{
	g_autofree char *name = NULL;
	int fds[2];

	if (channel_pair(fds) < 0) {
		fail_errno(error, errno, "cannot make a socket pair");
		return -1;
	}
	channel_widen(fds[1]);
	router->serial = next_number(router->serial);
	add_channel(router, service, router->serial, fds[0]);
	name = channel_name(service, router->serial);
	keeper_link_keep(router->link, name, fds[0]);
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
	router->channels =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, log_channel_free);
	g_queue_init(&router->marked);
	router->control_fd = -1;
	router->restart = timer_new(on_restart, router);
	router->hand_over = timer_new(on_hand_over, router);
	return router;
}

static bool is_socket(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

static bool give_channel(LogRouter *router, const char *service, const char *index, int fd)
{
	uint64_t serial;

	if (!text_parse_uint(index, 10, UINT64_MAX, &serial) ||
	    g_hash_table_contains(router->channels, &serial))
		return false;
	add_channel(router, service, serial, fd);
	return true;
}

void log_router_give_fd(LogRouter *router, const char *service, const char *kind, const char *index,
			int fd)
{
	const bool is_log = strcmp(kind, "log") == 0;
	g_autofree char *name = g_strdup_printf("%s/%s/%s", service, kind, index);

	if (strcmp(service, LOGGER_SERVICE) == 0 && strcmp(kind, "control") == 0 &&
	    strcmp(index, LOGGER_PROTOCOL) == 0) {
		watch_control(router, fd);
		return;
	}
	if (is_log && is_socket(fd) && give_channel(router, service, index, fd))
		return;
	fd_close(&fd);
	keeper_link_forget(router->link, name);
	if (is_log)
		log_warning(
			service,
			"an older svcd gave it a pipe for its output; the output is lost until it "
			"is restarted");
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
		/* this logger's control socket is lost; the next logger gets a new one */
		keeper_link_signal(router->link, &id, SIGKILL);
	} else {
		/*
		 * It is unknown which channels the logger has. The logger ignores a channel that it
		 * already has.
		 */
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
	g_hash_table_unref(router->channels);
	g_free(router->program);
	g_free(router->directory);
	g_free(router->cgroup_root);
	g_free(router);
}
