/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: the keeper's own faults: it executes itself again with its tables, or at worst only reaps and reboots.
 */
#ifndef SVCD_KEEPER_CRASH_H
#define SVCD_KEEPER_CRASH_H

#include <signal.h>

void crash_init(void);

/*
 * Takes the signals of faults out of @set, which is to be blocked: where its signal is, the kernel makes a fault the end of PID 1,
 * handler or not.
 */
void crash_leave_out(sigset_t *set);

/* PID 1 must never end: reaps and obeys reboot signals, and nothing else. */
void crash_last_resort(void) __attribute__((noreturn));

#endif
