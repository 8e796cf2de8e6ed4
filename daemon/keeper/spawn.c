/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: the check of a request, and the few steps between clone and exec.
 *
 * The order of the steps is that of enum ExecStep. Nothing between clone and exec takes a lock or allocates.
 */
#include "config.h"

#include "keeper/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/loan.h"
#include "keeper/tables.h"

/* Above every number that a child's descriptors are placed at. */
#define PARKED_FD (PROTOCOL_MAX_FDS + 8)

/* What a child exits with when there is no status pipe to say it: the shell's word for "could not execute". */
#define EXIT_NOT_EXECUTED 127

/* Where spawn_request_parse() is in a message. */
struct Cursor {
	const char *at;
	size_t left;
};

void spawn_request_init(struct SpawnRequest *request)
{
	memset(request, 0, offsetof(struct SpawnRequest, strings)); /* pages of our stack that are not touched are not copied */
	request->stdio[0] = request->stdio[1] = request->stdio[2] = -1;
	request->cgroup = -1;
	request->status = -1;
	request->loan = -1;
}

static bool take_bytes(struct Cursor *c, void *into, size_t size)
{
	if (c->left < size)
		return false;
	memcpy(into, c->at, size);
	c->at += size;
	c->left -= size;
	return true;
}

static const char *take_string(struct Cursor *c)
{
	const char *string = c->at;
	const char *end = memchr(c->at, '\0', c->left);

	if (!end)
		return NULL;
	c->left -= (size_t)(end + 1 - c->at);
	c->at = end + 1;
	return string;
}

/* @n strings and a NULL, into the request's pool of pointers from *@used on. */
static char *const *take_strings(struct Cursor *c, struct SpawnRequest *r, uint32_t n, size_t *used)
{
	char **first = &r->strings[*used];

	if (n >= SPAWN_MAX_STRINGS || *used + n + 1 > SPAWN_MAX_STRINGS)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const char *string = take_string(c);

		if (!string)
			return NULL;
		/* execve(2) wants pointers to char; it writes nothing there. */
		memcpy(&first[i], &string, sizeof(string));
	}
	first[n] = NULL;
	*used += n + 1;
	return first;
}

static bool take_fds(struct SpawnRequest *r, const int *fds, size_t n_fds)
{
	size_t wanted = (r->flags & SPAWN_STDIO ? 3u : 0u) + (r->flags & SPAWN_CGROUP ? 1u : 0u) +
			(r->flags & SPAWN_STATUS ? 1u : 0u) + r->n_inherited;

	if (wanted != n_fds)
		return false;
	for (int i = 0; i < 3 && r->flags & SPAWN_STDIO; i++)
		r->stdio[i] = *fds++;
	if (r->flags & SPAWN_CGROUP)
		r->cgroup = *fds++;
	if (r->flags & SPAWN_STATUS)
		r->status = *fds++;
	for (uint32_t i = 0; i < r->n_inherited; i++)
		r->inherited[i] = *fds++;
	return true;
}

int spawn_request_parse(const void *message, size_t size, const int *fds, size_t n_fds, struct SpawnRequest *r)
{
	struct Cursor c = { .at = message, .left = size };
	struct MessageSpawn m;
	size_t used = 0;

	spawn_request_init(r);
	if (!take_bytes(&c, &m, sizeof(m)) || m.argc == 0 || m.n_groups > PROTOCOL_MAX_GROUPS ||
	    m.n_rlimits > PROTOCOL_MAX_RLIMITS || m.n_inherited > PROTOCOL_MAX_FDS)
		return EINVAL;
	r->is_message = true;
	r->flags = m.flags;
	r->uid = m.uid;
	r->gid = m.gid;
	r->umask = m.umask;
	r->nice = m.nice;
	r->oom_score_adj = m.oom_score_adj;
	r->n_groups = m.n_groups;
	r->n_rlimits = m.n_rlimits;
	r->n_inherited = m.n_inherited;
	if (!take_bytes(&c, r->groups, m.n_groups * sizeof(r->groups[0])) ||
	    !take_bytes(&c, r->rlimits, m.n_rlimits * sizeof(r->rlimits[0])))
		return EINVAL;
	if (m.flags & SPAWN_SET_DIRECTORY && !(r->directory = take_string(&c)))
		return EINVAL;
	if (!(r->argv = take_strings(&c, r, m.argc, &used)) || !(r->environment = take_strings(&c, r, m.envc, &used)))
		return EINVAL;
	return r->argv[0][0] == '/' && take_fds(r, fds, n_fds) ? 0 : EINVAL;
}

