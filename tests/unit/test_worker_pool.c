/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The worker pool: a worker for each owner. If a worker hangs at a job, only that job is lost.
 *
 * The test plays the workers: it reads their requests, and answers or does not.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "tests/lib/deadline.h"
#include "tests/lib/suite.h"
#include "worker/message.h"
#include "worker/pool.h"

#define MAX_STARTED 16

static WorkerPool *pool;
static int sockets[MAX_STARTED]; /* the workers' ends, in the order of their starts */
static unsigned n_started;
static GString *killed;
static bool can_start;
static GString *received; /* the calls of the listeners: "NAME KIND ARGUMENT;" */
static WorkerMessage message;

static uint64_t on_start(void *data, int socket)
{
	(void)data;
	if (!can_start)
		return 0;
	ck_assert_uint_lt(n_started, MAX_STARTED);
	sockets[n_started] = fcntl(socket, F_DUPFD_CLOEXEC, 0);
	return ++n_started;
}

static void on_kill(void *data, uint64_t number)
{
	(void)data;
	g_string_append_printf(killed, "%u ", (unsigned)number);
}

static void on_dispose(void *data, int fd)
{
	(void)data;
	fd_close(&fd);
}

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	g_string_append_printf(received, "%s %s %s%s;", (const char *)data, fields[0],
			       n_fields > 1 ? fields[1] : "", fd >= 0 ? " fd" : "");
	fd_close(&fd);
}

static void on_lost(void *data, const char *why)
{
	(void)why;
	g_string_append_printf(received, "%s lost;", (const char *)data);
}

static const WorkerListener listener = { .answer = on_answer, .lost = on_lost };

static void set_up(void)
{
	can_start = true;
	n_started = 0;
	killed = g_string_new(NULL);
	received = g_string_new(NULL);
	pool = worker_pool_new(&(WorkerOps){ .start = on_start,
					     .kill = on_kill,
					     .dispose = on_dispose,
					     .limit_us = 100000,
					     .idle_us = 50000 });
}

static void tear_down(void)
{
	worker_pool_free(pool);
	for (unsigned i = 0; i < n_started; i++)
		fd_close(&sockets[i]);
	g_string_free(killed, TRUE);
	g_string_free(received, TRUE);
}

static WorkerJob *give(const char *owner, const char *name)
{
	const char *const fields[] = { "echo", name };

	return worker_job_new(pool, owner, fields, 2, NULL, 0, &listener, (void *)name);
}

/* The next request of worker @i. */
static uint64_t take_request(unsigned i, const char *argument)
{
	ck_assert_int_eq(worker_message_receive(sockets[i], &message), 1);
	ck_assert_str_eq(message.fields[0], "echo");
	ck_assert_str_eq(message.fields[1], argument);
	return message.id;
}

static void reply(unsigned i, uint64_t id, const char *kind, const char *argument)
{
	const char *const fields[] = { kind, argument };
	g_autoptr(GByteArray) bytes = worker_message_new(id, fields, argument ? 2 : 1);

	ck_assert_int_eq(worker_message_send(sockets[i], bytes, NULL, 0), 0);
}

static void wait_received(const char *expected)
{
	const int64_t deadline = loop_now() + DEADLINE_US;

	while (strcmp(received->str, expected) != 0 && loop_now() < deadline) {
		if (!g_main_context_iteration(NULL, FALSE))
			g_usleep(1000);
	}
	ck_assert_str_eq(received->str, expected);
}

