/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-logger, the program: the output of services and the resulting files, also after a kill or
 * with a full disk.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "logger/line.h"
#include "logger/service-output.h"
#include "protocol/logger-protocol.h"
#include "tests/lib/descriptors.h"
#include "tests/lib/logger-session.h"
#include "tests/lib/suite.h"

START_TEST(lines_of_each_service_go_to_its_file)
{
	Session *session = session_new();
	int one[2];
	int two[2];

	session_open_channel(session, "one", one);
	session_open_channel(session, "two", two);
	write_text(one[1], "first\nsec");
	write_text(two[1], "other\n");
	session_expect_log(session, "one.log", "first\n");
	write_text(one[1], "ond\n");

	session_expect_log(session, "one.log", "first\nsecond\n");
	session_expect_log(session, "two.log", "other\n");
	fd_close(&one[1]);
	session_expect_end(session, "one");
	fd_close(&two[1]);
	session_expect_end(session, "two");
	fd_close(&one[0]);
	fd_close(&two[0]);
	session_free(session);
}
END_TEST

START_TEST(half_line_is_written_at_the_end)
{
	Session *session = session_with_probe();

	write_text(session->probe[1], "no line feed");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");

	session_expect_log(session, "probe.log", "no line feed\n");
	session_free(session);
}
END_TEST

START_TEST(half_line_is_written_when_its_time_is_up)
{
	Session *session = session_with_probe();

	write_text(session->probe[1], "Password: ");

	session_expect_log(session, "probe.log", "Password: \n");
	session_free(session);
}
END_TEST

START_TEST(long_line_is_cut_into_pieces)
{
	Session *session = session_with_probe();
	g_autofree char *bytes = g_strnfill(LINE_BYTES * 2 + 10, 'x');
	g_autofree char *piece = g_strnfill(LINE_BYTES, 'x');
	g_autofree char *expected = g_strdup_printf("%s\n%s\nxxxxxxxxxx\nend\n", piece, piece);

	write_text(session->probe[1], bytes);
	write_text(session->probe[1], "\nend\n");

	session_expect_log(session, "probe.log", expected);
	session_free(session);
}
END_TEST

START_TEST(longest_line_is_not_cut)
{
	Session *session = session_with_probe();
	g_autofree char *bytes = g_strnfill(LINE_BYTES, 'x');
	g_autofree char *expected = g_strdup_printf("%s\nend\n", bytes);

	write_text(session->probe[1], bytes);
	write_text(session->probe[1], "\nend\n");

	/* The line feed after the longest line must not become an empty line. */
	session_expect_log(session, "probe.log", expected);
	session_free(session);
}
END_TEST

START_TEST(file_that_was_deleted_is_made_again)
{
	Session *session = session_with_probe();
	g_autofree char *path = g_build_filename(session->directory, "probe.log", NULL);

	write_text(session->probe[1], "one\n");
	session_expect_log(session, "probe.log", "one\n");
	ck_assert_int_eq(unlink(path), 0);
	write_text(session->probe[1], "two\n");

	session_expect_log(session, "probe.log", "two\n");
	session_free(session);
}
END_TEST

START_TEST(channel_that_is_known_is_skipped)
{
	Session *session = session_with_probe();

	session_hand_over(session, "probe", session->serial, session->probe[0]);
	write_text(session->probe[1], "once\n");

	session_expect_log(session, "probe.log", "once\n");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");
	session_free(session);
}
END_TEST

/* The last bytes that are read arrive together with the descriptor. */
START_TEST(descriptors_end_an_output_and_no_other)
{
	Session *session = session_with_probe();
	int other[2];

	session_open_channel(session, "other", other);
	write_text(session->probe[1], "plain\n");
	send_descriptor(session->probe[1], session->probe[0], "hostile\n", 0);
	session_expect_refused(session, "probe");
	write_text(session->probe[1], "never read\n");
	write_text(other[1], "heard\n");

	session_expect_log(session, "other.log", "heard\n");
	session_expect_log(
		session, "probe.log",
		"plain\nhostile\nsvc-logger: file descriptors were sent with this output; it is "
		"no longer read\n");
	fd_close(&other[1]);
	session_expect_end(session, "other");
	fd_close(&other[0]);
	session_free(session);
}
END_TEST

