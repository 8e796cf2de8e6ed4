/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: faults of PID 1 itself. It executes itself again with its tables, or at worst only reaps
 * and reboots.
 */
#ifndef SVCD_KEEPER_CRASH_H
#define SVCD_KEEPER_CRASH_H

#include <signal.h>

void crash_init(void);

/*
 * Takes the signals of faults out of @set, which will be blocked. The kernel ends PID 1 on a fault
 * whose signal is blocked, even with a handler.
 */
void crash_leave_out(sigset_t *set);

/* PID 1 must never end. Reaps children, obeys reboot signals, and does nothing else. */
void crash_last_resort(void) __attribute__((noreturn));

#endif
