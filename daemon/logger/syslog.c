/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Syslog: a queue of lines for the forwarder. The forwarder's socket has room for a few hundred
 * lines, so the queue grows only without a syslog daemon, or with a slow one.
 */
#include "config.h"

#include "logger/syslog.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "logger/forwarder.h"

#define FACILITY_DAEMON (3 << 3)
#define SEVERITY_INFO 6

/* A forwarder that has ended is started again after this time. */
#define RETRY_US G_USEC_PER_SEC

/* The number of lines that are sent per turn of the main loop. */
#define FLUSH_BATCH 64

/* The held lines of one service. */
typedef struct Share {
	size_t bytes;
} Share;

typedef struct Held {
	char *line;
	size_t length;
	Share *share; /* NULL: svc-logger's own line */
} Held;

struct Syslog {
	char *path;
	int epoll_fd; /* borrowed */
	int fd; /* to the forwarder; -1: there is none */
	pid_t pid; /* of the forwarder; 0: there was none */
	bool is_full; /* the forwarder takes no line now; an event comes when it does */
	GQueue held; /* Held *, owned */
	size_t held_bytes;
	/* service -> Share, owned; no entry is removed, because there are few services */
	GHashTable *shares;
	unsigned n_dropped;
	int64_t next_try_us;
};

static const char *const syslog_daemons[] = { "rsyslog", "syslog-ng",       "syslogd",
					      "syslog",  "busybox-syslogd", "inetutils-syslogd",
					      NULL };

static void held_free(gpointer data)
{
	Held *held = data;

	g_free(held->line);
	g_free(held);
}

/* Takes @line. */
static Held *held_new(Syslog *log, char *line, Share *share)
{
	Held *held = g_new(Held, 1);

	*held = (Held){ .line = line, .length = strlen(line), .share = share };
	log->held_bytes += held->length;
	if (share)
		share->bytes += held->length;
	return held;
}

static void drop_first(Syslog *log)
{
	Held *first = g_queue_pop_head(&log->held);

	log->held_bytes -= first->length;
	if (first->share)
		first->share->bytes -= first->length;
	held_free(first);
}

static Share *share_of(Syslog *log, const char *service)
{
	Share *share = g_hash_table_lookup(log->shares, service);

	if (!share) {
		share = g_new0(Share, 1);
		g_hash_table_insert(log->shares, g_strdup(service), share);
	}
	return share;
}

/* One service gets at most half of the room, so its flood does not push out the lines of others. */
static void hold(Syslog *log, const char *service, char *line)
{
	Share *share = share_of(log, service);

	if (share->bytes + strlen(line) > SYSLOG_HELD_BYTES / 2) {
		log->n_dropped++;
		g_free(line);
		return;
	}
	g_queue_push_tail(&log->held, held_new(log, line, share));
	for (; log->held_bytes > SYSLOG_HELD_BYTES; log->n_dropped++)
		drop_first(log);
}

/* "<N>text", as daemons write for a journal: N is the severity. Returns: the text after it. */
static const char *take_severity(const char *bytes, size_t *length, int *severity)
{
	if (*length < 3 || bytes[0] != '<' || bytes[1] < '0' || bytes[1] > '7' || bytes[2] != '>')
		return bytes;
	*severity = bytes[1] - '0';
	*length -= 3;
	return bytes + 3;
}

/* A new string in the format of the forwarder. */
static char *make_line(const char *service, const char *bytes, size_t length, int64_t realtime_us)
{
	int severity = SEVERITY_INFO;
	const char *text = take_severity(bytes, &length, &severity);

	return g_strdup_printf("%" G_GINT64_FORMAT " <%d> %s: %.*s", realtime_us / G_USEC_PER_SEC,
			       FACILITY_DAEMON | severity, service, (int)length, text);
}

void syslog_send(Syslog *log, const char *service, const char *bytes, size_t length,
		 int64_t realtime_us)
{
	if (length == 0 || g_strv_contains(syslog_daemons, service))
		return;
	hold(log, service, make_line(service, bytes, length, realtime_us));
}

static bool has_forwarder(Syslog *log, int64_t now_us)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET, .data.ptr = log };

	if (log->fd >= 0)
		return true;
	log->next_try_us = now_us + RETRY_US;
	if (log->pid > 0)
		(void)waitpid(log->pid, NULL, WNOHANG); /* the earlier forwarder has ended */
	log->fd = forwarder_start(log->path, &log->pid);
	log->is_full = false;
	if (log->fd >= 0 && epoll_ctl(log->epoll_fd, EPOLL_CTL_ADD, log->fd, &event) < 0)
		fd_close(&log->fd);
	return log->fd >= 0;
}

/* Returns: true if the line is sent or dropped. */
static bool send_one(Syslog *log, const Held *held, int64_t now_us)
{
	if (send(log->fd, held->line, held->length, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ||
	    errno == EMSGSIZE)
		return true;
	if (errno == EAGAIN) {
		log->is_full = true;
	} else if (errno != EINTR && errno != ENOBUFS && errno != ENOMEM) {
		fd_close(&log->fd);
		log->next_try_us = now_us + RETRY_US;
	}
	return false;
}

/* The report precedes the lines that follow the dropped lines. */
static void report_dropped(Syslog *log)
{
	g_autofree char *text = g_strdup_printf(
		"%u lines were not sent: no syslog daemon accepted them", log->n_dropped);

	if (log->n_dropped == 0)
		return;
	log->n_dropped = 0;
	g_queue_push_head(&log->held,
			  held_new(log,
				   make_line("svc-logger", text, strlen(text), g_get_real_time()),
				   NULL));
}

void syslog_on_writable(Syslog *log)
{
	log->is_full = false;
}

void syslog_flush(Syslog *log, int64_t now_us)
{
	if (syslog_next_try(log) == 0 || now_us < log->next_try_us || !has_forwarder(log, now_us))
		return;
	report_dropped(log);
	for (int i = 0; i < FLUSH_BATCH && !g_queue_is_empty(&log->held); i++) {
		if (!send_one(log, g_queue_peek_head(&log->held), now_us))
			return;
		drop_first(log);
	}
}

int64_t syslog_next_try(const Syslog *log)
{
	return log->held.length > 0 && !log->is_full ? MAX(log->next_try_us, 1) : 0;
}

Syslog *syslog_new(const char *path, int epoll_fd)
{
	Syslog *log = g_new0(Syslog, 1);

	log->path = g_strdup(path);
	log->epoll_fd = epoll_fd;
	log->fd = -1;
	log->shares = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_queue_init(&log->held);
	return log;
}

void syslog_free(Syslog *log)
{
	if (!log)
		return;
	fd_close(&log->fd);
	g_queue_clear_full(&log->held, held_free);
	g_hash_table_unref(log->shares);
	g_free(log->path);
	g_free(log);
}
