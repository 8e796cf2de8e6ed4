/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disposal: a list of descriptors, and a child that closes all of them.
 *
 * The child first closes all other descriptors, so that a child that hangs keeps nothing else open.
 * Then it waits for SIGUSR1, which PID 1 sends when it has closed its own copies. A helper process
 * that shares the child's table of descriptors closes one after the other. close(2) takes a
 * descriptor out of the table before it can wait. So if the helper hangs, another one goes on with
 * the next descriptor.
 */
#include "config.h"

#include "keeper/disposal.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/keeper.h"
#include "keeper/spawn.h"

#define MAX_LISTED PROTOCOL_MAX_KEPT_FDS
#define MAX_CHILDREN 64
#define STACK_BYTES (16 * 1024)

/*
 * The next child waits until the newest one has ended, or for this time. By then the newest one has
 * closed its copies of other descriptors.
 */
#define NEXT_CHILD_US (500 * USEC_PER_MSEC)
#define NEXT_CHILD_OF_CROWD_US (60 * USEC_PER_SEC)
#define REFUSED_PAUSE_US (100 * USEC_PER_MSEC)

/*
 * A service's child that was cloned just before has copies, too, until it closes them. If it closed
 * one last, its start could hang.
 */
#define CLOSE_DELAY_NS 100000000

#define START_LIMIT_S 10 /* without the signal by then, PID 1 had a fault between fork(2) and kill(2) */
#define HELPER_LIMIT_NS 100000000

static int listed[MAX_LISTED];
static unsigned int n_listed;
static int held[PROTOCOL_MAX_FDS];
static unsigned int n_held;
static pid_t children[MAX_CHILDREN]; /* not ended yet; the last entry is replaced when there are more */
static unsigned int n_children;
static pid_t newest;
static uint64_t next_us; /* the earliest time of the next child */
static char helper_stack[STACK_BYTES] __attribute__((aligned(16))); /* for a child's helper */

/* All signals are blocked, as in PID 1. */
static void wait_for(int signo, struct timespec limit)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, signo);
	(void)sigtimedwait(&set, NULL, &limit); /* after the limit: go on */
}

static int close_each(void *data)
{
	(void)data;
	for (unsigned int i = 0; i < n_listed; i++)
		(void)close(listed[i]); /* EBADF: an earlier helper has closed it, or hangs in it */
	return 0;
}

static void __attribute__((noreturn)) run_child(bool is_urgent)
{
	(void)prctl(PR_SET_NAME, "svcd-close");
	keeper_close_others(0, listed, n_listed);
	wait_for(SIGUSR1, (struct timespec){ .tv_sec = START_LIMIT_S });
	if (!is_urgent)
		(void)nanosleep(&(struct timespec){ .tv_nsec = CLOSE_DELAY_NS }, NULL); /* all signals are blocked */
	for (unsigned int i = 0; i < n_listed; i++) {
		pid_t pid = clone(close_each, helper_stack + STACK_BYTES, CLONE_FILES | SIGCHLD, NULL);

		if (pid < 0)
			(void)close_each(NULL); /* without a helper, a descriptor that hangs keeps the rest open */
		wait_for(SIGCHLD, (struct timespec){ .tv_nsec = HELPER_LIMIT_NS });
		if (pid < 0 || waitpid(pid, NULL, WNOHANG) == pid)
			break;
	}
	while (waitpid(-1, NULL, 0) > 0)
		; /* PID 1 counts its children, so this one stays as long as its helpers */
	_exit(0);
}

static void remember(pid_t pid, uint64_t now_us)
{
	static bool reported_crowd;

	newest = pid;
	next_us = now_us + NEXT_CHILD_US;
	if (n_children < MAX_CHILDREN)
		n_children++;
	children[n_children - 1] = pid;
	if (n_children < MAX_CHILDREN)
		return;
	next_us = now_us + NEXT_CHILD_OF_CROWD_US;
	if (!reported_crowd)
		console_log("%d processes named svcd-close hang while they close descriptors of services: one more a minute is started", MAX_CHILDREN);
	reported_crowd = true;
}

static void begin(uint64_t now_us, bool is_urgent)
{
	pid_t pid = spawn_fork();

	if (pid == 0)
		run_child(is_urgent);
	next_us = now_us + REFUSED_PAUSE_US;
	if (pid < 0)
		return;
	for (unsigned int i = 0; i < n_listed; i++)
		(void)close(listed[i]); /* the child keeps its copy until the signal */
	n_listed = 0;
	(void)kill(pid, SIGUSR1); /* not reaped yet */
	remember(pid, now_us);
}

void disposal_add(int fd)
{
	if (n_listed == MAX_LISTED)
		begin(keeper_now_us(), false);
	if (n_listed < MAX_LISTED)
		listed[n_listed++] = fd;
	else
		console_log("no child can be started to close descriptors of services: one stays open");
}

void disposal_hold(int fd)
{
	if (n_held == PROTOCOL_MAX_FDS)
		disposal_release();
	held[n_held++] = fd;
}

void disposal_release(void)
{
	while (n_held > 0)
		disposal_add(held[--n_held]);
}

void disposal_tick(uint64_t now_us)
{
	if (n_listed > 0 && now_us >= next_us)
		begin(now_us, false);
}

uint64_t disposal_next_us(void)
{
	return n_listed > 0 ? next_us : NEVER_US;
}

void disposal_now(void)
{
	disposal_release();
	if (n_listed > 0)
		begin(keeper_now_us(), true); /* no service is started any more, so no child has copies */
}

void disposal_set_cloexec(bool cloexec)
{
	for (unsigned int i = 0; i < n_listed; i++)
		(void)fcntl(listed[i], F_SETFD, cloexec ? FD_CLOEXEC : 0); /* they are open */
}

void disposal_of_everything(void)
{
	pid_t pid = spawn_fork();

	if (pid == 0) {
		wait_for(SIGUSR1, (struct timespec){ .tv_sec = START_LIMIT_S });
		_exit(0);
	}
	console_close_others(); /* the child has a copy of each; without the child this may wait */
	if (pid > 0)
		(void)kill(pid, SIGUSR1); /* not reaped yet */
}

void disposal_on_exit(pid_t pid)
{
	unsigned int i = 0;

	while (i < n_children && children[i] != pid)
		i++;
	if (i == n_children)
		return;
	if (pid == newest || n_children == MAX_CHILDREN)
		next_us = 0;
	children[i] = children[--n_children];
}
