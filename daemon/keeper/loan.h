/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loan: a child begins with our table of descriptors, not with a copy of it.
 *
 * A copy has everything that is kept for the manager, a log pipe or more for each service, and closing all that in the child
 * takes longer than clone itself once there are hundreds. So clone3(2) shares the table (CLONE_FILES), what is kept stands
 * above LOAN_END in it, and the first thing the child does is to take a table of its own with only what stands below
 * (CLOSE_RANGE_UNSHARE). Until then what it needs must stay open here: that is the loan. Nothing waits for its return: a
 * child that is frozen or starved before that keeps its loan for as long, and when all are taken, children get copies.
 */
#ifndef SVCD_KEEPER_LOAN_H
#define SVCD_KEEPER_LOAN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LOAN_END 256 /* no descriptor from here on is a child's */

/* To be called once at start. Without it, or if it fails, nothing is lent. */
void loan_init(void);

/* Is readable when something was given back: become_independent() adds the bit of a place. -1: nothing is ever lent. */
int loan_fd(void);

/* Moves @fd to where no child sees it. Returns: the new number, or @fd itself if there is none. */
int loan_move_away(int fd);

/**
 * loan_find_place() - may a child that needs these descriptors share our table?
 * Returns: a place for loan_give(), or -1.
 */
int loan_find_place(const int *fds, size_t n_fds);

/* The child that was started with @place has @fds until it gives them back; then they are closed. Takes them. */
void loan_give(int place, pid_t pid, const int *fds, size_t n_fds);

/* Closes what was given back. */
void loan_collect(void);

/* PID 1 executes itself again: no child is to wait for the close of what it was lent, which that does. */
void loan_release_all(void);

/* A child was reaped: it needs nothing any more. */
void loan_on_exit(pid_t pid);

#endif
