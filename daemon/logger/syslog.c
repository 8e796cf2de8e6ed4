/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Syslog: datagrams in the form of RFC 3164, which every syslog daemon takes on its local socket.
 */
#include "config.h"

#include "logger/syslog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

#define FACILITY_DAEMON (3 << 3)
#define SEVERITY_INFO 6

/* Tries to reach a daemon that is not there come after 1 s, 2 s, 4 s ... */
#define RETRY_FIRST_US G_USEC_PER_SEC
#define RETRY_MAX_US (60 * G_USEC_PER_SEC)

/* Sent in one turn of the main loop. */
#define FLUSH_BATCH 64

/* What of one service is held. */
typedef struct Share {
	size_t bytes;
} Share;

typedef struct Held {
	char *datagram;
	size_t length;
	Share *share; /* NULL: our own word */
} Held;

struct Syslog {
	char *path;
	int fd;
	GQueue held; /* Held *, owned */
	size_t held_bytes;
	GHashTable *shares; /* service -> Share, owned; stays, for services are few */
	unsigned n_dropped;
	int64_t retry_us;
	int64_t next_try_us;
};

static const char *const syslog_daemons[] = { "rsyslog",          "syslog-ng",          "syslogd", "syslog",
					      "busybox-syslogd", "inetutils-syslogd", NULL };

static void held_free(gpointer data)
{
	Held *held = data;

	g_free(held->datagram);
	g_free(held);
}

/* Takes @datagram. */
static Held *held_new(Syslog *log, char *datagram, Share *share)
{
	Held *held = g_new(Held, 1);

	*held = (Held){ .datagram = datagram, .length = strlen(datagram), .share = share };
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

/* One service has at most half of the room: its flood does not push out what others say. */
static void hold(Syslog *log, const char *service, char *datagram)
{
	Share *share = share_of(log, service);

	if (share->bytes + strlen(datagram) > SYSLOG_HELD_BYTES / 2) {
		log->n_dropped++;
		g_free(datagram);
		return;
	}
	g_queue_push_tail(&log->held, held_new(log, datagram, share));
	for (; log->held_bytes > SYSLOG_HELD_BYTES; log->n_dropped++)
		drop_first(log);
}

/* "<N>text", as daemons write for a journal: N is the severity. Returns the text behind it. */
static const char *take_severity(const char *bytes, size_t *length, int *severity)
{
	if (*length < 3 || bytes[0] != '<' || bytes[1] < '0' || bytes[1] > '7' || bytes[2] != '>')
		return bytes;
	*severity = bytes[1] - '0';
	*length -= 3;
	return bytes + 3;
}

static char *make_datagram(const char *service, const char *bytes, size_t length, int64_t realtime_us)
{
	time_t seconds = (time_t)(realtime_us / G_USEC_PER_SEC);
	int severity = SEVERITY_INFO;
	const char *text = take_severity(bytes, &length, &severity);
	char *datagram;
	char date[32] = "Jan  1 00:00:00";
	struct tm local;

	if (localtime_r(&seconds, &local))
		(void)strftime(date, sizeof date, "%b %e %H:%M:%S", &local);
	datagram = g_strdup_printf("<%d>%s %s: %.*s", FACILITY_DAEMON | severity, date, service, (int)length, text);
	return datagram;
}

void syslog_send(Syslog *log, const char *service, const char *bytes, size_t length, int64_t realtime_us)
{
	if (length == 0 || g_strv_contains(syslog_daemons, service))
		return;
	hold(log, service, make_datagram(service, bytes, length, realtime_us));
}

static bool connect_log(Syslog *log)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = -1;

	if (log->fd >= 0)
		return true;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	g_strlcpy(address.sun_path, log->path, sizeof address.sun_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return false;
	log->fd = fd_steal(&fd);
	log->retry_us = 0;
	return true;
}

static void try_later(Syslog *log, int64_t now_us)
{
	log->retry_us = log->retry_us ? MIN(log->retry_us * 2, RETRY_MAX_US) : RETRY_FIRST_US;
	log->next_try_us = now_us + log->retry_us;
}

/* Returns: true when it is gone from our hands. */
static bool send_one(Syslog *log, const Held *held)
{
	if (send(log->fd, held->datagram, held->length, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 || errno == EMSGSIZE)
		return true;
	if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
		fd_close(&log->fd); /* the daemon has gone; a new one has a new socket */
	return false;
}

/* Put in front of what follows it. */
static void say_dropped(Syslog *log)
{
	char *datagram;

	if (log->n_dropped == 0)
		return;
	datagram = g_strdup_printf("<%d>svc-logger: %u lines were not sent: no syslog daemon took them",
				   FACILITY_DAEMON | 4, log->n_dropped);
	log->n_dropped = 0;
	g_queue_push_head(&log->held, held_new(log, datagram, NULL));
}

void syslog_flush(Syslog *log, int64_t now_us)
{
	if (g_queue_is_empty(&log->held) || now_us < log->next_try_us)
		return;
	if (!connect_log(log)) {
		try_later(log, now_us);
		return;
	}
	say_dropped(log);
	for (int i = 0; i < FLUSH_BATCH && !g_queue_is_empty(&log->held); i++) {
		if (!send_one(log, g_queue_peek_head(&log->held))) {
			try_later(log, now_us);
			return;
		}
		log->retry_us = 0;
		drop_first(log);
	}
	log->next_try_us = now_us; /* more of it in the next turn */
}

int64_t syslog_next_try(const Syslog *log)
{
	return log->held.length > 0 ? MAX(log->next_try_us, 1) : 0;
}

Syslog *syslog_new(const char *path)
{
	Syslog *log = g_new0(Syslog, 1);

	log->path = g_strdup(path);
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
