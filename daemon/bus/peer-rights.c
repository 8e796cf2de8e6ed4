/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer rights: capget(2), confirmed by a pidfd.
 */
#include "config.h"

#include "bus/peer-rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

#ifndef PIDFD_GET_USER_NAMESPACE
#define PIDFD_GET_USER_NAMESPACE _IO(0xFF, 9) /* Linux 6.11 */
#endif

/*
 * The kernel's number for a process outside our PID namespace. Such a process is on the host of our
 * container, and the host can do anything to us anyway.
 */
#define PID_OUTSIDE 0

#define BIT(capability) (UINT64_C(1) << (capability))

bool peer_rights_suffice(uint64_t effective, uint64_t of_pid1)
{
	const uint64_t needed = of_pid1 & BIT(CAP_SYS_ADMIN) ? BIT(CAP_SYS_ADMIN) : of_pid1;

	return (effective & needed) == needed;
}

/*
 * *@ret_effective: the effective set. @ret_permitted may be NULL. Returns: whether the process
 * exists.
 */
static bool get_capabilities(pid_t pid, uint64_t *ret_effective, uint64_t *ret_permitted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3,
						   .pid = pid };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	*ret_effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	if (ret_permitted)
		*ret_permitted = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return true;
}

bool peer_rights_override_modes(void)
{
	uint64_t effective;

	return get_capabilities(0, &effective, NULL) && effective & BIT(CAP_DAC_OVERRIDE);
}

static bool is_alive(int pidfd)
{
	struct pollfd ready = { .fd = pidfd, .events = POLLIN };

	return poll(&ready, 1, 0) == 0;
}

static bool get_user_namespace(int pidfd, struct stat *ret)
{
	auto_fd int fd = ioctl(pidfd, PIDFD_GET_USER_NAMESPACE, 0);

	return fd >= 0 && fstat(fd, ret) == 0;
}

/*
 * Older kernels cannot report the namespace, and then the process counts as one of ours. EPERM
 * means that the process is in another namespace.
 */
static bool is_in_our_user_namespace(int pidfd)
{
	auto_fd int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct stat ours;
	struct stat its;

	if (own < 0)
		return false;
	if (!get_user_namespace(own, &ours))
		return errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP;
	return get_user_namespace(pidfd, &its) && its.st_dev == ours.st_dev &&
	       its.st_ino == ours.st_ino;
}

/* @pidfd: -1 if the kernel provides no pidfd */
static bool caller_is_root(pid_t pid, int pidfd)
{
	uint64_t effective;
	uint64_t of_pid1;
	uint64_t ignored;

	/* For capget(2), pid 0 means the calling process. */
	if (pid <= 0 || !get_capabilities(pid, &effective, NULL) ||
	    !get_capabilities(1, &ignored, &of_pid1) || !peer_rights_suffice(effective, of_pid1))
		return false;
	return pidfd < 0 || (is_in_our_user_namespace(pidfd) && is_alive(pidfd));
}

bool peer_rights_of_socket(int fd, pid_t pid)
{
	socklen_t size = sizeof(int);
	auto_fd int pidfd = -1;

	if (pid == PID_OUTSIDE)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0)
		return caller_is_root(pid, pidfd);
	return errno == ENOPROTOOPT && peer_rights_of_process(pid);
}

bool peer_rights_of_process(pid_t pid)
{
	auto_fd int pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	return pid == PID_OUTSIDE || (pidfd >= 0 && caller_is_root(pid, pidfd));
}
