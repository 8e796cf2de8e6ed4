/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-logger: its parts, and the program itself, killed in the middle of its work too.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/tree.h"
#include "base/fd.h"
#include "base/limits.h"
#include "logger/line.h"
#include "logger/log-file.h"
#include "protocol/logger-protocol.h"
#include "tests/lib/suite.h"

#define DEADLINE_US (30 * G_USEC_PER_SEC)

/* --- lines --- */

static const struct {
	const char *bytes;
	size_t length;
	const char *line;
} lines[] = {
	{ "hello", 5, "T hello\n" },
	{ "", 0, "T \n" },
	{ "a\tb", 3, "T a\tb\n" },
	{ "a\0b", 3, "T a\\x00b\n" },
	{ "\033[31mred", 8, "T \\x1b[31mred\n" },
	{ "dos\r", 4, "T dos\n" },
	{ "over\rwrite", 10, "T over\\x0dwrite\n" },
	{ "\177", 1, "T \\x7f\n" },
	{ "gr\303\274n", 5, "T gr\303\274n\n" },
	{ "\377\376", 2, "T \377\376\n" },
};

START_TEST(bytes_become_a_line)
{
	g_autoptr(GString) out = g_string_new(NULL);

	line_append(out, "T", lines[_i].bytes, lines[_i].length);

	ck_assert_str_eq(out->str, lines[_i].line);
}
END_TEST

START_TEST(time_is_written_in_utc_with_milliseconds)
{
	char stamp[40];

	line_stamp(stamp, sizeof stamp, 0);
	ck_assert_str_eq(stamp, "1970-01-01T00:00:00.000Z");
	line_stamp(stamp, sizeof stamp, 1795257067042999);
	ck_assert_str_eq(stamp, "2026-11-21T10:31:07.042Z");
}
END_TEST

/* --- files --- */

static const char *const bad_names[] = { "", ".", "..", ".hidden", "a/b", "/a", "../a" };

START_TEST(name_that_is_no_file_name_is_refused)
{
	ck_assert(!log_file_name_is_safe(bad_names[_i]));
}
END_TEST

static char *read_file(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);
	char *text = NULL;

	if (!g_file_get_contents(whole, &text, NULL, NULL))
		text = g_strdup("");
	return text;
}

START_TEST(long_file_is_rotated_once)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *line = g_strnfill(1024, 'x');
	g_autofree char *now = NULL;
	g_autofree char *before = NULL;

	line[1023] = '\n';
	for (int i = 0; i < LIMIT_LOG_BYTES / 1024 * 3 + 1; i++) {
		line[0] = (char)('A' + i * 1024 / LIMIT_LOG_BYTES);
		ck_assert_int_eq(log_file_append(fd, "probe", line, 1024), 0);
	}
	now = read_file(tree, "/probe.log");
	before = read_file(tree, "/probe.log.1");

	ck_assert_uint_eq(strlen(now), 1024);
	ck_assert_int_eq(now[0], 'D');
	ck_assert_uint_eq(strlen(before), LIMIT_LOG_BYTES);
	ck_assert_int_eq(before[0], 'C');
}
END_TEST

START_TEST(half_a_line_of_a_killed_logger_is_ended)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *text = NULL;

	tree_write(tree, "/probe.log", "whole\nha");
	ck_assert_int_eq(log_file_append(fd, "probe", "half\n", 5), 0);
	text = read_file(tree, "/probe.log");

	ck_assert_str_eq(text, "whole\nha\nhalf\n");
}
END_TEST

START_TEST(file_that_is_none_is_not_written_to)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *fifo = tree_path(tree, "/fifo.log");

	tree_write(tree, "/target", "");
	tree_symlink(tree, "target", "/link.log");
	tree_mkdir(tree, "/directory.log");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);

	ck_assert_int_eq(log_file_append(fd, "link", "x\n", 2), ELOOP);
	ck_assert_int_eq(log_file_append(fd, "directory", "x\n", 2), EISDIR);
	ck_assert_int_eq(log_file_append(fd, "fifo", "x\n", 2), EINVAL);
	ck_assert_int_eq(log_file_append(fd, "a/b", "x\n", 2), EINVAL);
}
END_TEST

