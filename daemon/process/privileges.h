/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges: what a program that decides, and lets others do, gives up for good (docs/keeper.md).
 */
#ifndef SVCD_PROCESS_PRIVILEGES_H
#define SVCD_PROCESS_PRIVILEGES_H

/**
 * privileges_reduce() - give up what the manager has no use for: capabilities, further ones by an exec, system calls
 *
 * Where the kernel has no such thing, or has given us none, that part is left out: a machine must boot.
 * Returns: what could not be given up, in words, or NULL; static.
 */
const char *privileges_reduce(void);

#endif
