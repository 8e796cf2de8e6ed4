/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A real keeper resumes with tables that are complete but outdated, because an older image had a
 * fault at a bad moment.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/memory.h"
#include "keeper/reexec.h"
#include "tests/lib/keeper-stage.h"

#define NOT_OPEN_FD 200

static const struct ProcessId gone = { .service = "gone", .invocation = 7 };

/* Returns: a descriptor that survives execve(2). */
static int write_tables(void)
{
	reexec_write_state();
	return dup(memory_fd());
}

static void set_up(void)
{
	keeper_run_listen(&run);
	keeper_fill_state(&keeper);
	memory_init();
}

static void resume(void)
{
	int fd = write_tables();

	keeper_run_resume(&run, fd);
	(void)close(fd);
	manager_accept(&run, &manager);
	manager_hello(&manager);
}

/* The row has our own pid: a signal to that pid would end this test. */
START_TEST(a_row_without_a_child_has_ended_and_its_pid_gets_no_signal)
{
	Message m;

	ck_assert_ptr_nonnull(children_add(&gone, getpid(), 1));
	resume();

	manager_expect(&manager, MESSAGE_WELCOME, &m);
	manager_signal(&manager, &gone, SIGKILL);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.pid, getpid());
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.code, 0); /* unknown exit status */
	manager_expect(&manager, MESSAGE_REPLAYED, &m);
	manager_ack(&manager, &gone, "");
	ck_assert_int_eq(keeper_spawn("gone", 8, sleep_argv, NULL).error, 0);
}
END_TEST

START_TEST(a_kept_descriptor_that_is_not_open_is_forgotten)
{
	int kept = dup(STDIN_FILENO);
	Message m;

	ck_assert_int_eq(fd_store_keep("a/log/1", kept), 0);
	ck_assert_int_eq(fd_store_keep("b/log/1", NOT_OPEN_FD), 0);
	resume();

	manager_expect(&manager, MESSAGE_WELCOME, &m);
	manager_expect(&manager, MESSAGE_KEPT, &m);
	ck_assert_str_eq(m.keep.name, "a/log/1");
	manager_expect(&manager, MESSAGE_REPLAYED, &m);
	ck_assert_uint_eq(m.replayed.n_fds, 1);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper resume");

	ADD_CASE_AROUND(suite, "untrue", set_up, keeper_tear_down,
			a_row_without_a_child_has_ended_and_its_pid_gets_no_signal,
			a_kept_descriptor_that_is_not_open_is_forgotten);
	return suite;
}
