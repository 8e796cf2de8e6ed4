/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spawn: the check of a request, and the clone.
 */
#include "config.h"

#include "keeper/spawn.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "keeper/keeper.h"

/* The position of spawn_request_parse() in a message. */
struct Cursor {
	const char *at;
	size_t left;
};

static void request_init(struct SpawnRequest *r)
{
	/*
	 * the strings are not cleared, because after a fork each page that is written to is copied
	 */
	memset(r, 0, offsetof(struct SpawnRequest, strings));
	r->stdio[0] = r->stdio[1] = r->stdio[2] = r->cgroup = r->status = -1;
}

struct SpawnRequest *spawn_request_blank(void)
{
	static struct SpawnRequest request;

	request_init(&request);
	return &request;
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

/* Takes @n strings and a NULL into the pool of pointers, from *@used on. */
static char *const *take_strings(struct Cursor *c, struct SpawnRequest *r, uint32_t n, size_t *used)
{
	char **first = &r->strings[*used];

	if (n >= SPAWN_MAX_STRINGS || *used + n + 1 > SPAWN_MAX_STRINGS)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		const char *string = take_string(c);

		if (!string)
			return NULL;
		/* execve(2) wants pointers to char; it writes nothing there */
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

int spawn_request_parse(const void *message, size_t size, const int *fds, size_t n_fds,
			struct SpawnRequest *r)
{
	struct Cursor c = { .at = message, .left = size };
	struct MessageSpawn m;
	size_t used = 0;

	request_init(r);
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
	if (!(r->argv = take_strings(&c, r, m.argc, &used)) ||
	    !(r->environment = take_strings(&c, r, m.envc, &used)))
		return EINVAL;
	return r->argv[0][0] == '/' && take_fds(r, fds, n_fds) ? 0 : EINVAL;
}

void spawn_reset_signals(void)
{
	static const struct {
		unsigned long handler; /* SIG_DFL */
		unsigned long flags;
		unsigned long restorer;
		uint64_t mask;
	} by_default;

	/*
	 * libc reserves the signals 32 and 33, so its sigaction() refuses them. But posix_spawn(3)
	 * in our parent may have left them ignored.
	 */
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		/* the kernel refuses KILL and STOP */
		(void)syscall(SYS_rt_sigaction, signo, &by_default, NULL, sizeof(by_default.mask));
}

/*
 * CLONE_CLEAR_SIGHAND: the child has none of our handlers. This is enough, because we ignore no
 * signal. The seccomp filters of Docker and Podman answer clone3(2) with ENOSYS, because a filter
 * cannot check the arguments. Then the child resets its signals itself. *ret_enters: the child must
 * also enter the cgroup itself.
 */
static pid_t clone_process(int cgroup_fd, pid_t *ret_pid, bool *ret_enters)
{
	struct clone_args args = { .flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD };
	pid_t pid;

	if (ret_pid) {
		args.flags |= CLONE_PARENT_SETTID;
		args.parent_tid = (uint64_t)(uintptr_t)ret_pid;
	}
	if (cgroup_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup_fd;
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid >= 0 || errno != ENOSYS)
		return pid;
	*ret_enters = cgroup_fd >= 0;
	pid = _Fork();
	if (pid == 0)
		spawn_reset_signals();
	return pid;
}

/* Returns: 0 or an errno. Without /proc there are no scores. */
static int set_own_score(int32_t score)
{
	char text[16];
	const int length = snprintf(text, sizeof(text), "%d", (int)score);

	return keeper_score_fd < 0 || pwrite(keeper_score_fd, text, (size_t)length, 0) == length ?
		       0 :
		       errno;
}

/*
 * A child inherits the OOM score at its clone, so PID 1 takes on the score of the child during the
 * clone. The child cannot set it, because that needs a look-up in /proc, and a user can hold the
 * lock of /proc.
 */
pid_t spawn_process(struct SpawnRequest *r)
{
	const int32_t score = r->flags & SPAWN_SET_OOM ? r->oom_score_adj : 0;
	const bool is_other = score != keeper.oom_score_adj;
	pid_t pid;

	r->score_error = is_other ? set_own_score(score) : 0;
	pid = clone_process(r->flags & SPAWN_CGROUP ? r->cgroup : -1, r->ret_pid,
			    &r->enters_cgroup);
	if (pid != 0 && is_other)
		spawn_restore_score();
	if (pid == 0 && r->prepare)
		r->prepare(r);
	if (pid == 0)
		child_exec(r);
	return pid;
}

void spawn_restore_score(void)
{
	const int error = errno;

	/* if this is refused, the change was refused as well */
	(void)set_own_score(keeper.oom_score_adj);
	errno = error;
}

pid_t spawn_fork(void)
{
	bool enters;

	return clone_process(-1, NULL, &enters);
}
