/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What begins waits while the keeper is behind with its reading, and all of it gets its turn.
 */
#include "config.h"

#include <check.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/keeper-link.h"
#include "tests/lib/suite.h"

#define N_WAITING 20

static const KeeperListener deaf;
static KeeperLink *link_;
static Timer *timers[N_WAITING];
static int keeper = -1;
static unsigned n_let_in;

static void on_let_in(void *data)
{
	if (!keeper_link_wait(link_, *(Timer **)data))
		n_let_in++;
}

static void set_up(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
	link_ = keeper_link_new(fds[0], &deaf, NULL);
	keeper = fds[1];
	n_let_in = 0;
	for (unsigned i = 0; i < N_WAITING; i++)
		timers[i] = timer_new(on_let_in, &timers[i]);
}

static void tear_down(void)
{
	for (unsigned i = 0; i < N_WAITING; i++)
		timer_free(timers[i]);
	keeper_link_free(link_);
	close(keeper);
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void fill(void)
{
	while (!keeper_link_wait(link_, timers[0]))
		keeper_link_note(link_, "a", "state=ready");
}

static void keeper_reads_all(void)
{
	char message[4096];

	do {
		while (recv(keeper, message, sizeof message, 0) > 0)
			;
		turn_until_idle();
	} while (recv(keeper, message, sizeof message, MSG_PEEK) > 0);
}

START_TEST(nobody_waits_for_a_keeper_that_reads)
{
	ck_assert(!keeper_link_wait(link_, timers[0]));
}
END_TEST

START_TEST(all_that_wait_begin_when_the_keeper_has_read)
{
	fill();
	for (unsigned i = 1; i < N_WAITING; i++)
		ck_assert(keeper_link_wait(link_, timers[i]));
	turn_until_idle();
	ck_assert_uint_eq(n_let_in, 0);

	keeper_reads_all();

	ck_assert_uint_eq(n_let_in, N_WAITING);
}
END_TEST

START_TEST(who_is_given_up_while_it_waits_holds_up_nobody)
{
	fill();
	for (unsigned i = 1; i < N_WAITING; i++)
		ck_assert(keeper_link_wait(link_, timers[i]));
	for (unsigned i = 0; i < N_WAITING / 2; i++) {
		keeper_link_wait_no_more(link_, timers[i]);
		g_clear_pointer(&timers[i], timer_free);
	}

	keeper_reads_all();

	ck_assert_uint_eq(n_let_in, N_WAITING / 2);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper link");
	TCase *tests = tcase_create("waiting for room");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, nobody_waits_for_a_keeper_that_reads);
	tcase_add_test(tests, all_that_wait_begin_when_the_keeper_has_read);
	tcase_add_test(tests, who_is_given_up_while_it_waits_holds_up_nobody);
	suite_add_tcase(suite, tests);
	return suite;
}
