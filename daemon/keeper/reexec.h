/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: PID 1 executes its own binary again and loses nothing: the next image gets its memory (memory.h).
 */
#ifndef SVCD_KEEPER_REEXEC_H
#define SVCD_KEEPER_REEXEC_H

#include <stdbool.h>

/* From the command line: the image before has left its tables in @fd (-1: none); it had a fault over them itself. */
void reexec_expect(int fd);
void reexec_expect_again(void);
/* And how many faults there have been lately. */
void reexec_expect_faults(int n);

/* Writes what is in no table to the memory: just before the next image begins. */
void reexec_write_state(void);

/* Takes over the tables that are expected; false if there are none, or they cannot be read (and says so): then memory_init() is due. */
bool reexec_resume(void);

/**
 * reexec_try() - what "svcd --try-tables=FD" does: say whether this program can take over the tables in @fd, by doing so
 * Returns: an exit status, REEXEC_CAN_TAKE_OVER if it could.
 */
int reexec_try(int fd);

/**
 * reexec_refusal() - did the installed program fail its trial, so that this image, the one before, goes on?
 * @ret_status: its wait status, -1 if it did not end in time
 */
bool reexec_refusal(int *ret_status);
/* From the command line by which the image before has executed itself. */
void reexec_set_refusal(int status);

/* Not 0: another program that was put in our place may end with that. */
#define REEXEC_CAN_TAKE_OVER 96

/* Executes our binary with the tables. Returns only if that fails; then nothing has changed. */
void reexec_now(void);

/* Would reexec_after_fault() leave the tables, and so what the fault may come from, behind? */
bool reexec_begins_anew(void);

/*
 * The same, from the handler of a fault. If that came before the tables of the image before were ours they are handed on as they are;
 * if that has been tried before, the next image begins with nothing.
 */
void reexec_after_fault(void);

#endif
