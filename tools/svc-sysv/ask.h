/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask: requests to PID 1, either svcd or another init.
 */
#ifndef SVCD_SYSV_ASK_H
#define SVCD_SYSV_ASK_H

#include <stdbool.h>

/* How a machine ends. */
enum End { END_HALT, END_POWEROFF, END_REBOOT };

/* Is svcd PID 1? */
bool ask_is_svcd(void);

/**
 * ask_for_end() - stop all services, then end the machine
 *
 * Returns at once, while services are being stopped. If the manager does not answer, PID 1 gets a
 * signal instead, and ends the machine itself after some time.
 * Returns: an exit status; errors are printed.
 */
int ask_for_end(enum End end);

/* @letter: as of telinit(8). Returns: an exit status; errors are printed. */
int ask_for_runlevel(char letter);

/*
 * Runs @argv and waits for it. Returns: its exit status; 127 if it could not be run; 128 + N after
 * signal N.
 */
int ask_run(const char *const *argv);

#endif
