/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terminal: makes a terminal the service's 0, 1, 2 and its controlling terminal, in a state in which a person can answer. The
 * keeper already made the session.
 */
#ifndef SVCD_EXEC_TERMINAL_H
#define SVCD_EXEC_TERMINAL_H

/* Returns: 0 or an errno; ENOTTY when @path is no terminal. */
int terminal_take(const char *path);

/* What TERM should be if nobody says so: a virtual console is "linux", what is behind a wire a "vt220". */
const char *terminal_type(const char *path);

#endif