/* Parks *@fd above all targets, which are those below @end, so that placing one never closes another. */
static bool park(int *fd, int end)
{
	int parked;

	if (*fd < 0 || *fd >= end)
		return true;
	parked = fcntl(*fd, F_DUPFD_CLOEXEC, PARKED_FD);
	if (parked < 0)
		return false;
	*fd = parked;
	return true;
}

static bool place(int from, int to)
{
	return from < 0 || dup2(from, to) == to;
}

/* 0, 1, 2, then what it inherits from 3 on, then the status pipe, which closes itself on exec. */
static bool place_descriptors(struct SpawnRequest *r)
{
	int next = 3 + (int)r->n_inherited;
	int end = next + 1;
	bool ok = park(&r->status, end);

	for (int i = 0; i < 3; i++) {
		if (r->stdio[i] < 0)
			r->stdio[i] = keeper_null_fd;
		ok = ok && park(&r->stdio[i], end);
	}
	for (uint32_t i = 0; i < r->n_inherited; i++)
		ok = ok && park(&r->inherited[i], end);
	for (int i = 0; i < 3; i++)
		ok = ok && place(r->stdio[i], i);
	for (uint32_t i = 0; i < r->n_inherited; i++)
		ok = ok && place(r->inherited[i], 3 + (int)i);
	if (r->status >= 0) {
		ok = ok && dup3(r->status, next, O_CLOEXEC) == next;
		r->status = ok ? next : r->status;
		next++;
	}
	return ok && close_range((unsigned int)next, ~0u, 0) == 0;
}

static bool enter_cgroup(int cgroup_fd)
{
	int fd = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, "0", 1) == 1;

	if (fd >= 0)
		(void)close(fd); /* the kernel has taken it, or not */
	return ok;
}

static bool step_setup(struct SpawnRequest *r)
{
	if (r->enters_cgroup && !enter_cgroup(r->cgroup))
		return false;
	if (r->loan >= 0 && !loan_return(r->loan))
		return false;
	if (setsid() < 0 || !place_descriptors(r))
		return false;
	/* A user's keeper that is killed takes its services with it: there is nobody else who would end them. */
	if (keeper.user_mode)
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	return !r->controlling_tty || ioctl(STDIN_FILENO, TIOCSCTTY, 1) == 0;
}

static bool set_oom_score_adj(int32_t score)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", score);
	return keeper_write_file("/proc/self/oom_score_adj", text);
}

/*
 * A container may withhold CAP_SYS_RESOURCE: then the closest that it allows must do, or a vendor's file that asks for
 * more than the container gives would keep its service from running at all. A manager with other limits is better than none.
 */
static bool is_lenient(const struct SpawnRequest *r)
{
	return keeper.container || !r->is_message;
}

static bool set_limit(const struct SpawnRequest *r, uint32_t resource, struct rlimit wanted)
{
	struct rlimit now;

	if (setrlimit((__rlimit_resource_t)resource, &wanted) == 0)
		return true;
	if (errno != EPERM || !is_lenient(r) || getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return false;
	if (wanted.rlim_max > now.rlim_max)
		wanted.rlim_max = now.rlim_max;
	if (wanted.rlim_cur > wanted.rlim_max)
		wanted.rlim_cur = wanted.rlim_max;
	return setrlimit((__rlimit_resource_t)resource, &wanted) == 0;
}

static bool step_oom_score(struct SpawnRequest *r)
{
	if (!(r->flags & SPAWN_SET_OOM)) {
		if (keeper.oom_score_adj != 0)
			(void)set_oom_score_adj(0); /* may be refused inside a container that is given a score */
		return true;
	}
	if (set_oom_score_adj(r->oom_score_adj) || errno == ENOENT) /* without /proc nobody can have a score */
		return true;
	return is_lenient(r) && (errno == EACCES || errno == EPERM || errno == EROFS);
}

/* Of the process, and of its session among the others (sched(7), "The autogroup feature"), or it would count for nothing. */
static bool set_nice(int32_t nice)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", nice);
	(void)keeper_write_file("/proc/self/autogroup", text); /* a kernel without has no such file */
	return setpriority(PRIO_PROCESS, 0, nice) == 0;
}

static bool step_limits(struct SpawnRequest *r)
{
	if (!set_limit(r, RLIMIT_NOFILE, (struct rlimit){ .rlim_cur = keeper.nofile_soft, .rlim_max = keeper.nofile_hard }))
		return false;
	for (uint32_t i = 0; i < r->n_rlimits; i++) {
		if (!set_limit(r, r->rlimits[i].resource,
			       (struct rlimit){ .rlim_cur = r->rlimits[i].soft, .rlim_max = r->rlimits[i].hard }))
			return false;
	}
	if (r->flags & SPAWN_SET_NICE && !set_nice(r->nice))
		return false;
	if (!step_oom_score(r))
		return false;
	(void)umask(r->flags & SPAWN_SET_UMASK ? r->umask : 022);
	return true;
}

