/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A keeper with a fault while it takes over the tables of the previous image. The test stops it by
 * ptrace(2), and sends the fault at one system call after another.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/memory.h"
#include "keeper/reexec.h"
#include "tests/lib/keeper-stage.h"

/*
 * The number of system calls that handle the tables, and some more. The first call comes just after
 * the fault handlers are installed.
 */
#define POINTS 14
/* At this call the keeper has read the state, which contains the manager's pid. */
#define AFTER_STATE 5
#define NOTE "v=1 s=r"

static const struct ProcessId service = { .service = "a", .invocation = 7 };
static int console[2];
static pid_t service_pid;

static void fill_tables(pid_t pid, int kept)
{
	keeper_fill_state(&keeper);
	memory_init();
	ck_assert_ptr_nonnull(children_add(&service, pid, 1));
	ck_assert_int_eq(note_set("a", NOTE), 0);
	ck_assert_int_eq(fd_store_keep("a/log/1", kept), 0);
}

static pid_t start_service(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)execv(sleep_argv[0], (char *const *)(uintptr_t)sleep_argv);
		_exit(127);
	}
	return pid;
}

/* The keeper has a service, its stored descriptors and the tables. */
static void __attribute__((noreturn)) exec_keeper(int output_pid)
{
	char path[512];
	char option[32];
	pid_t pid = start_service();
	int fd;

	(void)!write(output_pid, &pid, sizeof(pid));
	fill_tables(pid, dup(STDIN_FILENO));
	reexec_write_state();
	fd = dup(memory_fd());
	(void)dup2(console[1], STDERR_FILENO);
	(void)snprintf(option, sizeof(option), "--reexec=%d", fd);
	(void)!getcwd(path, sizeof(path) - sizeof("/svcd"));
	(void)strcat(path, "/svcd");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	(void)execl(path, "svcd", option, "--user", (char *)NULL);
	_exit(127);
}

static void set_up(void)
{
	int pids[2];

	keeper_run_listen(&run);
	ck_assert_int_eq(pipe2(console, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(pids, O_CLOEXEC), 0);
	run.pid = fork();
	ck_assert_int_ge(run.pid, 0);
	if (run.pid == 0)
		exec_keeper(pids[1]);
	ck_assert_int_eq(read(pids[0], &service_pid, sizeof(service_pid)), sizeof(service_pid));
	(void)close(pids[0]);
	(void)close(pids[1]);
	(void)close(console[1]);
}

static void tear_down(void)
{
	(void)close(console[0]);
	keeper_run_stop(&run);
}

/*
 * Runs the keeper to its next system call, or to its end. Returns: the number of the call.
 * *ret_first: its first argument.
 */
static uint64_t next_call(uint64_t *ret_first)
{
	struct __ptrace_syscall_info info = { 0 };
	int status;

	do {
		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, run.pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(run.pid, &status, 0), run.pid);
		ck_assert_msg(WIFSTOPPED(status), "it has ended: %#x", (unsigned int)status);
		ck_assert_int_gt(
			ptrace(PTRACE_GET_SYSCALL_INFO, run.pid, (void *)sizeof(info), &info), 0);
	} while (info.op != PTRACE_SYSCALL_INFO_ENTRY);
	*ret_first = info.entry.args[0];
	return info.entry.nr;
}

/* ILL is the last fault with a handler, after FPE. */
static void run_to_handlers(void)
{
	uint64_t signo = 0;
	uint64_t before = 0;

	for (;;) {
		uint64_t first;

		if (next_call(&first) != SYS_rt_sigaction)
			continue;
		before = signo;
		signo = first;
		if (before == SIGFPE && signo == SIGILL)
			return;
	}
}

/*
 * One fault in each of @n_faults images, at the system call @point after the handlers are
 * installed.
 */
static void send_faults(unsigned int n_faults, int point)
{
	int status;

	ck_assert_int_eq(waitpid(run.pid, &status, 0), run.pid); /* the stop at its execve(2) */
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, run.pid, NULL,
				(void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
			 0);
	while (n_faults-- > 0) {
		uint64_t first;

		run_to_handlers();
		for (int i = 0; i < point; i++)
			(void)next_call(&first);
		ck_assert_int_eq(kill(run.pid, SIGSEGV), 0);
		if (n_faults > 0) { /* run it into the handler of this fault */
			do {
				ck_assert_int_eq(ptrace(PTRACE_CONT, run.pid, NULL, NULL), 0);
				ck_assert_int_eq(waitpid(run.pid, &status, 0), run.pid);
			} while (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGSEGV);
			ck_assert_int_eq(ptrace(PTRACE_SYSCALL, run.pid, NULL, SIGSEGV), 0);
			ck_assert_int_eq(waitpid(run.pid, &status, 0), run.pid);
		}
	}
	ck_assert_int_eq(ptrace(PTRACE_DETACH, run.pid, NULL, NULL), 0);
}

static bool console_shows(const char *text)
{
	static char output[65536];
	size_t used = 0;
	ssize_t n;

	while ((n = read(console[0], output + used, sizeof(output) - 1 - used)) > 0) {
		used += (size_t)n;
		output[used] = '\0';
		if (strstr(output, text))
			return true;
	}
	return false;
}

START_TEST(a_fault_while_the_tables_are_read_costs_nothing)
{
	Message m;
	unsigned int n_kept = 0;
	bool has_note = false;

	send_faults(1, _i);

	manager_accept(&run, &manager);
	manager_expect(&manager, MESSAGE_WELCOME, &m);
	manager_hello(&manager);
	for (manager_next(&manager, &m, NULL); m.header.type != MESSAGE_REPLAYED;
	     manager_next(&manager, &m, NULL)) {
		ck_assert_uint_ne(m.header.type, MESSAGE_EXITED);
		if (m.header.type == MESSAGE_SPAWNED)
			ck_assert_int_eq(m.spawned.pid, service_pid);
		if (m.header.type == MESSAGE_NOTE)
			has_note = strcmp(m.note.note, NOTE) == 0;
		n_kept += m.header.type == MESSAGE_KEPT;
	}
	ck_assert_uint_eq(m.replayed.n_children, 1);
	ck_assert_uint_eq(n_kept, 1);
	ck_assert(has_note);
	manager_drop(&manager);
}
END_TEST

/*
 * The tables may be the cause of the fault. (This keeper starts the installed manager, not ours.)
 */
START_TEST(a_second_fault_with_the_same_tables_discards_them)
{
	send_faults(2, AFTER_STATE);

	ck_assert(console_shows("no tables in descriptor"));
	ck_assert(console_shows("manager"));
}
END_TEST

START_TEST(the_third_fault_is_the_third_though_no_table_knows_of_it)
{
	send_faults(3, 1);

	ck_assert(console_shows("only reaping children now"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper resume faults");

	ADD_LOOP_AROUND(suite, "once", set_up, tear_down,
			a_fault_while_the_tables_are_read_costs_nothing, POINTS);
	ADD_CASE_AROUND(suite, "again", set_up, tear_down,
			a_second_fault_with_the_same_tables_discards_them,
			the_third_fault_is_the_third_though_no_table_knows_of_it);
	return suite;
}