static void wait_started(unsigned n)
{
	const int64_t deadline = loop_now() + DEADLINE_US;

	while (n_started < n && loop_now() < deadline) {
		if (!g_main_context_iteration(NULL, FALSE))
			g_usleep(1000);
	}
	ck_assert_uint_eq(n_started, n);
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

START_TEST(each_owner_has_one_worker_for_all_its_jobs)
{
	give("a", "1");
	give("a", "2");
	give("b", "3");

	ck_assert_uint_eq(n_started, 2);
	reply(0, take_request(0, "1"), "done", "yes");
	reply(0, take_request(0, "2"), "failed", "no");
	reply(1, take_request(1, "3"), "done", NULL);
	wait_received("1 done yes;2 failed no;3 done ;");
}
END_TEST

START_TEST(a_worker_that_hangs_after_its_answer_is_abandoned)
{
	uint64_t id;

	give("a", "1");
	id = take_request(0, "1");
	reply(0, id, "busy", NULL);
	reply(0, id, "done", NULL);
	wait_received("1 done ;");

	const int64_t deadline = loop_now() + DEADLINE_US;
	while (worker_pool_abandoned(pool, "a") == 0 && loop_now() < deadline)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_str_eq(killed->str, "1 ");
}
END_TEST

START_TEST(an_idle_worker_is_given_to_the_next_owner)
{
	uint64_t id;

	give("a", "1");
	id = take_request(0, "1");
	reply(0, id, "busy", NULL);
	reply(0, id, "done", NULL);
	wait_received("1 done ;");
	give("b", "2"); /* the worker of "a" may hang after its answer */
	ck_assert_uint_eq(n_started, 2);

	reply(0, id, "rest", NULL);
	turn_until_idle();
	give("c", "3");
	ck_assert_uint_eq(n_started, 2);
	reply(0, take_request(0, "3"), "done", NULL);
	wait_received("1 done ;3 done ;");
	give("d", "4"); /* the worker of "c" may hang, too */
	ck_assert_uint_eq(n_started, 3);
}
END_TEST

START_TEST(an_owner_with_hanging_workers_gets_no_idle_one)
{
	uint64_t id;

	for (unsigned i = 0; i < WORKER_ABANDONED_OF_OWNER; i++) {
		g_string_truncate(received, 0);
		give("a", "x");
		reply(i, take_request(i, "x"), "busy", NULL);
		wait_received("x lost;");
	}
	g_string_truncate(received, 0);
	give("b", "1");
	id = take_request(WORKER_ABANDONED_OF_OWNER, "1");
	reply(WORKER_ABANDONED_OF_OWNER, id, "done", NULL);
	reply(WORKER_ABANDONED_OF_OWNER, id, "rest", NULL);
	wait_received("1 done ;");
	turn_until_idle();

	give("a", "y");
	wait_received("1 done ;y lost;");
}
END_TEST

START_TEST(descriptors_go_both_ways)
{
	const char *const fields[] = { "echo", "x" };
	auto_fd int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const char *const answer[] = { "done", "open" };
	g_autoptr(GByteArray) bytes = NULL;
	uint64_t id;

	worker_job_new(pool, "a", fields, 2, &fd, 1, &listener, (void *)"x");
	id = take_request(0, "x");
	ck_assert_uint_eq(message.n_fds, 1);
	bytes = worker_message_new(id, answer, 2);
	ck_assert_int_eq(worker_message_send(sockets[0], bytes, message.fds, 1), 0);
	worker_message_clear(&message);

	wait_received("x done open fd;");
}
END_TEST

START_TEST(a_job_at_which_its_worker_hangs_is_lost_and_the_others_are_done_by_another)
{
	give("a", "1");
	give("a", "2");
	give("a", "3");
	reply(0, take_request(0, "1"), "done", NULL);
	reply(0, take_request(0, "2"), "busy", NULL);

	wait_received("1 done ;2 lost;");
	ck_assert_str_eq(killed->str, "1 ");
	ck_assert_uint_eq(worker_pool_abandoned(pool, "a"), 1);
	ck_assert_uint_eq(n_started, 2);
	reply(1, take_request(1, "3"), "done", NULL);
	wait_received("1 done ;2 lost;3 done ;");

	worker_pool_ended(pool, 1);
	ck_assert_uint_eq(worker_pool_abandoned(pool, NULL), 0);
}
END_TEST

START_TEST(a_job_that_goes_on_has_no_limit_until_its_worker_is_at_it_again)
{
	uint64_t id;

	give("a", "watch");
	id = take_request(0, "watch");
	reply(0, id, "busy", NULL);
	reply(0, id, "level", "true");
	reply(0, id, "rest", NULL);
	wait_received("watch level true;");
	give("b", "clock"); /* the limit of this job expires */
	wait_received("watch level true;clock lost;");

	reply(0, id, "busy", NULL);
	wait_received("watch level true;clock lost;watch lost;");
}
END_TEST

START_TEST(an_owner_with_hanging_workers_gets_no_more)
{
	for (unsigned i = 0; i < WORKER_ABANDONED_OF_OWNER; i++) {
		g_string_truncate(received, 0);
		give("a", "x");
		reply(i, take_request(i, "x"), "busy", NULL);
		wait_received("x lost;");
	}

	g_string_truncate(received, 0);
	give("a", "y");
	ck_assert_uint_eq(n_started, WORKER_ABANDONED_OF_OWNER);
	wait_received("y lost;");

	give("b", "z");
	ck_assert_uint_eq(n_started, WORKER_ABANDONED_OF_OWNER + 1);
}
END_TEST

START_TEST(a_worker_that_cannot_begin_loses_its_jobs)
{
	give("a", "1");
	give("a", "2");
	worker_pool_ended(pool, 1);
	wait_received("1 lost;2 lost;");

	can_start = false;
	give("a", "3");
	wait_received("1 lost;2 lost;3 lost;");
}
END_TEST

START_TEST(a_worker_that_ends_between_two_jobs_is_started_again)
{
	uint64_t id;

	give("a", "watch");
	id = take_request(0, "watch");
	reply(0, id, "level", "true");
	wait_received("watch level true;");
	worker_pool_ended(pool, 1);

	wait_started(2);
	reply(1, take_request(1, "watch"), "level", "false");
	wait_received("watch level true;watch level false;");
}
END_TEST

START_TEST(a_job_that_is_given_up_is_cancelled_and_its_listener_is_left_alone)
{
	WorkerJob *job = give("a", "1");
	const uint64_t id = take_request(0, "1");

	worker_job_free(job);
	ck_assert_int_eq(worker_message_receive(sockets[0], &message), 1);
	ck_assert_str_eq(message.fields[0], WORKER_CANCEL);
	ck_assert_uint_eq(message.id, id);
	reply(0, id, "done", NULL);
	give("a", "2");
	reply(0, take_request(0, "2"), "done", NULL);
	wait_received("2 done ;");
}
END_TEST

START_TEST(a_worker_without_a_job_ends)
{
	struct {
		char byte;
	} nothing;

	give("a", "1");
	reply(0, take_request(0, "1"), "done", NULL);
	wait_received("1 done ;");

	const int64_t deadline = loop_now() + DEADLINE_US;
	while (recv(sockets[0], &nothing, 1, MSG_DONTWAIT | MSG_PEEK) != 0 && loop_now() < deadline)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_int_eq(worker_message_receive(sockets[0], &message), 0);
	ck_assert_str_eq(killed->str, "");
}
END_TEST

START_TEST(a_malformed_message_is_ignored)
{
	static const char *const bad[] = { "", "x", "12", "12x", "12\0a" };
	const size_t sizes[] = { 1, 1, 2, 4, 4 };
	uint64_t id;

	give("a", "1");
	id = take_request(0, "1");
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
		ck_assert_int_eq(send(sockets[0], bad[i], sizes[i], 0), sizes[i]);
	turn_until_idle();
	reply(0, id, "done", "1");
	wait_received("1 done 1;");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("worker-pool");

	ADD_CASE_AROUND(suite, "jobs", set_up, tear_down,
			each_owner_has_one_worker_for_all_its_jobs, descriptors_go_both_ways,
			a_job_that_is_given_up_is_cancelled_and_its_listener_is_left_alone,
			a_worker_without_a_job_ends, a_malformed_message_is_ignored);
	ADD_CASE_AROUND(suite, "hangs", set_up, tear_down,
			a_job_at_which_its_worker_hangs_is_lost_and_the_others_are_done_by_another,
			a_job_that_goes_on_has_no_limit_until_its_worker_is_at_it_again,
			an_owner_with_hanging_workers_gets_no_more,
			a_worker_that_hangs_after_its_answer_is_abandoned,
			an_idle_worker_is_given_to_the_next_owner,
			an_owner_with_hanging_workers_gets_no_idle_one,
			a_worker_that_cannot_begin_loses_its_jobs,
			a_worker_that_ends_between_two_jobs_is_started_again);
	return suite;
}