static bool step_directory(struct SpawnRequest *r)
{
	return chdir(r->directory ? r->directory : "/") == 0;
}

static bool step_identity(struct SpawnRequest *r)
{
	if (r->flags & SPAWN_SET_GROUPS && setgroups(r->n_groups, r->groups) < 0)
		return false;
	if (r->flags & SPAWN_SET_GID && setresgid(r->gid, r->gid, r->gid) < 0)
		return false;
	return !(r->flags & SPAWN_SET_UID) || setresuid(r->uid, r->uid, r->uid) == 0;
}

static bool step_exec(struct SpawnRequest *r)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail with these arguments */
	(void)execve(r->argv[0], r->argv, r->environment);
	return false;
}

static const struct {
	enum ExecStep step;
	bool (*run)(struct SpawnRequest *r);
	const char *what;
} steps[] = {
	{ EXEC_STEP_SETUP, step_setup, "set up its descriptors" },
	{ EXEC_STEP_LIMITS, step_limits, "set its limits" },
	{ EXEC_STEP_DIRECTORY, step_directory, "enter its directory" },
	{ EXEC_STEP_IDENTITY, step_identity, "become its user" },
	{ EXEC_STEP_EXEC, step_exec, "execute it" },
};

/* Of a service the manager hears it, of the manager and the rescue shell nobody: they have the console. */
static void report(const struct SpawnRequest *r, const struct ExecStatus *status, const char *what)
{
	if (r->status >= 0)
		(void)!write(r->status, status, sizeof(*status)); /* nobody else to tell */
	else
		(void)dprintf(STDERR_FILENO, "svcd: %s: cannot %s: %s\r\n", r->argv[0], what, strerror(status->error));
}

static void __attribute__((noreturn)) become(struct SpawnRequest *r)
{
	size_t i = 0;

	while (steps[i].run(r)) /* the last one returns only if it has failed */
		i++;
	report(r, &(struct ExecStatus){ .step = (int32_t)steps[i].step, .error = errno }, steps[i].what);
	_exit(EXIT_NOT_EXECUTED);
}

void spawn_reset_signals(void)
{
	static const struct {
		unsigned long handler; /* SIG_DFL */
		unsigned long flags;
		unsigned long restorer;
		uint64_t mask;
	} by_default;

	/* Not sigaction(2): libc's keeps 32 and 33 to itself, and posix_spawn(3) of whoever started us ignores them. */
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		(void)syscall(SYS_rt_sigaction, signo, &by_default, NULL, sizeof(by_default.mask)); /* KILL and STOP refuse */
}

/* CLONE_CLEAR_SIGHAND: of our handlers none runs in the child, and we ignore no signal. */
static pid_t clone_process(int cgroup_fd, uint64_t more_flags)
{
	struct clone_args args = { .flags = CLONE_CLEAR_SIGHAND | more_flags, .exit_signal = SIGCHLD };

	if (cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_fd;
	}
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/*
 * Containers may be without clone3(2): a filter cannot look into its arguments, so those of Docker and Podman say ENOSYS. What it does
 * for a child is then done by the child.
 */
static pid_t fork_process(void)
{
	pid_t pid = _Fork();

	if (pid == 0)
		spawn_reset_signals();
	return pid;
}

static pid_t start_process(struct SpawnRequest *request)
{
	int cgroup_fd = request->flags & SPAWN_CGROUP ? request->cgroup : -1;
	pid_t pid = clone_process(cgroup_fd, request->loan >= 0 ? CLONE_FILES : 0);

	if (pid >= 0 || errno != ENOSYS)
		return pid;
	request->loan = -1; /* it has a copy */
	request->enters_cgroup = cgroup_fd >= 0;
	return fork_process();
}

pid_t spawn_process(struct SpawnRequest *request)
{
	pid_t pid;

	if (!request->is_message)
		tables_show();
	pid = start_process(request);
	if (pid == 0)
		become(request);
	if (!request->is_message)
		tables_hide();
	return pid;
}

pid_t spawn_fork(void)
{
	pid_t pid;

	tables_show();
	pid = clone_process(-1, 0);
	if (pid < 0 && errno == ENOSYS)
		pid = fork_process();
	if (pid != 0)
		tables_hide();
	return pid;
}