static void expect_group(const Tree *tree, const char *path, gid_t group)
{
	g_autofree char *whole = tree_path(tree, path);
	struct stat st;

	ck_assert_int_eq(stat(whole, &st), 0);
	ck_assert_int_eq((int)st.st_gid, (int)group);
	ck_assert_int_eq((int)(st.st_mode & 07777), 0640);
}

/* Only root can give a file to a group that is not its own, so everybody else sees a sentence and root's file. */
START_TEST(a_log_is_readable_by_its_group_also_after_a_rotation)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g_autofree char *line = g_strnfill(1024, 'x');

	line[1023] = '\n';
	if (geteuid() != 0) {
		ck_assert_int_eq(log_file_set_group(fd, "probe", 12345), EPERM);
		return;
	}
	ck_assert_int_eq(log_file_set_group(fd, "probe", 12345), 0); /* before the first line */
	for (int i = 0; i < LIMIT_LOG_BYTES / 1024 + 1; i++)
		ck_assert_int_eq(log_file_append(fd, "probe", line, 1024), 0);
	expect_group(tree, "/probe.log", 12345);
	expect_group(tree, "/probe.log.1", 12345);

	ck_assert_int_eq(log_file_set_group(fd, "probe", 0), 0);
	expect_group(tree, "/probe.log", 0);
	expect_group(tree, "/probe.log.1", 0);
}
END_TEST

START_TEST(no_group_makes_no_file_and_no_link_is_followed)
{
	g_autoptr(Tree) tree = tree_new();
	auto_fd int fd = open(tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	tree_write(tree, "/target", "");
	tree_symlink(tree, "target", "/link.log");
	ck_assert_int_eq(log_file_set_group(fd, "probe", 0), 0);
	ck_assert(faccessat(fd, "probe.log", F_OK, 0) < 0);
	ck_assert_int_eq(log_file_set_group(fd, "link", 12345), ELOOP);
	ck_assert_int_eq(log_file_set_group(fd, "link", 0), ELOOP);
	ck_assert_int_eq(log_file_set_group(fd, "../x", 12345), EINVAL);
}
END_TEST

/* --- the program --- */

typedef struct Session {
	Tree *tree;
	char *directory;
	char *syslog_path;
	pid_t pid;
	int control;
} Session;

static void session_start(Session *session)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	session->pid = fork();
	if (session->pid == 0) {
		(void)dup2(fds[1], LOGGER_CONTROL_FD);
		(void)execl(SVC_LOGGER, "svc-logger", session->directory, session->syslog_path, NULL);
		_exit(126);
	}
	(void)close(fds[1]);
	session->control = fds[0];
}

static void session_kill(Session *session)
{
	ck_assert_int_eq(kill(session->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(session->pid, NULL, 0), session->pid);
	fd_close(&session->control);
}

static Session *session_new(void)
{
	Session *session = g_new0(Session, 1);

	session->tree = tree_new();
	session->directory = tree_path(session->tree, "/log/deep");
	session->syslog_path = tree_path(session->tree, "/dev-log");
	session_start(session);
	return session;
}

/* It ends by itself when nobody can talk to it and nothing is left to read. */
static void session_free(Session *session)
{
	int status;

	fd_close(&session->control);
	ck_assert_int_eq(waitpid(session->pid, &status, 0), session->pid);
	ck_assert_int_eq(status, 0);
	tree_free(session->tree);
	g_free(session->directory);
	g_free(session->syslog_path);
	g_free(session);
}

static void hand_over(const Session *session, const char *service, uint64_t invocation, int fd)
{
	struct LoggerMessage body = { .type = LOGGER_PIPE, .invocation = invocation };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .space = { 0 } };
	struct iovec iov = { .iov_base = &body, .iov_len = sizeof body };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
				  .msg_controllen = sizeof control.space };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	g_strlcpy(body.service, service, sizeof body.service);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof fd);
	ck_assert_int_eq(sendmsg(session->control, &message, 0), sizeof body);
}

