/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rescue: a root shell on the console while the manager cannot be had. Services keep running, and so does PID 1.
 */
#ifndef SVCD_KEEPER_RESCUE_H
#define SVCD_KEEPER_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens the shell if there is none, with the reason above it. */
void rescue_begin(void);

/* A manager has settled; the shell stays until its user leaves it. */
void rescue_on_settled(void);

bool rescue_is_shell(pid_t pid);

/* A child was reaped. Returns: whether it was the shell, which somebody has left. */
bool rescue_on_exit(pid_t pid, int wait_status);

#endif
