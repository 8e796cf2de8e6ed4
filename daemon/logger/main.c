/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-logger: writes the output of services into one file per service, and passes it on to syslog.
 *
 * It has one thread and uses epoll(7). The manager passes it log channels
 * (protocol/logger-protocol.h), and it reports the end of each channel. It is never stopped: it
 * runs until the manager's end of the control socket and all channels are closed. If it is killed,
 * the next svc-logger continues (service-output.h). Calls that may never return are made in
 * children (child.h).
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "logger/child.h"
#include "logger/line.h"
#include "logger/log-file.h"
#include "logger/service-output.h"
#include "protocol/logger-protocol.h"

#define OWN_NAME "svc-logger"

/* The number of kernel events, and of messages from the manager, that are handled per turn. */
#define EVENT_BATCH 64
#define CONTROL_BATCH 32

typedef struct Logger {
	ServiceOutputContext context;
	int epoll_fd;
	bool is_closed; /* the manager's end of the control socket is gone for good */
	GHashTable *outputs; /* &serial -> ServiceOutput, owned */
	GQueue more; /* ServiceOutput *: outputs to read again without an event */
	GQueue floods; /* ServiceOutput *: outputs to read in turn, one block each, ... */
	int64_t flood_us; /* ... and not before this time */
	GQueue ends; /* struct LoggerMessage *: unsent reports of ended channels */
	int64_t partial_us; /* no half line is due before this time; 0: there is none */
} Logger;

static void log_own_line(Logger *logger, const char *text)
{
	g_autoptr(GString) line = g_string_new(NULL);
	char stamp[40];

	line_stamp(stamp, sizeof stamp, g_get_real_time());
	line_append(line, stamp, text, strlen(text));
	/* there is no other place for the line */
	(void)service_output_append(&logger->context, OWN_NAME, line->str, line->len);
}

/* --- the control socket --- */

static void watch_control(Logger *logger)
{
	struct epoll_event event = {
		.events = EPOLLIN | (g_queue_is_empty(&logger->ends) ? 0u : (uint32_t)EPOLLOUT)
	};

	if (!logger->is_closed)
		/* the control socket is in the set */
		(void)epoll_ctl(logger->epoll_fd, EPOLL_CTL_MOD, LOGGER_CONTROL_FD, &event);
}

static void send_ends(Logger *logger)
{
	struct LoggerMessage *end;

	while (!logger->is_closed && (end = g_queue_peek_head(&logger->ends))) {
		if (send(LOGGER_CONTROL_FD, end, sizeof *end, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
		    errno == EAGAIN)
			break;
		g_free(g_queue_pop_head(&logger->ends)); /* sent, or the manager is gone */
	}
	watch_control(logger);
}

static int take_fd(struct msghdr *header)
{
	int taken = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			fd_close(&taken);
			taken = fd;
		}
	}
	return taken;
}

/* A user's svcd sends no group, and could not set one. */
static void set_group(Logger *logger, const struct LoggerMessage *message)
{
	const bool is_possible = geteuid() == 0 && logger->context.directory_fd >= 0;
	const int error = is_possible ? log_file_set_group(logger->context.directory_fd,
							   message->service, message->group) :
					0;
	g_autofree char *text = NULL;

	if (!error)
		return;
	text = g_strdup_printf("cannot let group %u read the log of %s: %s", message->group,
			       message->service, g_strerror(error));
	log_own_line(logger, text);
}

static void add_output(Logger *logger, const char *service, uint64_t serial, int channel_fd)
{
	auto_fd int fd = channel_fd;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	ServiceOutput *output;

	if (!log_file_name_is_safe(service) || g_hash_table_contains(logger->outputs, &serial))
		return;
	output = service_output_new(&logger->context, service, serial, fd_steal(&fd));
	event.data.ptr = output;
	if (epoll_ctl(logger->epoll_fd, EPOLL_CTL_ADD, output->fd, &event) < 0) {
		g_autofree char *text = g_strdup_printf("cannot read the output of %s: %s", service,
							g_strerror(errno));

		log_own_line(logger, text);
		service_output_free(output);
		return;
	}
	g_hash_table_insert(logger->outputs, &output->serial, output);
}

