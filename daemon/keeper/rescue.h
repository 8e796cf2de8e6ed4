/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rescue: a root shell on the console while no manager stays up. Services keep running.
 */
#ifndef SVCD_KEEPER_RESCUE_H
#define SVCD_KEEPER_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens the shell and prints the reason, if there is no shell yet. */
void rescue_begin(void);

/* A manager has settled. The shell stays until its user leaves it. */
void rescue_on_settled(void);

bool rescue_is_shell(pid_t pid);

/* A child was reaped. Returns: whether it was the shell and its user has left it. */
bool rescue_on_exit(pid_t pid, int wait_status);

#endif
