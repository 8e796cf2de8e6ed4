/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child exec: the steps of a process between its clone and its exec, in the order of enum ExecStep.
 *
 * No step takes a lock or allocates memory.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/spawn.h"

/* Above every descriptor number of a child. */
#define PARKED_FD (PROTOCOL_MAX_FDS + 8)

/*
 * If SPAWN_MAY_EXEC has not come within this time, PID 1 had a fault after the clone, and the child
 * goes on.
 */
#define MAY_EXEC_LIMIT_US (10 * USEC_PER_SEC)

/* Exit status of a child without a status channel; the shell uses it for "could not execute". */
#define EXIT_NOT_EXECUTED 127

static int error_of(int result)
{
	return result < 0 ? errno : 0;
}

/*
 * Moves *@fd to a number above all targets. The targets are the numbers below @end. So moving a
 * descriptor to its target closes no other descriptor.
 */
static int park(int *fd, int end)
{
	int parked;

	if (*fd < 0 || *fd >= end)
		return 0;
	parked = fcntl(*fd, F_DUPFD_CLOEXEC, PARKED_FD);
	if (parked >= 0)
		*fd = parked;
	return error_of(parked);
}

static int move_descriptor(int from, int to, int flags)
{
	return from < 0 ? 0 : error_of(dup3(from, to, flags));
}

/*
 * The order: 0, 1 and 2; the inherited descriptors from 3 on; the status channel, which exec
 * closes.
 */
static int move_descriptors(struct SpawnRequest *r)
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
		error = error ? error : move_descriptor(r->stdio[i], i, 0);
	for (uint32_t i = 0; i < r->n_inherited; i++)
		error = error ? error : move_descriptor(r->inherited[i], 3 + (int)i, 0);
	if (r->status >= 0) {
		error = error ? error : move_descriptor(r->status, next, O_CLOEXEC);
		r->status = error ? r->status : next;
		next++;
	}
	return error ? error : error_of(close_range((unsigned int)next, ~0U, 0));
}

static int step_setup(struct SpawnRequest *r)
{
	int error = r->enters_cgroup ? keeper_write_at(r->cgroup, "cgroup.procs", "0") : 0;

	if (!error)
		error = error_of(setsid());
	if (!error)
		error = move_descriptors(r);
	/* If a user's keeper is killed, no other process ends its services. */
	if (!error && keeper.user_mode)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0); /* a valid signal */
	return error || !r->controlling_tty ? error : error_of(ioctl(STDIN_FILENO, TIOCSCTTY, 1));
}

/*
 * Is the closest permitted limit good enough? In a container without CAP_SYS_RESOURCE, a service
 * with a higher limit in the vendor's file could otherwise never start. A manager with other limits
 * is better than none.
 */
static bool is_lenient(const struct SpawnRequest *r)
{
	return keeper.container || !r->is_message;
}

static int set_limit(const struct SpawnRequest *r, uint32_t resource, struct rlimit wanted)
{
	const int error = error_of(setrlimit((int)resource, &wanted));
	struct rlimit now;

	if (error != EPERM || !is_lenient(r) || getrlimit((int)resource, &now) < 0)
		return error;
	if (wanted.rlim_max > now.rlim_max)
		wanted.rlim_max = now.rlim_max;
	if (wanted.rlim_cur > wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max;
	return error_of(setrlimit((int)resource, &wanted));
}

/*
 * Sets the nice value of the process, and of its session (sched(7), "The autogroup feature"). With
 * autogroups, the value of a process has an effect only within its session.
 */
static int set_nice(int32_t nice)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)nice); /* it fits */
	/* kernels without autogroups have no such file */
	(void)keeper_write_at(AT_FDCWD, "/proc/self/autogroup", text);
	return error_of(setpriority(PRIO_PROCESS, 0, nice));
}

static int step_limits(struct SpawnRequest *r)
{
	int error = set_limit(r, RLIMIT_NOFILE,
			      (struct rlimit){ keeper.nofile_soft, keeper.nofile_hard });
	const int score_error = r->flags & SPAWN_SET_OOM ? r->score_error : 0;

	for (uint32_t i = 0; i < r->n_rlimits && !error; i++)
		error = set_limit(r, r->rlimits[i].resource,
				  (struct rlimit){ r->rlimits[i].soft, r->rlimits[i].hard });
	if (!error && r->flags & SPAWN_SET_NICE)
		error = set_nice(r->nice);
	/*
	 * The child has inherited the score from PID 1 (spawn.c). A container may refuse any score
	 * except its own.
	 */
	if (!error && !(is_lenient(r) &&
			(score_error == EACCES || score_error == EPERM || score_error == EROFS)))
		error = score_error;
	(void)umask(r->flags & SPAWN_SET_UMASK ? r->umask : 022); /* cannot fail */
	return error;
}

static int step_directory(struct SpawnRequest *r)
{
	return error_of(chdir(r->directory ? r->directory : "/"));
}

static int step_identity(struct SpawnRequest *r)
{
	int error = 0;

	if (r->flags & SPAWN_SET_GROUPS)
		error = error_of(setgroups(r->n_groups, r->groups));
	if (!error && r->flags & SPAWN_SET_GID)
		error = error_of(setresgid(r->gid, r->gid, r->gid));
	if (!error && r->flags & SPAWN_SET_UID)
		error = error_of(setresuid(r->uid, r->uid, r->uid));
	return error;
}

static int step_exec(struct SpawnRequest *r)
{
	sigset_t none;

	if (r->is_message)
		keeper_wait_for_signal(SPAWN_MAY_EXEC, MAY_EXEC_LIMIT_US);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail with these arguments */
	(void)execve(r->argv[0], r->argv, r->environment);
	return errno;
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

void child_exec(struct SpawnRequest *r)
{
	struct ExecStatus status = { 0 };
	size_t i = 0;

	while (!(status.error = steps[i].run(r))) /* the last step returns only if it has failed */
		i++;
	status.step = (int32_t)steps[i].step;
	/*
	 * A service's failure is sent to the manager. Other failures (of the manager, helpers and
	 * the rescue shell) are printed on the console.
	 */
	if (r->status >= 0)
		/* there is no other place to report a failure */
		(void)!write(r->status, &status, sizeof(status));
	else
		(void)dprintf(STDERR_FILENO, "svcd: %s: cannot %s: %s\r\n", r->argv[0],
			      steps[i].what, strerror(status.error));
	_exit(EXIT_NOT_EXECUTED);
}