/* Returns: false if there is no more to read. */
static bool receive_one(Logger *logger)
{
	struct LoggerMessage message = { 0 };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int) * 4)];
	} control;
	struct iovec iov = { .iov_base = &message, .iov_len = sizeof message };
	struct msghdr header = { .msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.space,
				 .msg_controllen = sizeof control.space };
	ssize_t n = recvmsg(LOGGER_CONTROL_FD, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	auto_fd int fd = -1;

	if (n < 0)
		return errno == EINTR;
	if (n == 0) {
		logger->is_closed = true;
		/* the control socket is in the set */
		(void)epoll_ctl(logger->epoll_fd, EPOLL_CTL_DEL, LOGGER_CONTROL_FD, NULL);
		return false;
	}
	fd = take_fd(&header);
	message.service[sizeof message.service - 1] = '\0';
	if (n == (ssize_t)sizeof message && message.type == LOGGER_CHANNEL && fd >= 0) {
		set_group(logger, &message);
		add_output(logger, message.service, message.serial, fd_steal(&fd));
	}
	return true;
}

static void handle_control(Logger *logger)
{
	for (int i = 0; i < CONTROL_BATCH && receive_one(logger); i++)
		;
	send_ends(logger);
}

/* --- outputs --- */

static void end_output(Logger *logger, ServiceOutput *output, enum LoggerMessageType type)
{
	struct LoggerMessage *end = g_new0(struct LoggerMessage, 1);

	end->type = type;
	end->serial = output->serial;
	g_strlcpy(end->service, output->service, sizeof end->service);
	g_queue_push_tail(&logger->ends, end);
	/*
	 * Closing is not enough, because PID 1 and the manager have the same open file, and
	 * epoll(7) would keep reporting it.
	 */
	(void)epoll_ctl(logger->epoll_fd, EPOLL_CTL_DEL, output->fd, NULL); /* it is in the set */
	/*
	 * The manager closes its copies later. It may hand over the channel again before it reads
	 * this message.
	 */
	if (type == LOGGER_REFUSED)
		child_close(fd_steal(&output->fd));
	g_hash_table_remove(logger->outputs, &output->serial);
	send_ends(logger);
}

static void note_partial(Logger *logger, const ServiceOutput *output)
{
	if (output->partial_at_us &&
	    (!logger->partial_us || output->partial_at_us < logger->partial_us))
		logger->partial_us = output->partial_at_us;
}

/* Moves @output to the end of @queue, or out of any queue if @queue is NULL. */
static void wait_in(GQueue *queue, ServiceOutput *output)
{
	if (output->waits_in == queue)
		return;
	if (output->waits_in)
		(void)g_queue_remove(output->waits_in, output);
	output->waits_in = queue;
	if (queue)
		g_queue_push_tail(queue, output);
}

/* Returns: the cost of the read. @output may be freed. */
static int64_t read_output(Logger *logger, ServiceOutput *output, bool all)
{
	const ServiceOutputResult result = service_output_read(output, all, g_get_monotonic_time());
	const int64_t cost = output->cost;

	switch (result) {
	case OUTPUT_WAIT:
		output->is_ending = false;
		output->is_hung_up = false;
		note_partial(logger, output);
		break;
	case OUTPUT_MORE:
		output->is_ending = all;
		note_partial(logger, output);
		wait_in(&logger->more, output);
		break;
	case OUTPUT_END:
		wait_in(NULL, output);
		end_output(logger, output, LOGGER_END);
		break;
	case OUTPUT_REFUSED:
		wait_in(NULL, output);
		end_output(logger, output, LOGGER_REFUSED);
		break;
	}
	return cost;
}

/* Floods are read in turn, and their writers wait meanwhile. Without writers there is no flood. */
static void read_in_turn(Logger *logger, ServiceOutput *output, bool all)
{
	if (!output->is_hung_up && service_output_is_flood(output, g_get_monotonic_time())) {
		output->is_ending = output->is_ending || all;
		wait_in(&logger->floods, output);
		return;
	}
	wait_in(NULL, output);
	read_output(logger, output, all);
}

static void on_output(Logger *logger, ServiceOutput *output, bool is_hung_up)
{
	output->is_hung_up = output->is_hung_up || is_hung_up;
	read_in_turn(logger, output, is_hung_up);
}

static void read_queued(Logger *logger)
{
	for (guint n = g_queue_get_length(&logger->more); n > 0 && !g_queue_is_empty(&logger->more);
	     n--) {
		ServiceOutput *output = g_queue_peek_head(&logger->more);

		read_in_turn(logger, output, output->is_ending);
	}
}

static void read_floods(Logger *logger, int64_t now_us)
{
	ServiceOutput *output = g_queue_peek_head(&logger->floods);
	int64_t cost;

	if (!output || now_us < logger->flood_us)
		return;
	wait_in(NULL, output);
	cost = read_output(logger, output, output->is_ending);
	logger->flood_us = now_us + cost * G_USEC_PER_SEC / LIMIT_LOG_FLOOD_BYTES;
}

