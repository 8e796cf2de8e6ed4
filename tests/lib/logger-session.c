/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logger session: a real svc-logger. The test plays the manager and the services.
 */
#include "config.h"

#include "tests/lib/logger-session.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/fd.h"
#include "protocol/logger-protocol.h"

void session_start(Session *session)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	session->pid = fork();
	if (session->pid == 0) {
		(void)dup2(fds[1], LOGGER_CONTROL_FD);
		(void)execl(SVC_LOGGER, "svc-logger", session->directory, session->syslog_path,
			    NULL);
		_exit(126);
	}
	(void)close(fds[1]);
	session->control = fds[0];
}

void session_kill(Session *session)
{
	ck_assert_int_eq(kill(session->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(session->pid, NULL, 0), session->pid);
	fd_close(&session->control);
}

void session_hand_over(const Session *session, const char *service, uint64_t serial, int fd)
{
	struct LoggerMessage body = { .type = LOGGER_CHANNEL, .serial = serial };
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

	g_strlcpy(body.service, service, sizeof body.service);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	ck_assert_int_eq(sendmsg(session->control, &message, 0), sizeof body);
}

uint64_t session_open_channel(const Session *session, const char *service, int fds[2])
{
	static uint64_t serial;

	ck_assert_int_eq(channel_pair(fds), 0);
	channel_widen(fds[1]);
	session_hand_over(session, service, ++serial, fds[0]);
	return serial;
}

Session *session_new(void)
{
	Session *session = g_new0(Session, 1);

	session->tree = tree_new();
	session->directory = tree_path(session->tree, "/log/deep");
	session->syslog_path = tree_path(session->tree, "/dev-log");
	session->probe[0] = session->probe[1] = -1;
	session_start(session);
	return session;
}

Session *session_with_probe(void)
{
	Session *session = session_new();

	session->serial = session_open_channel(session, "probe", session->probe);
	return session;
}

void session_free(Session *session)
{
	int status;

	fd_close(&session->probe[1]);
	fd_close(&session->probe[0]);
	fd_close(&session->control);
	ck_assert_int_eq(waitpid(session->pid, &status, 0), session->pid);
	ck_assert_int_eq(status, 0);
	tree_free(session->tree);
	g_free(session->directory);
	g_free(session->syslog_path);
	g_free(session);
}

void write_text(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect_message(const Session *session, enum LoggerMessageType type, const char *service)
{
	struct LoggerMessage message;

	ck_assert_int_eq(recv(session->control, &message, sizeof message, 0), sizeof message);
	ck_assert_uint_eq(message.type, type);
	ck_assert_str_eq(message.service, service);
}

void session_expect_end(const Session *session, const char *service)
{
	expect_message(session, LOGGER_END, service);
}

void session_expect_refused(const Session *session, const char *service)
{
	expect_message(session, LOGGER_REFUSED, service);
}

char *session_read_log(const Session *session, const char *name)
{
	g_autofree char *path = g_strdup_printf("/log/deep/%s", name);
	g_autofree char *text = tree_read(session->tree, path);
	g_auto(GStrv) all = g_strsplit(text, "\n", -1);
	GString *out = g_string_new(NULL);

	for (char **line = all; *line && **line; line++) {
		if (strlen(*line) > 24) /* a shorter line is half a timestamp of a killed logger */
			g_string_append_printf(out, "%s\n", *line + 25);
	}
	return g_string_free(out, FALSE);
}

void session_expect_log(const Session *session, const char *name, const char *text)
{
	int64_t deadline = g_get_monotonic_time() + DEADLINE_US;
	g_autofree char *seen = session_read_log(session, name);

	while (strcmp(seen, text) != 0 && g_get_monotonic_time() < deadline) {
		g_usleep(2000); /* a pause between checks */
		g_free(seen);
		seen = session_read_log(session, name);
	}
	ck_assert_str_eq(seen, text);
}
