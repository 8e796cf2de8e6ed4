/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Init request: requests to PID 1, either svcd or another init.
 */
#ifndef SVCD_SYSV_INIT_REQUEST_H
#define SVCD_SYSV_INIT_REQUEST_H

#include <stdbool.h>

/* The last step of a shutdown. */
enum End { END_HALT, END_POWEROFF, END_REBOOT };

/* Is svcd PID 1? */
bool init_is_svcd(void);

/**
 * request_end() - stop all services, then halt, power off or reboot
 *
 * Returns at once, while services are being stopped. If the manager does not answer, PID 1 gets a
 * signal instead, and shuts down the machine itself after some time.
 * Returns: an exit status; errors are printed.
 */
int request_end(enum End end);

/* @letter: as for telinit(8). Returns: an exit status; errors are printed. */
int request_runlevel(char letter);

/*
 * Runs @argv and waits for it. Returns: its exit status; 127 if it could not be run; 128 + N after
 * signal N.
 */
int run_and_wait(const char *const *argv);

#endif
