/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Become: the order of the steps is that of enum ExecStep. None takes a lock or allocates, and none writes anywhere but to the request and to its
 * own stack: each page that a child writes to is copied.
 */
#include "config.h"

#include "keeper/become.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "keeper/calls.h"
#include "keeper/keeper.h"
#include "keeper/loan.h"

/* Above every number that a child's descriptors are placed at. */
#define PARKED_FD (PROTOCOL_MAX_FDS + 8)

/* PID 1 had a fault between the clone and the signal: go on without it. */
#define MAY_EXEC_LIMIT_S 10

/* What a child exits with when there is no status pipe to say it: the shell's word for "could not execute". */
#define EXIT_NOT_EXECUTED 127

/* Of the kernel's sets, which are smaller than libc's. */
#define SIGNAL_SET_BYTES (_NSIG / 8)

/* As the kernel has them in each of its ABIs. */
struct Limit {
	uint64_t soft;
	uint64_t hard;
};

static int error_of(long result)
{
	return result < 0 ? (int)-result : 0;
}

/* Parks *@fd above all targets, which are those below @end, so that placing one never closes another. */
static int park(int *fd, int end)
{
	long parked;

	if (*fd < 0 || *fd >= end)
		return 0;
	parked = call(SYS_fcntl, *fd, F_DUPFD_CLOEXEC, PARKED_FD, 0);
	if (parked >= 0)
		*fd = (int)parked;
	return error_of(parked);
}

static int place(int from, int to, int flags)
{
	return from < 0 ? 0 : error_of(call(SYS_dup3, from, to, flags, 0));
}

/* 0, 1, 2, then what it inherits from 3 on, then the status pipe, which closes itself on exec. */
static int place_descriptors(struct SpawnRequest *r)
{
	int next = 3 + (int)r->n_inherited;
	int end = next + 1;
	int error = park(&r->status, end);

	for (int i = 0; i < 3; i++) {
		if (r->stdio[i] < 0)
			r->stdio[i] = keeper_null_fd;
		error = error ? error : park(&r->stdio[i], end);
	}
	for (uint32_t i = 0; i < r->n_inherited; i++)
		error = error ? error : park(&r->inherited[i], end);
	for (int i = 0; i < 3; i++)
		error = error ? error : place(r->stdio[i], i, 0);
	for (uint32_t i = 0; i < r->n_inherited; i++)
		error = error ? error : place(r->inherited[i], 3 + (int)i, 0);
	if (r->status >= 0) {
		error = error ? error : place(r->status, next, O_CLOEXEC);
		r->status = error ? r->status : next;
		next++;
	}
	return error ? error : error_of(call(SYS_close_range, next, ~0U, 0, 0));
}

static int write_to(int directory_fd, const char *path, const char *text)
{
	const long fd = call(SYS_openat, directory_fd, (long)path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	long n;

	if (fd < 0)
		return error_of(fd);
	n = call(SYS_write, fd, (long)text, (long)strlen(text), 0);
	(void)call(SYS_close, fd, 0, 0, 0); /* the kernel has taken it, or not */
	return error_of(n);
}

static int write_number(const char *path, int32_t number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)number); /* it fits */
	return write_to(AT_FDCWD, path, text);
}

int become_independent(int place)
{
	const uint64_t bit = UINT64_C(1) << place;
	const int error = error_of(call(SYS_close_range, LOAN_END, ~0U, CLOSE_RANGE_UNSHARE, 0));

	return error ? error : error_of(call(SYS_write, loan_fd(), (long)&bit, sizeof(bit), 0));
}

static int step_setup(struct SpawnRequest *r)
{
	int error = r->enters_cgroup ? write_to(r->cgroup, "cgroup.procs", "0") : 0;

	if (!error && r->loan >= 0)
		error = become_independent(r->loan);
	if (!error)
		error = error_of(call(SYS_setsid, 0, 0, 0, 0));
	if (!error)
		error = place_descriptors(r);
	/* A user's keeper that is killed takes its services with it: there is nobody else who would end them. */
	if (!error && keeper.user_mode)
		(void)call(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0);
	return error || !r->controlling_tty ? error : error_of(call(SYS_ioctl, STDIN_FILENO, TIOCSCTTY, 1, 0));
}

/*
 * A container may withhold CAP_SYS_RESOURCE: then the closest that it allows must do, or a vendor's file that asks for
 * more than the container gives would keep its service from running at all. A manager with other limits is better than none.
 */
static bool is_lenient(const struct SpawnRequest *r)
{
	return keeper.container || !r->is_message;
}

