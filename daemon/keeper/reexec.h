/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: PID 1 executes its own binary again and loses nothing, because the next image gets its
 * memory (memory.h). After a fault PID 1 also executes itself again, or at worst only reaps
 * children (crash_last_resort()).
 */
#ifndef SVCD_KEEPER_REEXEC_H
#define SVCD_KEEPER_REEXEC_H

#include <signal.h>
#include <stdbool.h>

/* The previous image has left its tables in @fd (-1: none). */
void reexec_expect(int fd);

/*
 * "--again": the previous image had a fault before it took these tables over. "--faults=N": the
 * number of faults within the last minute. "--refused=STATUS": the result of the trial of the
 * installed program. Returns: false for other arguments.
 */
bool reexec_take_argument(const char *argument);

/* Writes the state that is in no table to the memory, just before the next image begins. */
void reexec_write_state(void);

/*
 * Takes over the expected tables. Returns: false if there are none or they cannot be read, which
 * was logged; memory_init() must follow.
 */
bool reexec_resume(void);

/**
 * reexec_try() - "svcd --try-tables=FD": check whether this program can take over the tables in
 * @fd, by doing so
 * Returns: an exit status; REEXEC_CAN_TAKE_OVER on success.
 */
int reexec_try(int fd);

/* Not 0, because any other program in our place may exit with 0. */
#define REEXEC_CAN_TAKE_OVER 96

/**
 * reexec_refusal() - did the installed program fail its trial, so that the previous image goes on?
 * @ret_status: its wait status, -1 if it did not end in time
 */
bool reexec_refusal(int *ret_status);

/* Executes our binary with the tables. Returns only on failure; then nothing has changed. */
void reexec_now(void);

/* Installs the handlers of faults. */
void crash_init(void);

/*
 * Takes the signals of faults out of @set, which will be blocked. The kernel ends PID 1 on a fault
 * whose signal is blocked, even with a handler.
 */
void crash_leave_out(sigset_t *set);

/* PID 1 must never end. Reaps children, obeys reboot signals, and does nothing else. */
void crash_last_resort(void) __attribute__((noreturn));

#endif
