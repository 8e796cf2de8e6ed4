/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disposal: the last close of a descriptor that a process of a service could have touched.
 *
 * Such a close(2) can wait for ever: for the mutex of a pipe, for a peer that acknowledges nothing (SO_LINGER), for a dead file
 * system. So a child closes last, after PID 1 has closed its own copy, and the child may hang in it (docs/keeper.md, "Disposal").
 */
#ifndef SVCD_KEEPER_DISPOSAL_H
#define SVCD_KEEPER_DISPOSAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Takes @fd. It is closed at the end of this turn of the loop, or later. */
void disposal_add(int fd);

/* Takes @fd, of which its sender still has a copy: it is only added when disposal_release() is called. */
void disposal_hold(int fd);
void disposal_release(void);

/* Begins with what was added, if it is time. */
void disposal_tick(uint64_t now_us);
uint64_t disposal_next_us(void);

/* Begins at once: PID 1 is about to end the machine, or to execute itself again. */
void disposal_now(void);

/* What could not be given to a child is rather lost than closed by an execve(2). */
void disposal_set_cloexec(bool cloexec);

/* Closes all descriptors of this process, except those that say() needs. */
void disposal_of_everything(void);

/* A child was reaped. */
void disposal_on_exit(pid_t pid);

#endif
