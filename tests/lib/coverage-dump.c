/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coverage dump: linked only into a PID 1 of tests/coverage, with --wrap. Such a process ends by
 * reboot(2), _exit(2) or SIGKILL. So its counts are written before reboot(2) and _exit(2), and
 * whenever it is idle.
 */
#include <errno.h>
#include <gcov.h>
#include <poll.h>
#include <signal.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int __real_poll(struct pollfd *fds, nfds_t n_fds, int limit_ms);
int __real_sigwait(const sigset_t *set, int *ret_signo);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
int __real_reboot(int command);
void __real__exit(int status) __attribute__((noreturn));

int __wrap_poll(struct pollfd *fds, nfds_t n_fds, int limit_ms);
int __wrap_sigwait(const sigset_t *set, int *ret_signo);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __wrap_reboot(int command);
void __wrap__exit(int status) __attribute__((noreturn));
int __wrap___gcov_execve(const char *path, char *const *argv, char *const *environment);

/*
 * The files are readable and writable for all, because a child of PID 1 adds its counts after it
 * has changed its user to that of a service.
 */
static void dump(void)
{
	static volatile sig_atomic_t is_dumping; /* a fault may interrupt it */
	const int saved = errno;
	const mode_t mask = umask(0);

	if (!is_dumping) {
		is_dumping = 1;
		__gcov_dump();
		__gcov_reset();
		is_dumping = 0;
	}
	(void)umask(mask);
	errno = saved;
}

/* The compiler replaces execve(2) by this call in instrumented code. */
int __wrap___gcov_execve(const char *path, char *const *argv, char *const *environment)
{
	dump();
	return execve(path, argv, environment);
}

int __wrap_poll(struct pollfd *fds, nfds_t n_fds, int limit_ms)
{
	int n = __real_poll(fds, n_fds, 0);

	if (n != 0 || limit_ms == 0)
		return n;
	dump();
	return __real_poll(fds, n_fds, limit_ms);
}

/* The receiver of an answer may kill this process at once. */
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	dump();
	return __real_sendmsg(fd, message, flags);
}

int __wrap_sigwait(const sigset_t *set, int *ret_signo)
{
	dump();
	return __real_sigwait(set, ret_signo);
}

int __wrap_reboot(int command)
{
	dump();
	return __real_reboot(command);
}

void __wrap__exit(int status)
{
	dump();
	__real__exit(status);
}
