/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces: unshare(2), setns(2), keyctl(2).
 */
#include "config.h"

#include "sandbox/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_our_network(int fd)
{
	struct stat own;
	struct stat other;

	return stat("/proc/self/ns/net", &own) < 0 || fstat(fd, &other) < 0 ||
	       (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

/*
 * The main process may be gone, or may not have its own network yet, for example because it still
 * waits for an environment file. Then this command gets its own network, never the machine's.
 */
static bool enter_network_of(uint32_t pid)
{
	char path[64];
	bool ok;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = !is_our_network(fd) && setns(fd, CLONE_NEWNET) == 0;
	(void)close(fd); /* opened for a check only */
	return ok;
}

static int raise_loopback(void)
{
	struct ifreq request = { .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return errno;
	strcpy(request.ifr_name, "lo");
	error = ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? errno : 0;
	(void)close(fd); /* nothing was sent */
	return error;
}

static int enter_network(uint32_t main_pid, struct Failure *failure)
{
	int error;

	if (main_pid > 0 && enter_network_of(main_pid))
		return 0;
	if (unshare(CLONE_NEWNET) < 0)
		return failure_set(failure, errno,
				   "PrivateNetwork=: cannot make a network namespace");
	error = raise_loopback();
	return error ? failure_set(failure, error, "PrivateNetwork=: cannot bring up lo") : 0;
}

int namespaces_enter(const struct Sandbox *sandbox, uint32_t main_pid, struct Failure *failure)
{
	int error = sandbox_requests(sandbox, SANDBOX_PRIVATE_NETWORK) ?
			    enter_network(main_pid, failure) :
			    0;

	if (!error && sandbox_requests(sandbox, SANDBOX_PROTECT_HOSTNAME) &&
	    unshare(CLONE_NEWUTS) < 0)
		error = failure_set(failure, errno,
				    "ProtectHostname=: cannot make a host name of its own");
	return error;
}

int namespaces_join_keyring(const struct Sandbox *sandbox, struct Failure *failure)
{
	if (!sandbox_requests(sandbox, SANDBOX_KEYRING_MODE))
		return 0;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return failure_set(failure, errno, "KeyringMode=: cannot make a session keyring");
	if (sandbox->value[SANDBOX_KEYRING_MODE] == KEYRING_MODE_SHARED &&
	    syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING) < 0)
		return failure_set(failure, errno, "KeyringMode=: cannot link the user's keyring");
	return 0;
}
