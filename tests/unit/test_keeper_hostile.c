/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What no manager should send, do or leave behind, and what the keeper makes of it: it goes on, and loses nothing.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"

#define N_FLOODERS 4

/* The next manager is told how many notes there are. */
static uint32_t count_notes(void)
{
	Manager old = manager;
	Message m;

	manager_exit(&old, PROTOCOL_EXIT_REEXEC);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	do
		manager_next(&manager, &m, NULL);
	while (m.header.type != MESSAGE_REPLAYED);
	manager_drop(&old);
	return m.replayed.n_notes;
}

/* What the keeper's buffer holds when a shorter datagram comes: a note, where the first message of a batch would be. */
static void send_leftover(void)
{
	struct {
		struct MessageHeader header;
		struct BatchRecord record;
		struct MessageNote note;
	} m = { .header = { 99, sizeof(m) },
		.note = { .header = { MESSAGE_NOTE, sizeof(m.note) }, .service = "left", .note = "over" } };

	manager_send(&manager, &m, sizeof(m), -1);
}

/* 1 to 7 bytes. */
START_TEST(a_batch_without_a_whole_header_has_nothing_in_it)
{
	const struct MessageHeader header = { MESSAGE_BATCH, (uint32_t)_i + 1 };

	send_leftover();
	manager_send(&manager, &header, (size_t)_i + 1, -1);

	ck_assert_uint_eq(count_notes(), 0);
}
END_TEST

START_TEST(what_comes_with_an_empty_datagram_is_closed)
{
	const unsigned int before = keeper_run_count_open(&run);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	manager_send(&manager, "", 0, fd);

	keeper_next_manager(NULL); /* it is taken for the end of the link */
	ck_assert_uint_eq(keeper_run_count_open(&run), before);
	(void)close(fd);
}
END_TEST

/* As much work for the keeper as goes in a datagram: it reads more slowly than these are sent. */
static size_t fill_flood(char *datagram, size_t size)
{
	const struct MessageNote note = { .header = { MESSAGE_NOTE, sizeof(note) }, .service = "flood", .note = "x" };
	const struct BatchRecord record = { 0 };
	struct MessageHeader header = { MESSAGE_BATCH, sizeof(header) };

	while (header.size + sizeof(record) + sizeof(note) <= size) {
		memcpy(datagram + header.size, &record, sizeof(record));
		memcpy(datagram + header.size + sizeof(record), &note, sizeof(note));
		header.size += sizeof(record) + sizeof(note);
	}
	memcpy(datagram, &header, sizeof(header));
	return header.size;
}

static pid_t start_flooder(void)
{
	char flood[PROTOCOL_MESSAGE_BYTES];
	const size_t size = fill_flood(flood, sizeof(flood));
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (send(manager.link_fd, flood, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
			_exit(errno == EPIPE ? 0 : 1);
}

START_TEST(the_last_words_of_a_manager_end_with_it_though_others_have_its_link)
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

START_TEST(a_start_whose_descriptors_find_no_place_says_so)
{
	struct rlimit limit;
	struct rlimit none;
	int fds[3] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
	const Spawn s = {
		.service = "a", .invocation = 1, .argv = sleep_argv, .flags = SPAWN_STDIO, .fds = fds, .n_fds = 3 };
	Message m;

	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, NULL, &limit), 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = limit.rlim_max };
	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, &none, NULL), 0);
	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, EMFILE);

	ck_assert_int_eq(prlimit(run.pid, RLIMIT_NOFILE, &limit, NULL), 0);
	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper hostile");

	ADD_LOOP_AROUND(suite, "short", keeper_set_up, keeper_tear_down, a_batch_without_a_whole_header_has_nothing_in_it, 7);
	ADD_CASE_AROUND(suite, "hostile", keeper_set_up, keeper_tear_down, what_comes_with_an_empty_datagram_is_closed,
			the_last_words_of_a_manager_end_with_it_though_others_have_its_link,
			a_start_whose_descriptors_find_no_place_says_so);
	return suite;
}
