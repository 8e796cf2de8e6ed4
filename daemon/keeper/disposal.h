/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disposal: the last close of a descriptor that a process of a service could have touched.
 *
 * Such a close(2) can wait for ever: for the mutex of a pipe, for a peer that acknowledges nothing
 * (SO_LINGER), for a dead file system. So a child closes it last, after PID 1 has closed its own
 * copy. The child may hang (docs/keeper.md, "Disposal").
 */
#ifndef SVCD_KEEPER_DISPOSAL_H
#define SVCD_KEEPER_DISPOSAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Takes @fd. It is closed at the end of this turn of the loop, or later. */
void disposal_add(int fd);

/* Takes @fd while its sender still has a copy. disposal_release() then adds it. */
void disposal_hold(int fd);
void disposal_release(void);

/* Starts a child for the list, if it is time. */
void disposal_tick(uint64_t now_us);
uint64_t disposal_next_us(void);

/* Starts a child at once, because PID 1 is about to end the machine or to execute itself. */
void disposal_now(void);

/*
 * Before an execve(2): descriptors that no child could take stay open, because closing them could
 * hang.
 */
void disposal_set_cloexec(bool cloexec);

/* Closes all descriptors of this process, except those of the console. */
void disposal_of_everything(void);

/* A child was reaped. */
void disposal_on_exit(pid_t pid);

#endif
