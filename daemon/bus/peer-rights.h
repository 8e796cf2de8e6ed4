/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer rights: does a process of uid 0 have the rights of the machine's root?
 *
 * A service can run as uid 0 without capabilities, with NoNewPrivileges or a read-only file system.
 * Such a service is not root, but could become root through svcd. So the caller must have
 * CAP_SYS_ADMIN. If PID 1 itself lacks this capability (containers), the caller must have every
 * capability of PID 1.
 *
 * No path is looked up, because a user can hold the lock of /proc. capget(2) takes a pid. A pidfd
 * proves that the pid was not given to another process, and reports the user namespace of the
 * process. In its own user namespace a process has all capabilities, but not in ours.
 */
#ifndef SVCD_BUS_PEER_RIGHTS_H
#define SVCD_BUS_PEER_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Pure: are the capabilities @effective sufficient, if PID 1 has @of_pid1? One bit each. */
bool peer_rights_suffice(uint64_t effective, uint64_t of_pid1);

/*
 * Does this process have CAP_DAC_OVERRIDE? If it does, processes with the same rights can connect
 * to a socket of mode 0.
 */
bool peer_rights_override_modes(void);

/**
 * peer_rights_of_socket() - is the process that connected @fd root?
 * @pid: from SO_PEERCRED. 0: the process is outside our PID namespace, and is trusted because the
 * mode of the socket admitted it.
 *
 * From Linux 6.5 on the kernel keeps a pidfd of the process that connected. On older kernels, a
 * root process without CAP_SYS_ADMIN could exit and have its pid reused by another process before
 * the check.
 */
bool peer_rights_of_socket(int fd, pid_t pid);

/*
 * Like peer_rights_of_socket(), for a process that a bus daemon has named. Its pid may have been
 * reused. Pid 0: the process is outside our PID namespace. The daemon has the pid from the kernel,
 * so no process inside can pretend to be outside.
 */
bool peer_rights_of_process(pid_t pid);

#endif
