/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: makes a terminal the service's descriptors 0, 1, 2 and controlling terminal, and sets a
 * mode in which a user can answer. The keeper has already made the session.
 */
#ifndef SVCD_EXEC_TERMINAL_H
#define SVCD_EXEC_TERMINAL_H

/* Returns: 0 or an errno; ENOTTY if @path is not a terminal. */
int terminal_take(const char *path);

/* The default of TERM: "linux" for a virtual console, "vt220" for a serial line. */
const char *terminal_type(const char *path);

#endif
