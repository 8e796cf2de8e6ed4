/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kill point: replaces the manager's program, executes it, and kills it when it has sent, written
 * or received something for the N-th time, counted from its exec.
 *
 * /run/kill-point contains "N LAST SIGNAL". Each manager takes an N and leaves the next one for its
 * successor. Without the file, or after LAST, the manager lives. The event before each death is
 * appended to /run/kill-points.
 */
#define _GNU_SOURCE

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>

#define MANAGER "/usr/lib/svcd/svcd-manager.real"
#define NEXT "/run/kill-point"
#define PASSED "/run/kill-points"

/* Returns: 0 if no manager is to be killed. */
static unsigned take_number(int *ret_signal)
{
	FILE *file = fopen(NEXT, "r+e");
	unsigned number = 0;
	unsigned last = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u %u %d", &number, &last, ret_signal) == 3 && number <= last) {
		rewind(file);
		fprintf(file, "%u %u %d\n", number + 1, last, *ret_signal);
	} else {
		number = 0;
	}
	fclose(file);
	return number;
}

static bool is_point(const struct ptrace_syscall_info *entry,
		     const struct ptrace_syscall_info *exit)
{
	static const unsigned long calls[] = {
		SYS_write,  SYS_writev,   SYS_pwrite64, SYS_sendmsg,
		SYS_sendto, SYS_sendmmsg, SYS_recvmsg,  SYS_recvfrom
	};

	if (exit->exit.is_error || exit->exit.rval <= 0)
		return false;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		if (entry->entry.nr == calls[i])
			return true;
	}
	return false;
}

static void note_death(unsigned number, unsigned long call)
{
	int fd = open(PASSED, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	dprintf(fd, "%u %lu\n", number, call);
	close(fd);
}

/*
 * Called at the exit of a system call. Returns: true if that was the call after which the manager
 * dies.
 */
static bool count(pid_t pid, struct ptrace_syscall_info *entry, unsigned *left)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) < 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		*entry = info;
	return info.op == PTRACE_SYSCALL_INFO_EXIT && is_point(entry, &info) && --*left == 0;
}

static void follow(pid_t pid, unsigned number, int killer)
{
	struct ptrace_syscall_info entry = { 0 };
	unsigned left = number;
	bool is_manager = false;
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		const int event = status >> 16;
		int signo = WSTOPSIG(status);

		if (event == PTRACE_EVENT_EXEC)
			is_manager = true;
		if (signo == (SIGTRAP | 0x80) && is_manager && count(pid, &entry, &left)) {
			note_death(number, entry.entry.nr);
			kill(pid, killer);
			return;
		}
		if (event == PTRACE_EVENT_STOP && (signo == SIGSTOP || signo == SIGTSTP))
			ptrace(PTRACE_LISTEN, pid, 0, 0);
		else
			ptrace(PTRACE_SYSCALL, pid, 0,
			       event || signo == (SIGTRAP | 0x80) ? 0 : signo);
	}
}

/* The tracer is not a child of the manager, because a manager knows all its children. */
static void trace(pid_t pid, unsigned number, int killer, int go_fd)
{
	if (fork() != 0)
		_exit(0);
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) < 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0)
		_exit(1);
	if (write(go_fd, "", 1) != 1)
		_exit(1);
	close_range(3, ~0U, 0); /* copies of the manager's descriptors must not outlive it */
	follow(pid, number, killer);
	_exit(0);
}

int main(int argc, char **argv)
{
	int killer = 0;
	const unsigned number = take_number(&killer);
	const pid_t pid = getpid();
	int go[2];
	char byte;

	(void)argc;
	if (number > 0 && pipe2(go, O_CLOEXEC) == 0) {
		const pid_t child = fork();

		if (child == 0)
			trace(pid, number, killer, go[1]);
		close(go[1]);
		waitpid(child, NULL, 0);
		if (read(go[0], &byte, 1) != 1)
			fprintf(stderr, "kill-point: no process traces this manager\n");
	}
	execv(MANAGER, argv);
	perror(MANAGER);
	return 127;
}
