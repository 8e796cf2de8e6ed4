/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reused pids, in a PID namespace. In each round a service ends, and a bystander gets its pid as
 * soon as possible, while signals for the service are still being requested. SVCD_TEST_ROUNDS sets
 * the number of rounds.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/keeper-stage.h"

#define ROUNDS 300
#define TIMEOUT_S 3600
#define MOST_TRIES 100000

static const char *const true_argv[] = { "/bin/true", NULL };

/* Requests to process 1 of the namespace. */
enum Wish {
	BYSTANDER, /* make a process with this pid; answer: the number of tries */
	END, /* end that process; answer: its wait status */
};

struct Order {
	int32_t wish;
	int32_t pid;
};

static int maker = -1;
static uint64_t n_tries;

/*
 * Makes processes until one gets the pid @wanted, and ends the others. Returns: the number of
 * tries; -1: failed.
 */
static int32_t make_bystander(pid_t wanted, pid_t *ret_pid, int *ret_go)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	for (int32_t tries = 1; tries < MOST_TRIES; tries++) {
		int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
		bool is_set = fd >= 0 && dprintf(fd, "%d", (int)wanted - 1) > 0;
		pid_t pid;

		(void)close(fd);
		pid = is_set ? fork() : -1;
		if (pid < 0)
			return -1;
		if (pid == 0) {
			char byte;

			(void)close(ends[1]);
			if (getpid() == wanted)
				(void)!read(ends[0], &byte, 1);
			_exit(0);
		}
		if (pid == wanted) {
			(void)close(ends[0]);
			*ret_go = ends[1];
			*ret_pid = pid;
			return tries;
		}
		(void)waitpid(pid, NULL, 0);
	}
	return -1;
}

static void __attribute__((noreturn)) make_what_is_requested(int fd)
{
	struct Order order;
	pid_t pid = 0;
	int go = -1;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, &order, sizeof(order)) == (ssize_t)sizeof(order)) {
		int32_t answer = -1;

		if (order.wish == BYSTANDER) {
			answer = make_bystander(order.pid, &pid, &go);
		} else {
			(void)close(go);
			(void)waitpid(pid, &answer, 0);
		}
		(void)!write(fd, &answer, sizeof(answer));
	}
	_exit(0);
}

/*
 * Starts a separate namespace. The keeper in it is a user's keeper, not process 1. Returns:
 * our namespace, or -1.
 */
static int start_namespace(void)
{
	int ours = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	int ends[2];
	pid_t pid;

	if (access("/proc/sys/kernel/ns_last_pid", W_OK) < 0 || unshare(CLONE_NEWPID) < 0)
		return -1;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		(void)close(ends[0]);
		make_what_is_requested(ends[1]);
	}
	(void)close(ends[1]);
	maker = ends[0];
	return ours;
}

static void apply_wish(enum Wish wish, pid_t pid)
{
	struct Order order = { .wish = (int32_t)wish, .pid = pid };

	ck_assert_int_eq(write(maker, &order, sizeof(order)), sizeof(order));
}

static int32_t answer(void)
{
	int32_t value;

	ck_assert_int_eq(read(maker, &value, sizeof(value)), sizeof(value));
	return value;
}

/*
 * Signals are requested before, during and after the exit of a service, and when its row is freed.
 */
static void play_round(uint64_t invocation)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGKILL, SIGUSR1 };
	const bool ends_by_itself = invocation % 2 == 0;
	struct MessageSpawned spawned =
		keeper_spawn("a", invocation, ends_by_itself ? true_argv : sleep_argv, NULL);
	const int signo = signals[invocation / 2 % 4];
	int32_t tries;
	int32_t status;
	Message m;

	ck_assert_int_eq(spawned.error, 0);
	apply_wish(BYSTANDER, spawned.pid);
	if (!ends_by_itself)
		manager_signal(&manager, &spawned.id, invocation % 4 == 1 ? SIGTERM : SIGKILL);
	for (int i = 0; i < 8; i++)
		manager_signal(&manager, &spawned.id, signo);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	tries = answer();
	ck_assert_int_gt(tries, 0);
	n_tries += (uint64_t)tries;

	manager_signal(&manager, &spawned.id, SIGKILL);
	manager_ack(&manager, &spawned.id, "");
	manager_signal(&manager, &spawned.id, SIGTERM);
	/* the answer to this request follows those steps */
	ck_assert_int_eq(keeper_spawn("b", invocation, true_argv, NULL).error, 0);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	manager_ack(&manager, &m.exited.id, "");
	apply_wish(END, 0);
	status = answer();
	ck_assert_msg(WIFEXITED(status), "a bystander got signal %d", WTERMSIG(status));
}

START_TEST(a_bystander_that_has_the_pid_of_a_dead_service_gets_no_signal)
{
	const char *rounds = getenv("SVCD_TEST_ROUNDS");
	const uint64_t n_rounds = rounds ? strtoull(rounds, NULL, 10) : ROUNDS;

	const int ours = start_namespace();

	if (ours < 0) {
		(void)printf("pids cannot be chosen here: nothing is tested\n");
		return;
	}
	keeper_set_up();
	ck_assert_int_eq(setns(ours, CLONE_NEWPID), 0); /* sanitizers use threads */
	for (uint64_t i = 1; i <= n_rounds; i++)
		play_round(i);
	(void)printf("%lu rounds, the pid was obtained at try %lu on average\n",
		     (unsigned long)n_rounds, (unsigned long)(n_tries / n_rounds));
	keeper_tear_down();
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper pids");
	TCase *tcase = ADD_CASE(suite, "reuse",
				a_bystander_that_has_the_pid_of_a_dead_service_gets_no_signal);

	tcase_set_timeout(tcase, TIMEOUT_S);
	return suite;
}