/*
 * Writes half lines that are due. Most outputs have none, so the outputs are examined only if there
 * may be one.
 */
static void write_partials(Logger *logger, int64_t now_us)
{
	GHashTableIter iter;
	gpointer value;
	int64_t next_us = 0;

	if (!logger->partial_us || logger->partial_us > now_us)
		return;
	g_hash_table_iter_init(&iter, logger->outputs);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		ServiceOutput *output = value;

		if (output->partial_at_us == 0)
			continue;
		if (output->partial_at_us <= now_us) {
			output->is_ending = true;
			if (!output->waits_in)
				wait_in(&logger->more, output);
		} else if (next_us == 0 || output->partial_at_us < next_us) {
			next_us = output->partial_at_us;
		}
	}
	logger->partial_us = next_us;
}

/* --- main loop --- */

static int wait_ms(const Logger *logger, int64_t now_us)
{
	int64_t next_us = syslog_next_try(logger->context.syslog);

	if (logger->more.length > 0)
		return 0;
	if (logger->partial_us && (!next_us || logger->partial_us < next_us))
		next_us = logger->partial_us;
	if (logger->floods.length > 0 && (!next_us || logger->flood_us < next_us))
		next_us = MAX(logger->flood_us, 1);
	if (!next_us)
		return -1;
	return (int)CLAMP((next_us - now_us + 999) / 1000, 0, 60000);
}

static void turn(Logger *logger)
{
	struct epoll_event events[EVENT_BATCH];
	int64_t now_us = g_get_monotonic_time();
	int n;

	write_partials(logger, now_us);
	n = epoll_wait(logger->epoll_fd, events, EVENT_BATCH, wait_ms(logger, now_us));
	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == logger->context.syslog)
			syslog_on_writable(logger->context.syslog);
		else if (events[i].data.ptr)
			on_output(logger, events[i].data.ptr, events[i].events & EPOLLHUP);
		else
			handle_control(logger);
	}
	read_queued(logger);
	read_floods(logger, g_get_monotonic_time());
	syslog_flush(logger->context.syslog, g_get_monotonic_time());
}

static void raise_limits(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		/* on failure fewer services can be logged */
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
}

/*
 * TERM asks all processes to end. The logger must write the last lines of the others, so it ignores
 * TERM and ends after them.
 */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE };

	for (size_t i = 0; i < G_N_ELEMENTS(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
}

/* Returns: false with errno. */
static bool logger_init(Logger *logger, const char *directory, const char *syslog_path)
{
	struct epoll_event event = { .events = EPOLLIN };

	service_output_context_init(&logger->context, directory);
	logger->outputs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
						(GDestroyNotify)service_output_free);
	g_queue_init(&logger->more);
	g_queue_init(&logger->floods);
	g_queue_init(&logger->ends);
	logger->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (logger->epoll_fd < 0 ||
	    epoll_ctl(logger->epoll_fd, EPOLL_CTL_ADD, LOGGER_CONTROL_FD, &event) < 0)
		return false;
	logger->context.syslog = syslog_new(syslog_path, logger->epoll_fd);
	return true;
}

static void logger_clear(Logger *logger)
{
	g_hash_table_unref(logger->outputs);
	g_queue_clear(&logger->more);
	g_queue_clear(&logger->floods);
	g_queue_clear_full(&logger->ends, g_free);
	syslog_free(logger->context.syslog);
	service_output_context_clear(&logger->context);
	fd_close(&logger->epoll_fd);
}

int main(int argc, char **argv)
{
	Logger logger = { .epoll_fd = -1 };

	if (argc < 2 || argc > 3) {
		(void)fputs("usage: svc-logger DIRECTORY [SYSLOG-SOCKET], with a control socket on "
			    "descriptor 3\n",
			    stderr);
		return EXIT_FAILURE;
	}
	ignore_signals();
	raise_limits();
	log_open(OWN_NAME, STDERR_FILENO, FALSE);
	if (!logger_init(&logger, argv[1], argc == 3 ? argv[2] : "/dev/log")) {
		log_error(NULL, "cannot watch the control socket: %s", g_strerror(errno));
		return EXIT_FAILURE;
	}
	while (!logger.is_closed || g_hash_table_size(logger.outputs) > 0)
		turn(&logger);
	logger_clear(&logger);
	return EXIT_SUCCESS;
}