static int set_limit(const struct SpawnRequest *r, uint32_t resource, struct Limit wanted)
{
	const int error = error_of(call(SYS_prlimit64, 0, resource, (long)&wanted, 0));
	struct Limit now;

	if (error != EPERM || !is_lenient(r) || call(SYS_prlimit64, 0, resource, 0, (long)&now) < 0)
		return error;
	if (wanted.hard > now.hard)
		wanted.hard = now.hard;
	if (wanted.soft > wanted.hard)
		wanted.soft = wanted.hard;
	return error_of(call(SYS_prlimit64, 0, resource, (long)&wanted, 0));
}

/* PID 1 had the score at the clone (spawn.c). A container that is given a score of its own may refuse another one. */
static int step_oom_score(const struct SpawnRequest *r)
{
	const int error = r->flags & SPAWN_SET_OOM ? r->score_error : 0;

	return is_lenient(r) && (error == EACCES || error == EPERM || error == EROFS) ? 0 : error;
}

/* Of the process, and of its session among the others (sched(7), "The autogroup feature"), or it would count for nothing. */
static int set_nice(int32_t nice)
{
	(void)write_number("/proc/self/autogroup", nice); /* a kernel without has no such file */
	return error_of(call(SYS_setpriority, PRIO_PROCESS, 0, nice, 0));
}

static int step_limits(struct SpawnRequest *r)
{
	int error = set_limit(r, RLIMIT_NOFILE, (struct Limit){ keeper.nofile_soft, keeper.nofile_hard });

	for (uint32_t i = 0; i < r->n_rlimits && !error; i++)
		error = set_limit(r, r->rlimits[i].resource, (struct Limit){ r->rlimits[i].soft, r->rlimits[i].hard });
	if (!error && r->flags & SPAWN_SET_NICE)
		error = set_nice(r->nice);
	if (!error)
		error = step_oom_score(r);
	(void)call(SYS_umask, r->flags & SPAWN_SET_UMASK ? r->umask : 022, 0, 0, 0);
	return error;
}

static int step_directory(struct SpawnRequest *r)
{
	return error_of(call(SYS_chdir, (long)(r->directory ? r->directory : "/"), 0, 0, 0));
}

static int step_identity(struct SpawnRequest *r)
{
	int error = 0;

	if (r->flags & SPAWN_SET_GROUPS)
		error = error_of(call(CALL_SETGROUPS, r->n_groups, (long)r->groups, 0, 0));
	if (!error && r->flags & SPAWN_SET_GID)
		error = error_of(call(CALL_SETRESGID, r->gid, r->gid, r->gid, 0));
	if (!error && r->flags & SPAWN_SET_UID)
		error = error_of(call(CALL_SETRESUID, r->uid, r->uid, r->uid, 0));
	return error;
}

/* Signals are blocked, as in PID 1, so one that has come already is waiting. */
static void wait_for_permission(void)
{
	const uint64_t set[2] = { UINT64_C(1) << (BECOME_MAY_EXEC - 1) };
	const struct {
		long seconds;
		long nanoseconds;
	} limit = { .seconds = MAY_EXEC_LIMIT_S };

	(void)call(SYS_rt_sigtimedwait, (long)set, 0, (long)&limit, SIGNAL_SET_BYTES); /* after the limit: go on */
}

static int step_exec(struct SpawnRequest *r)
{
	const uint64_t none[2] = { 0 };

	if (r->is_message)
		wait_for_permission();

	(void)call(SYS_rt_sigprocmask, SIG_SETMASK, (long)none, 0, SIGNAL_SET_BYTES); /* cannot fail with these arguments */
	return error_of(call(SYS_execve, (long)r->argv[0], (long)r->argv, (long)r->environment, 0));
}

static const struct {
	enum ExecStep step;
	int (*run)(struct SpawnRequest *r); /* returns an errno, or 0 */
	const char *what;
} steps[] = {
	{ EXEC_STEP_SETUP, step_setup, "set up its descriptors" },
	{ EXEC_STEP_LIMITS, step_limits, "set its limits" },
	{ EXEC_STEP_DIRECTORY, step_directory, "enter its directory" },
	{ EXEC_STEP_IDENTITY, step_identity, "become its user" },
	{ EXEC_STEP_EXEC, step_exec, "execute it" },
};

/* Of a service the manager hears it; its helpers, itself and the rescue shell have the console. */
static void report(const struct SpawnRequest *r, const struct ExecStatus *status, const char *what)
{
	if (r->status >= 0)
		(void)call(SYS_write, r->status, (long)status, sizeof(*status), 0); /* nobody else to tell */
	else
		spawn_say_failure(r, what, status->error);
}

void become(struct SpawnRequest *r)
{
	struct ExecStatus status = { 0 };
	size_t i = 0;

	while (!(status.error = steps[i].run(r))) /* the last one returns only if it has failed */
		i++;
	status.step = (int32_t)steps[i].step;
	report(r, &status, steps[i].what);
	for (;;)
		(void)call(SYS_exit_group, EXIT_NOT_EXECUTED, 0, 0, 0);
}
