/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault report: what a fault of our own leaves to whoever wants to know where it was: addresses on the console, and a core.
 */
#ifndef SVCD_KEEPER_FAULT_REPORT_H
#define SVCD_KEEPER_FAULT_REPORT_H

/**
 * fault_report_say() - the signal, where the program was, and who had called it
 * @context: the third argument of the handler, sigaction(2)
 */
void fault_report_say(int signo, const void *context);

/* A child of ours dies as we would have; waits for that, but not long. For the first fault of a boot only. */
void fault_report_leave_core(int signo);

#endif
