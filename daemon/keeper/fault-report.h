/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault report: where a fault of our own was: addresses on the console.
 */
#ifndef SVCD_KEEPER_FAULT_REPORT_H
#define SVCD_KEEPER_FAULT_REPORT_H

/**
 * fault_report_say() - the signal, where the program was, and who had called it
 * @context: the third argument of the handler, sigaction(2)
 */
void fault_report_say(int signo, const void *context);

#endif
