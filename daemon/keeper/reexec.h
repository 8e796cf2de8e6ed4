/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: PID 1 executes its own binary again and loses nothing, because the next image gets its
 * memory (memory.h).
 */
#ifndef SVCD_KEEPER_REEXEC_H
#define SVCD_KEEPER_REEXEC_H

#include <stdbool.h>

/*
 * From the command line: the previous image has left its tables in @fd (-1: none); it had a fault
 * over them itself.
 */
void reexec_expect(int fd);
void reexec_expect_again(void);
/* From the command line: the number of faults within the last minute. */
void reexec_expect_faults(int n);

/* Writes the state that is in no table to the memory, just before the next image begins. */
void reexec_write_state(void);

/*
 * Takes over the expected tables. Returns: false if there are none or they cannot be read, which
 * was logged; memory_init() must follow.
 */
bool reexec_resume(void);

/**
 * reexec_try() - "svcd --try-tables=FD": check whether this program can take over the tables in @fd, by doing so
 * Returns: an exit status; REEXEC_CAN_TAKE_OVER on success.
 */
int reexec_try(int fd);

/**
 * reexec_refusal() - did the installed program fail its trial, so that the previous image goes on?
 * @ret_status: its wait status, -1 if it did not end in time
 */
bool reexec_refusal(int *ret_status);
/* From the command line by which the previous image has executed itself. */
void reexec_set_refusal(int status);

/* Not 0, because any other program in our place may exit with 0. */
#define REEXEC_CAN_TAKE_OVER 96

/* Executes our binary with the tables. Returns only on failure; then nothing has changed. */
void reexec_now(void);

/* Would reexec_after_fault() drop the tables, which may have caused the fault? */
bool reexec_begins_anew(void);

/*
 * The same from the handler of a fault. If the tables of the previous image are not taken over yet,
 * they are handed on unchanged. If that was tried before, the next image begins with empty tables.
 */
void reexec_after_fault(void);

#endif
