/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The capabilities that make a process of uid 0 root.
 */
#include "config.h"

#include <check.h>
#include <glib.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus/peer-rights.h"
#include "tests/lib/suite.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define ADMIN BIT(CAP_SYS_ADMIN)
#define OTHERS (BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_KILL))

static const struct {
	uint64_t effective;
	uint64_t of_pid1;
	bool suffices;
} cases[] = {
	{ ADMIN | OTHERS, ADMIN | OTHERS, true },
	{ ADMIN, ADMIN | OTHERS, true },
	{ OTHERS, ADMIN | OTHERS, false },
	{ 0, ADMIN, false },
	/* a container */
	{ OTHERS, OTHERS, true },
	{ OTHERS | ADMIN, OTHERS, true },
	{ BIT(CAP_CHOWN), OTHERS, false },
	{ ADMIN, OTHERS, false },
	{ 0, 0, true },
};

START_TEST(root_has_sys_admin_or_all_capabilities_of_pid_1)
{
	ck_assert(peer_rights_suffice(cases[_i].effective, cases[_i].of_pid1) ==
		  cases[_i].suffices);
}
END_TEST

START_TEST(a_process_outside_is_root_and_one_that_does_not_exist_is_not)
{
	ck_assert(peer_rights_of_process(0)); /* outside our PID namespace */
	ck_assert(!peer_rights_of_process(-1));
	ck_assert(!peer_rights_of_process(0x3fffffff));
}
END_TEST

/*
 * Starts a process that waits in its own user namespace with all capabilities; -1: no user
 * namespaces.
 */
static pid_t begin_namespace(void)
{
	int ready[2];
	char word = 0;
	pid_t child;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		word = unshare(CLONE_NEWUSER) == 0 ? 'y' : 'n';
		(void)!write(ready[1], &word, 1);
		pause();
		_exit(0);
	}
	ck_assert_int_eq(read(ready[0], &word, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	if (word == 'y')
		return child;
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	return -1;
}

START_TEST(capabilities_in_another_user_namespace_do_not_count)
{
	pid_t child;

	if (geteuid() != 0 || !peer_rights_of_process(getpid()))
		return;
	child = begin_namespace();
	if (child < 0)
		return;
	ck_assert(!peer_rights_of_process(child));
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	ck_assert(!peer_rights_of_process(child));
}
END_TEST

/* The process passed its socket on and ended, so any other process may soon have its pid. */
START_TEST(a_process_that_is_gone_has_no_rights)
{
	int pair[2];
	pid_t child;

	if (geteuid() != 0)
		return;
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert(peer_rights_of_socket(pair[0], getpid()));
	/* A zombie still has capabilities. */
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	ck_assert(!peer_rights_of_process(child));
	(void)waitpid(child, NULL, 0);
	(void)close(pair[0]);
	(void)close(pair[1]);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("peer rights");

	suite_add_loop(suite, "capabilities", root_has_sys_admin_or_all_capabilities_of_pid_1,
		       G_N_ELEMENTS(cases));
	ADD_CASE(suite, "processes", a_process_outside_is_root_and_one_that_does_not_exist_is_not,
		 capabilities_in_another_user_namespace_do_not_count,
		 a_process_that_is_gone_has_no_rights);
	return suite;
}
