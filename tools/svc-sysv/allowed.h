/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allowed: the users in whose presence ctrl-alt-del may shut down the machine (shutdown(8), ACCESS
 * CONTROL).
 */
#ifndef SVCD_SYSV_ALLOWED_H
#define SVCD_SYSV_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#define ALLOWED_FILE "/etc/shutdown.allow"

/*
 * Is root, or a user in ALLOWED_FILE, logged in at a virtual console? If the file is missing, every
 * user is allowed.
 */
bool allowed_is_one_logged_in(void);

/* Does a line of @file contain the user @name, of at most @size bytes? "#" begins a comment. */
bool allowed_has(const char *file, const char *name, size_t size);

/*
 * Is @line (ut_line of utmp(5), of at most @size bytes) a virtual console? ctrl-alt-del is pressed
 * there, not over the network.
 */
bool allowed_is_console(const char *line, size_t size);

#endif
