/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invalid messages, descriptors and files of a manager. The keeper continues and loses nothing.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/keeper-stage.h"

#define N_FLOODERS 4

START_TEST(descriptors_of_an_empty_datagram_are_closed)
{
	const unsigned int before = keeper_run_count_open(&run);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	manager_send(&manager, "", 0, fd);

	keeper_next_manager(NULL); /* for the keeper this is the end of the link */
	ck_assert_uint_eq(keeper_run_count_open(&run), before);
	(void)close(fd);
}
END_TEST

static pid_t start_flooder(void)
{
	const struct MessageNote flood = { .header = { MESSAGE_NOTE, sizeof(flood) },
					   .service = "flood",
					   .note = "x" };
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (send(manager.link_fd, &flood, sizeof(flood), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
		    errno != EAGAIN)
			_exit(errno == EPIPE ? 0 : 1);
}

START_TEST(pending_messages_of_a_dead_manager_end_although_its_link_stays_open)
{
	pid_t flooders[N_FLOODERS];
	Manager old = manager;

	for (size_t i = 0; i < N_FLOODERS; i++)
		flooders[i] = start_flooder();
	manager_exit(&old, PROTOCOL_EXIT_REEXEC);

	for (size_t i = 0; i < N_FLOODERS; i++) {
		int status = -1;

		ck_assert_int_eq(waitpid(flooders[i], &status, 0), flooders[i]);
		ck_assert_int_eq(status, 0);
	}
	manager_accept_replayed(&run, &manager, NULL);
	manager_drop(&old);
}
END_TEST

/* If the limit of descriptors is lower than the number that poll(2) gets, poll(2) fails as well. */
START_TEST(a_start_without_space_for_its_descriptors_is_reported)
{
	struct rlimit limit;
	struct rlimit none;
	int fds[3] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
	const Spawn s = { .service = "a",
			  .invocation = 1,
			  .argv = sleep_argv,
			  .flags = SPAWN_STDIO,
			  .fds = fds,
			  .n_fds = 3 };
	Message m;

	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, NULL, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = limit.rlim_max };
	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, &none, NULL), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert(manager_spawn(&manager, &s));
		manager_expect(&manager, MESSAGE_SPAWNED, &m);
		ck_assert_int_eq(m.spawned.error, EMFILE);
	}

	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, &limit, NULL), 0);
	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
}
END_TEST

START_TEST(a_request_to_keep_without_a_descriptor_changes_nothing)
{
	const struct MessageKeep keep = { .header = { MESSAGE_KEEP, sizeof(keep) },
					  .name = "a/log/1" };
	Message m;
	Manager old = manager;

	manager_send(&manager, &keep, sizeof(keep), -1);
	manager_exit(&old, PROTOCOL_EXIT_REEXEC);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	manager_expect(&manager, MESSAGE_WELCOME, &m);
	manager_expect(&manager, MESSAGE_REPLAYED, &m);
	ck_assert_uint_eq(m.replayed.n_fds, 0);
	manager_drop(&old);
}
END_TEST

/* One more note and one more descriptor than the tables hold. */
START_TEST(notes_and_kept_descriptors_are_limited)
{
	struct MessageNote note = { .header = { MESSAGE_NOTE, sizeof(note) }, .note = "x" };
	struct MessageKeep keep = { .header = { MESSAGE_KEEP, sizeof(keep) } };
	Manager old = manager;
	Message m;

	for (int i = 0; i <= PROTOCOL_MAX_NOTES; i++) {
		(void)snprintf(note.service, sizeof(note.service), "note%d", i);
		manager_send(&manager, &note, sizeof(note), -1);
	}
	for (int i = 0; i <= PROTOCOL_MAX_KEPT_FDS; i++) {
		(void)snprintf(keep.name, sizeof(keep.name), "kept/log/%d", i);
		manager_send(&manager, &keep, sizeof(keep), STDIN_FILENO);
	}
	manager_exit(&old, PROTOCOL_EXIT_REEXEC);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	do
		manager_next(&manager, &m, NULL);
	while (m.header.type != MESSAGE_REPLAYED);

	ck_assert_uint_eq(m.replayed.n_notes, PROTOCOL_MAX_NOTES);
	ck_assert_uint_eq(m.replayed.n_fds, PROTOCOL_MAX_KEPT_FDS);
	manager_drop(&old);
}
END_TEST

static int console[2];

static void set_up_with_console(void)
{
	int saved = dup(STDERR_FILENO);

	ck_assert_int_eq(pipe2(console, O_CLOEXEC), 0);
	(void)dup2(console[1], STDERR_FILENO);
	keeper_set_up();
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
}

/* The keeper writes a line to the console about a message without its descriptor. */
static void cause_line(const char *name)
{
	struct MessageKeep keep = { .header = { MESSAGE_KEEP, sizeof(keep) } };

	(void)snprintf(keep.name, sizeof(keep.name), "%s", name);
	manager_send(&manager, &keep, sizeof(keep), -1);
}

/* The writer hangs; the keeper does not. */
START_TEST(a_blocked_console_delays_nothing)
{
	static const char page[4096];

	ck_assert_int_eq(fcntl(console[1], F_SETFL, O_WRONLY | O_NONBLOCK), 0);
	while (write(console[1], page, sizeof(page)) > 0)
		;
	ck_assert_int_eq(fcntl(console[1], F_SETFL, O_WRONLY), 0);

	for (int i = 0; i < 1000; i++)
		cause_line("full");
	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, 0);
}
END_TEST

/* Returns: whether the console showed @text. */
static bool console_shows(const char *text)
{
	static char seen[1 << 20];
	static size_t n_seen;
	struct pollfd ready = { .fd = console[0], .events = POLLIN };

	while (n_seen < sizeof(seen) - 1 && poll(&ready, 1, DEADLINE_MS) == 1) {
		const ssize_t n = read(console[0], seen + n_seen, sizeof(seen) - 1 - n_seen);

		if (n <= 0)
			break;
		n_seen += (size_t)n;
		if (memmem(seen, n_seen, text, strlen(text)))
			return true;
	}
	return false;
}

START_TEST(lines_that_a_console_does_not_take_are_counted)
{
	for (int i = 0; i < 20000; i++) /* more than the pipe and the socket hold */
		cause_line("full");
	ck_assert_int_eq(keeper_spawn("a", 1, sleep_argv, NULL).error, 0);
	ck_assert(console_shows("svcd: the descriptor full did not arrive"));
	for (int i = 0; i < 100; i++) { /* as soon as the console is writable */
		cause_line("last");
		(void)poll(NULL, 0, 10);
	}

	ck_assert(console_shows("lines are missing here"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper hostile");

	ADD_CASE_AROUND(suite, "hostile", keeper_set_up, keeper_tear_down,
			descriptors_of_an_empty_datagram_are_closed,
			pending_messages_of_a_dead_manager_end_although_its_link_stays_open,
			a_start_without_space_for_its_descriptors_is_reported,
			a_request_to_keep_without_a_descriptor_changes_nothing,
			notes_and_kept_descriptors_are_limited);
	ADD_CASE_AROUND(suite, "console", set_up_with_console, keeper_tear_down,
			a_blocked_console_delays_nothing,
			lines_that_a_console_does_not_take_are_counted);
	return suite;
}
