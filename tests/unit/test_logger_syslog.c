/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-logger and the syslog daemon: forwarded lines, and failures that affect no other output.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/fd.h"
#include "tests/lib/logger-session.h"
#include "tests/lib/suite.h"

static int bind_syslog(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = 30 };

	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
	return fd;
}

/* "<30>Nov 21 10:31:07 probe: text" */
static void expect_syslog(int fd, const char *priority, const char *rest)
{
	char text[512];
	ssize_t n = recv(fd, text, sizeof text - 1, 0);

	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_msg(g_str_has_prefix(text, priority), "%s", text);
	ck_assert_str_eq(text + strlen(priority) + strlen("Nov 21 10:31:07 "), rest);
}

/* The only child of svc-logger; 0: none, or it has ended. */
static pid_t forwarder_of(const Session *session)
{
	g_autofree char *path =
		g_strdup_printf("/proc/%d/task/%d/children", (int)session->pid, (int)session->pid);
	g_autofree char *text = NULL;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	return (pid_t)atoi(text);
}

static void kill_forwarder(const Session *session, int signo)
{
	pid_t pid = forwarder_of(session);

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, signo), 0);
}

START_TEST(syslog_gets_every_line_with_its_severity)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	write_text(session->probe[1], "plain\n<3>bad\n<9>odd\n");

	expect_syslog(syslog, "<30>", "probe: plain");
	expect_syslog(syslog, "<27>", "probe: bad");
	expect_syslog(syslog, "<30>", "probe: <9>odd");
	session_free(session);
}
END_TEST

START_TEST(early_lines_reach_a_syslog_that_comes_later)
{
	Session *session = session_with_probe();
	auto_fd int syslog = -1;

	write_text(session->probe[1], "early\n");
	session_expect_log(session, "probe.log", "early\n");
	syslog = bind_syslog(session->syslog_path);

	expect_syslog(syslog, "<30>", "probe: early");
	session_free(session);
}
END_TEST

START_TEST(syslog_daemons_own_lines_are_not_sent_to_it)
{
	Session *session = session_new();
	auto_fd int syslog = bind_syslog(session->syslog_path);
	int own[2];
	int other[2];

	session_open_channel(session, "rsyslog", own);
	write_text(own[1], "trouble\n");
	session_expect_log(session, "rsyslog.log", "trouble\n");
	session_open_channel(session, "probe", other);
	write_text(other[1], "hello\n");

	expect_syslog(syslog, "<30>", "probe: hello");
	fd_close(&own[1]);
	fd_close(&own[0]);
	fd_close(&other[1]);
	fd_close(&other[0]);
	session_free(session);
}
END_TEST

/* A hanging syslog daemon fills its socket. No other process may be affected. */
START_TEST(syslog_that_hangs_holds_up_nothing)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	for (int i = 0; i < 3000; i++)
		write_text(session->probe[1], "<7>line\n");
	write_text(session->probe[1], "last\n");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");

	session_free(session);
}
END_TEST

static bool line_comes(int fd, const char *text)
{
	char line[512];
	ssize_t n;

	while ((n = recv(fd, line, sizeof line - 1, 0)) > 0) {
		line[n] = '\0';
		if (strstr(line, text))
			return true;
	}
	return false;
}

/*
 * There is no daemon yet. A service that writes more than the buffer holds pushes out only its own
 * lines.
 */
START_TEST(a_flood_leaves_the_lines_of_others)
{
	Session *session = session_new();
	auto_fd int syslog = -1;
	int quiet[2];
	int loud[2];

	session_open_channel(session, "loud", loud);
	for (unsigned i = 0; i < 6000; i++)
		write_text(loud[1], "many and many and many words, and then some more of them\n");
	fd_close(&loud[1]);
	session_expect_end(session, "loud");
	session_open_channel(session, "quiet", quiet);
	write_text(quiet[1], "one word\n");
	session_expect_log(session, "quiet.log", "one word\n");
	syslog = bind_syslog(session->syslog_path);

	ck_assert(line_comes(syslog, "lines were not sent"));
	ck_assert(line_comes(syslog, "quiet: one word"));
	fd_close(&loud[0]);
	fd_close(&quiet[0]);
	fd_close(&quiet[1]);
	session_free(session);
}
END_TEST

/*
 * The forwarder may hang in the lookup of /dev/log. Its death loses lines, and the next forwarder
 * continues.
 */
START_TEST(forwarder_that_dies_is_replaced)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	write_text(session->probe[1], "first\n");
	expect_syslog(syslog, "<30>", "probe: first");
	kill_forwarder(session, SIGKILL);
	write_text(session->probe[1], "second\n");
	write_text(session->probe[1], "third\n");

	ck_assert(line_comes(syslog, "probe: third"));
	session_free(session);
}
END_TEST

START_TEST(stopped_forwarder_holds_up_nothing)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	write_text(session->probe[1], "first\n");
	expect_syslog(syslog, "<30>", "probe: first");
	kill_forwarder(session, SIGSTOP);
	for (int i = 0; i < 3000; i++)
		write_text(session->probe[1], "line\n");
	write_text(session->probe[1], "last\n");
	fd_close(&session->probe[1]);

	session_expect_end(session, "probe");
	session_free(session);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("logger-syslog");

	ADD_CASE(suite, "syslog", syslog_gets_every_line_with_its_severity,
		 early_lines_reach_a_syslog_that_comes_later,
		 syslog_daemons_own_lines_are_not_sent_to_it, syslog_that_hangs_holds_up_nothing,
		 a_flood_leaves_the_lines_of_others, forwarder_that_dies_is_replaced,
		 stopped_forwarder_holds_up_nothing);
	return suite;
}
