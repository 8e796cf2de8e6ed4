/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Peer rights: does a process of uid 0 have the rights of the machine's root?
 *
 * A service that runs as root without capabilities, with NoNewPrivileges or a read-only file system, has uid 0 and is not root: with
 * svcd's help it would be. So CAP_SYS_ADMIN is required of the caller, or, where PID 1 itself lacks it (containers), every
 * capability that PID 1 has.
 *
 * No path is looked up: a user can hold /proc. capget(2) takes a pid. A pidfd makes sure that the pid has not been
 * given to another process, and says in which user namespace the process is: in a namespace of its own it has all capabilities
 * there, and none here.
 */
#ifndef SVCD_BUS_PEER_RIGHTS_H
#define SVCD_BUS_PEER_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Pure: do these capabilities suffice? One bit each. @of_pid1: those of PID 1. */
bool peer_rights_suffice(uint64_t effective, uint64_t of_pid1);

/* Does this process have CAP_DAC_OVERRIDE, so that a socket of mode 0 can be connected to by its equals? */
bool peer_rights_override_modes(void);

/**
 * peer_rights_of_socket() - is the process that connected @fd root?
 * @pid: of it, from SO_PEERCRED; 0: it is outside our PID namespace, and is believed because the mode of the socket let it in
 *
 * From Linux 6.5 on the kernel keeps a pidfd of the process that connected. Before, a root process without
 * CAP_SYS_ADMIN could exit and have its pid taken over by another one before we look.
 */
bool peer_rights_of_socket(int fd, pid_t pid);

/*
 * The same of a process that a bus daemon has named. That its pid is still its own is not certain. 0: the daemon knows none, because the process is
 * outside our PID namespace; the daemon has the pid from the kernel, so no process can keep it back.
 */
bool peer_rights_of_process(pid_t pid);

#endif