/* Written byte by byte, such a line fills the channel long before the line limit. */
START_TEST(long_line_in_single_bytes_is_read)
{
	Session *session = session_with_probe();

	for (int i = 0; i < 2 * LINE_BYTES / 10; i++)
		write_text(session->probe[1], "x");
	write_text(session->probe[1], "\nend\n");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");
	g_autofree char *text = session_read_log(session, "probe.log");

	ck_assert(g_str_has_suffix(text, "x\nend\n"));
	session_free(session);
}
END_TEST

START_TEST(signals_that_end_others_do_not_end_it)
{
	Session *session = session_with_probe();

	write_text(session->probe[1], "before\n");
	session_expect_log(session, "probe.log", "before\n");
	ck_assert_int_eq(kill(session->pid, SIGTERM), 0);
	ck_assert_int_eq(kill(session->pid, SIGHUP), 0);
	write_text(session->probe[1], "after\n");

	session_expect_log(session, "probe.log", "before\nafter\n");
	session_free(session);
}
END_TEST

/* --- killed --- */

/*
 * More than two channels can hold, but less than LIMIT_LOG_BYTES even if one block is written
 * twice. So the two files contain everything since the last check, at whatever moment the logger
 * dies.
 */
#define N_NUMBERS 1300
#define NUMBER_FORMAT                                                                           \
	"%04d and then something that makes the line as long as most lines are in the logs of " \
	"most daemons\n"

/* Writes numbers as fast as the channel accepts them. */
static pid_t start_counter(int fd)
{
	pid_t pid = fork();

	if (pid == 0) {
		for (int i = 0; i < N_NUMBERS; i++) {
			char line[128];
			int n = g_snprintf(line, sizeof line, NUMBER_FORMAT, i);

			if (write(fd, line, (size_t)n) != n)
				_exit(1);
		}
		_exit(0);
	}
	return pid;
}

static void mark_numbers(const Session *session, const char *name, bool *seen)
{
	g_autofree char *text = session_read_log(session, name);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		int number = atoi(line);

		/* the whole line */
		if (strstr(line, "most daemons\n") == strchr(line, '\n') - strlen("most daemons"))
			seen[CLAMP(number, 0, N_NUMBERS - 1)] = true;
	}
}

static void mark_all_numbers(const Session *session, bool *seen)
{
	mark_numbers(session, "probe.log", seen);
	mark_numbers(session, "probe.log.1", seen);
}