/* A new pipe whose read end the logger has; the read end stays open here too, as it does in the keeper. */
static void open_pipe(const Session *session, const char *service, int fds[2])
{
	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	hand_over(session, service, 1, fds[0]);
}

static void say(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void expect_end(const Session *session, const char *service)
{
	struct LoggerMessage message;

	ck_assert_int_eq(recv(session->control, &message, sizeof message, 0), sizeof message);
	ck_assert_uint_eq(message.type, LOGGER_END);
	ck_assert_uint_eq(message.invocation, 1);
	ck_assert_str_eq(message.service, service);
}

/* The texts of the lines, without their times. */
static char *read_log(const Session *session, const char *name)
{
	g_autofree char *path = g_strdup_printf("/log/deep/%s", name);
	g_autofree char *text = read_file(session->tree, path);
	g_auto(GStrv) all = g_strsplit(text, "\n", -1);
	GString *out = g_string_new(NULL);

	for (char **line = all; *line && **line; line++) {
		if (strlen(*line) > 24) /* or half a time, of a logger that was killed */
			g_string_append_printf(out, "%s\n", *line + 25);
	}
	return g_string_free(out, FALSE);
}

static void expect_log(const Session *session, const char *name, const char *text)
{
	int64_t deadline = g_get_monotonic_time() + DEADLINE_US;
	g_autofree char *seen = read_log(session, name);

	while (strcmp(seen, text) != 0 && g_get_monotonic_time() < deadline) {
		g_usleep(2000); /* between looks, not instead of them */
		g_free(seen);
		seen = read_log(session, name);
	}
	ck_assert_str_eq(seen, text);
}

START_TEST(lines_of_each_service_go_to_its_file)
{
	Session *session = session_new();
	int one[2];
	int two[2];

	open_pipe(session, "one", one);
	open_pipe(session, "two", two);
	say(one[1], "first\nsec");
	say(two[1], "other\n");
	expect_log(session, "one.log", "first\n");
	say(one[1], "ond\n");

	expect_log(session, "one.log", "first\nsecond\n");
	expect_log(session, "two.log", "other\n");
	fd_close(&one[1]);
	expect_end(session, "one");
	fd_close(&two[1]);
	expect_end(session, "two");
	fd_close(&one[0]);
	fd_close(&two[0]);
	session_free(session);
}
END_TEST

START_TEST(half_line_is_written_at_the_end)
{
	Session *session = session_new();
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "no line feed");
	fd_close(&fds[1]);
	expect_end(session, "probe");

	expect_log(session, "probe.log", "no line feed\n");
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(half_line_is_written_when_its_time_is_up)
{
	Session *session = session_new();
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "Password: ");

	expect_log(session, "probe.log", "Password: \n");
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(long_line_is_cut_into_pieces)
{
	Session *session = session_new();
	g_autofree char *bytes = g_strnfill(LINE_BYTES * 2 + 10, 'x');
	g_autofree char *piece = g_strnfill(LINE_BYTES, 'x');
	g_autofree char *expected = g_strdup_printf("%s\n%s\nxxxxxxxxxx\nend\n", piece, piece);
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], bytes);
	say(fds[1], "\nend\n");

	expect_log(session, "probe.log", expected);
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(longest_line_is_not_cut)
{
	Session *session = session_new();
	g_autofree char *bytes = g_strnfill(LINE_BYTES, 'x');
	g_autofree char *expected = g_strdup_printf("%s\nend\n", bytes);
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], bytes);
	say(fds[1], "\nend\n");

	/* The line feed that follows the longest line must not become an empty line. */
	expect_log(session, "probe.log", expected);
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(file_that_was_deleted_is_made_again)
{
	Session *session = session_new();
	g_autofree char *path = g_build_filename(session->directory, "probe.log", NULL);
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "one\n");
	expect_log(session, "probe.log", "one\n");
	ck_assert_int_eq(unlink(path), 0);
	say(fds[1], "two\n");

	expect_log(session, "probe.log", "two\n");
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(pipe_that_is_known_is_passed_over)
{
	Session *session = session_new();
	int fds[2];

	open_pipe(session, "probe", fds);
	hand_over(session, "probe", 1, fds[0]);
	say(fds[1], "once\n");

	expect_log(session, "probe.log", "once\n");
	fd_close(&fds[1]);
	expect_end(session, "probe");
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(signals_that_end_others_do_not_end_it)
{
	Session *session = session_new();
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "before\n");
	expect_log(session, "probe.log", "before\n");
	ck_assert_int_eq(kill(session->pid, SIGTERM), 0);
	ck_assert_int_eq(kill(session->pid, SIGHUP), 0);
	say(fds[1], "after\n");

	expect_log(session, "probe.log", "before\nafter\n");
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

/*
 * More than two pipes full, and written out with one block twice still less than LIMIT_LOG_BYTES: so the two files hold
 * all that was written since the last look, however the logger dies.
 */
#define N_NUMBERS 1300
#define NUMBER_FORMAT "%04d and then something that makes the line as long as most lines are in the logs of most daemons\n"

/* Writes numbers as fast as the pipe takes them. */
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
	g_autofree char *text = read_log(session, name);

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		int number = atoi(line);

		if (strstr(line, "most daemons\n") == strchr(line, '\n') - strlen("most daemons")) /* the whole line */
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
	pid_t counter;
	int fds[2];

	open_pipe(session, "probe", fds);
	counter = start_counter(fds[1]);
	fd_close(&fds[1]);
	for (int i = 0; i < 5; i++) {
		g_usleep((gulong)g_random_int_range(0, 3000)); /* a random moment to die in */
		session_kill(session);
		mark_all_numbers(session, seen);
		session_start(session);
		hand_over(session, "probe", 1, fds[0]);
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

/* --- syslog --- */

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
	Session *session = session_new();
	auto_fd int syslog = bind_syslog(session->syslog_path);
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "plain\n<3>bad\n<9>odd\n");

	expect_syslog(syslog, "<30>", "probe: plain");
	expect_syslog(syslog, "<27>", "probe: bad");
	expect_syslog(syslog, "<30>", "probe: <9>odd");
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(early_lines_reach_a_syslog_that_comes_later)
{
	Session *session = session_new();
	auto_fd int syslog = -1;
	int fds[2];

	open_pipe(session, "probe", fds);
	say(fds[1], "early\n");
	expect_log(session, "probe.log", "early\n");
	syslog = bind_syslog(session->syslog_path);

	expect_syslog(syslog, "<30>", "probe: early");
	fd_close(&fds[1]);
	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

START_TEST(syslog_daemons_own_words_are_not_sent_to_it)
{
	Session *session = session_new();
	auto_fd int syslog = bind_syslog(session->syslog_path);
	int own[2];
	int other[2];

	open_pipe(session, "rsyslog", own);
	say(own[1], "trouble\n");
	expect_log(session, "rsyslog.log", "trouble\n");
	open_pipe(session, "probe", other);
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
	Session *session = session_new();
	auto_fd int syslog = bind_syslog(session->syslog_path);
	int fds[2];

	open_pipe(session, "probe", fds);
	for (int i = 0; i < 3000; i++)
		say(fds[1], "<7>line\n");
	say(fds[1], "last\n");
	fd_close(&fds[1]);
	expect_end(session, "probe");

	fd_close(&fds[0]);
	session_free(session);
}
END_TEST

/* --- disk full --- */

START_TEST(full_disk_is_survived_and_said_later)
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
	fill = g_strdup_printf("dd if=/dev/zero of=%s bs=1k 2>/dev/null; test -s %s", filler, filler);
	open_pipe(session, "probe", fds);
	say(fds[1], "before\n");
	expect_log(session, "probe.log", "before\n");
	ck_assert_int_eq(system(fill), 0);
	for (int i = 0; i < 1000; i++) /* more than the rest of the file's last page holds */
		say(fds[1], "lost lost lost lost lost\n");
	say(fds[1], "end of loss\n");
	/* All is read when the pipe is empty: a full disk stops no service. */
	for (int left = 1; left > 0 && g_get_monotonic_time() < deadline;)
		ck_assert_int_eq(ioctl(fds[0], FIONREAD, &left), 0);
	ck_assert_int_eq(unlink(filler), 0);
	say(fds[1], "after\n");
	fd_close(&fds[1]);
	expect_end(session, "probe");

	seen = read_log(session, "probe.log");
	/* A small block may still have found room where a large one had none; so only the order is certain. */
	ck_assert_msg(strstr(seen, " lines were lost here: No space left on device\n") != NULL, "%s", seen);
	ck_assert_msg(g_str_has_suffix(seen, "\nafter\n"), "%s", seen);
	fd_close(&fds[0]);
	fd_close(&session->control);
	ck_assert_int_eq(waitpid(session->pid, NULL, 0), session->pid);
	ck_assert_int_eq(umount(session->directory), 0);
	tree_free(session->tree);
	g_free(session->directory);
	g_free(session->syslog_path);
	g_free(session);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-logger");
	TCase *parts = tcase_create("parts");
	TCase *program = tcase_create("program");
	TCase *root = tcase_create("as root");

	tcase_add_loop_test(parts, bytes_become_a_line, 0, G_N_ELEMENTS(lines));
	tcase_add_test(parts, time_is_written_in_utc_with_milliseconds);
	tcase_add_loop_test(parts, name_that_is_no_file_name_is_refused, 0, G_N_ELEMENTS(bad_names));
	tcase_add_test(parts, long_file_is_rotated_once);
	tcase_add_test(parts, half_a_line_of_a_killed_logger_is_ended);
	tcase_add_test(parts, file_that_is_none_is_not_written_to);
	tcase_add_test(parts, a_log_is_readable_by_its_group_also_after_a_rotation);
	tcase_add_test(parts, no_group_makes_no_file_and_no_link_is_followed);
	suite_add_tcase(suite, parts);
	tcase_set_timeout(program, 120);
	tcase_add_test(program, lines_of_each_service_go_to_its_file);
	tcase_add_test(program, half_line_is_written_at_the_end);
	tcase_add_test(program, half_line_is_written_when_its_time_is_up);
	tcase_add_test(program, long_line_is_cut_into_pieces);
	tcase_add_test(program, longest_line_is_not_cut);
	tcase_add_test(program, file_that_was_deleted_is_made_again);
	tcase_add_test(program, pipe_that_is_known_is_passed_over);
	tcase_add_test(program, signals_that_end_others_do_not_end_it);
	tcase_add_loop_test(program, killed_in_the_middle_it_loses_nothing, 0, 20);
	tcase_add_test(program, syslog_gets_every_line_with_its_severity);
	tcase_add_test(program, early_lines_reach_a_syslog_that_comes_later);
	tcase_add_test(program, syslog_daemons_own_words_are_not_sent_to_it);
	tcase_add_test(program, syslog_that_hangs_holds_up_nothing);
	suite_add_tcase(suite, program);
	if (geteuid() != 0)
		return suite;
	tcase_set_timeout(root, 120);
	tcase_add_test(root, full_disk_is_survived_and_said_later);
	suite_add_tcase(suite, root);
	return suite;
}
