/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-logger and the syslog daemon: what it is sent, and that its troubles are its own.
 */
#include "config.h"

#include <check.h>
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

START_TEST(syslog_gets_every_line_with_its_severity)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	say(session->probe[1], "plain\n<3>bad\n<9>odd\n");

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

	say(session->probe[1], "early\n");
	session_expect_log(session, "probe.log", "early\n");
	syslog = bind_syslog(session->syslog_path);

	expect_syslog(syslog, "<30>", "probe: early");
	session_free(session);
}
END_TEST

START_TEST(syslog_daemons_own_words_are_not_sent_to_it)
{
	Session *session = session_new();
	auto_fd int syslog = bind_syslog(session->syslog_path);
	int own[2];
	int other[2];

	session_open_pipe(session, "rsyslog", own);
	say(own[1], "trouble\n");
	session_expect_log(session, "rsyslog.log", "trouble\n");
	session_open_pipe(session, "probe", other);
	say(other[1], "hello\n");

	expect_syslog(syslog, "<30>", "probe: hello");
	fd_close(&own[1]);
	fd_close(&own[0]);
	fd_close(&other[1]);
	fd_close(&other[0]);
	session_free(session);
}
END_TEST

/* A syslog daemon that hangs fills its socket; nobody else may notice. */
START_TEST(syslog_that_hangs_holds_up_nothing)
{
	Session *session = session_with_probe();
	auto_fd int syslog = bind_syslog(session->syslog_path);

	for (int i = 0; i < 3000; i++)
		say(session->probe[1], "<7>line\n");
	say(session->probe[1], "last\n");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");

	session_free(session);
}
END_TEST

/* Nobody listens yet. A service that says more than is held pushes out what it says itself, and not the words of others. */
START_TEST(a_flood_leaves_the_words_of_others)
{
	Session *session = session_new();
	auto_fd int syslog = -1;
	char text[512] = "";
	int quiet[2];
	int loud[2];

	session_open_pipe(session, "quiet", quiet);
	say(quiet[1], "one word\n");
	session_expect_log(session, "quiet.log", "one word\n");
	session_open_pipe(session, "loud", loud);
	for (unsigned i = 0; i < 6000; i++)
		say(loud[1], "many and many and many words, and then some more of them\n");
	fd_close(&loud[1]);
	session_expect_end(session, "loud");
	syslog = bind_syslog(session->syslog_path);

	ck_assert_int_gt(recv(syslog, text, sizeof text - 1, 0), 0);
	ck_assert_ptr_nonnull(strstr(text, "lines were not sent"));
	expect_syslog(syslog, "<30>", "quiet: one word");
	fd_close(&loud[0]);
	fd_close(&quiet[0]);
	fd_close(&quiet[1]);
	session_free(session);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("logger-syslog");

	ADD_CASE(suite, "syslog", syslog_gets_every_line_with_its_severity,
		 early_lines_reach_a_syslog_that_comes_later, syslog_daemons_own_words_are_not_sent_to_it,
		 syslog_that_hangs_holds_up_nothing, a_flood_leaves_the_words_of_others);
	return suite;
}