START_TEST(killed_in_the_middle_it_loses_nothing)
{
	Session *session = session_new();
	g_autofree bool *seen = g_new0(bool, N_NUMBERS);
	struct LoggerMessage end;
	uint64_t serial;
	pid_t counter;
	int fds[2];

	serial = session_open_channel(session, "probe", fds);
	counter = start_counter(fds[1]);
	fd_close(&fds[1]);
	for (int i = 0; i < 5; i++) {
		g_usleep((gulong)g_random_int_range(0, 3000)); /* a random moment to die */
		session_kill(session);
		mark_all_numbers(session, seen);
		session_start(session);
		session_hand_over(session, "probe", serial, fds[0]);
	}
	ck_assert_int_eq(recv(session->control, &end, sizeof end, 0), sizeof end);
	ck_assert_int_eq(waitpid(counter, NULL, 0), counter);
	mark_all_numbers(session, seen);

	for (int i = 0; i < N_NUMBERS; i++)
		ck_assert_msg(seen[i], "line %d is missing", i);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

/* --- floods --- */

#define FLOOD_LINE_BYTES 8000

/* Writes for @n_us microseconds as fast as the channel accepts. Returns: the number of bytes. */
static int64_t flood(int fd, int64_t n_us)
{
	const int64_t until_us = g_get_monotonic_time() + n_us;
	g_autofree char *line = g_strnfill(FLOOD_LINE_BYTES, 'x');
	int64_t total = 0;

	line[FLOOD_LINE_BYTES - 1] = '\n';
	ck_assert(fd_set_nonblocking(fd, true));
	while (g_get_monotonic_time() < until_us) {
		const ssize_t n = write(fd, line, FLOOD_LINE_BYTES); /* can be partial */

		total += MAX(n, 0);
		if (n < 0)
			g_usleep(200);
	}
	return total;
}

/* Only the flooding writer waits. When it has ended, the rest of its output is read at once. */
START_TEST(flood_is_read_at_a_limited_rate)
{
	Session *session = session_with_probe();
	const int64_t began_us = g_get_monotonic_time();
	int64_t total;
	int64_t most;
	int other[2];

	session_open_channel(session, "other", other);
	total = flood(session->probe[1], 1500 * G_TIME_SPAN_MILLISECOND);
	most = LIMIT_LOG_BURST_BYTES +
	       (g_get_monotonic_time() - began_us) *
		       (LIMIT_LOG_FLOOD_BYTES + LIMIT_LOG_RATE_BYTES) / G_USEC_PER_SEC +
	       4 * OUTPUT_BLOCK_BYTES;
	ck_assert_int_lt(total, most);
	write_text(other[1], "a word\n");
	session_expect_log(session, "other.log", "a word\n");

	ck_assert(fd_set_nonblocking(session->probe[1], false));
	write_text(session->probe[1], "\nthe last word");
	fd_close(&session->probe[1]);
	session_expect_end(session, "probe");
	g_autofree char *text = session_read_log(session, "probe.log");
	ck_assert(g_str_has_suffix(text, "\nthe last word\n"));
	fd_close(&other[1]);
	fd_close(&other[0]);
	session_free(session);
}
END_TEST

/* --- disk full --- */

START_TEST(full_disk_is_survived_and_reported_later)
{
	Session *session = session_new();
	g_autofree char *filler = g_build_filename(session->directory, "filler", NULL);
	g_autofree char *fill = NULL;
	g_autofree char *seen = NULL;
	int64_t deadline = g_get_monotonic_time() + DEADLINE_US;
	int fds[2];

	session_kill(session);
	ck_assert_int_eq(g_mkdir_with_parents(session->directory, 0755), 0);
	ck_assert_int_eq(mount("tmpfs", session->directory, "tmpfs", 0, "size=64k"), 0);
	session_start(session);
	fill = g_strdup_printf("dd if=/dev/zero of=%s bs=1k 2>/dev/null; test -s %s", filler,
			       filler);
	session_open_channel(session, "probe", fds);
	write_text(fds[1], "before\n");
	session_expect_log(session, "probe.log", "before\n");
	ck_assert_int_eq(system(fill), 0);
	for (int i = 0; i < 1000; i++) /* more than the free part of the last page */
		write_text(fds[1], "lost lost lost lost lost\n");
	write_text(fds[1], "end of loss\n");
	/* When the channel is empty, all has been read: a full disk does not stop the service. */
	for (int left = 1; left > 0 && g_get_monotonic_time() < deadline;)
		ck_assert_int_eq(ioctl(fds[0], FIONREAD, &left), 0);
	ck_assert_int_eq(unlink(filler), 0);
	write_text(fds[1], "after\n");
	fd_close(&fds[1]);
	session_expect_end(session, "probe");

	seen = session_read_log(session, "probe.log");
	/* A small block may fit where a large block did not. So the test checks only the order. */
	ck_assert_msg(strstr(seen, " lines were lost here: No space left on device\n") != NULL,
		      "%s", seen);
	ck_assert_msg(g_str_has_suffix(seen, "\nafter\n"), "%s", seen);
	fd_close(&fds[0]);
	fd_close(&session->control);
	ck_assert_int_eq(waitpid(session->pid, NULL, 0), session->pid);
	/* Another test that looks at the mounts at this moment would make umount() fail. */
	ck_assert_int_eq(umount2(session->directory, MNT_DETACH), 0);
	tree_free(session->tree);
	g_free(session->directory);
	g_free(session->syslog_path);
	g_free(session);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("logger");

	ADD_CASE(suite, "lines", lines_of_each_service_go_to_its_file,
		 half_line_is_written_at_the_end, half_line_is_written_when_its_time_is_up,
		 long_line_is_cut_into_pieces, longest_line_is_not_cut,
		 file_that_was_deleted_is_made_again, channel_that_is_known_is_skipped,
		 descriptors_end_an_output_and_no_other, long_line_in_single_bytes_is_read,
		 signals_that_end_others_do_not_end_it);
	ADD_CASE(suite, "floods", flood_is_read_at_a_limited_rate);
	suite_add_loop(suite, "killed", killed_in_the_middle_it_loses_nothing, 20);
	if (geteuid() == 0)
		ADD_CASE(suite, "as root", full_disk_is_survived_and_reported_later);
	return suite;
}
