/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Privileges: the permanent reduction of rights for programs that only decide (docs/keeper.md).
 */
#ifndef SVCD_PROCESS_PRIVILEGES_H
#define SVCD_PROCESS_PRIVILEGES_H

/**
 * privileges_reduce() - drop the capabilities and system calls that the manager does not use
 *
 * After this call, even an exec cannot gain further capabilities. A step that the kernel does not
 * support or permit is skipped, because a machine must boot.
 * Returns: a static text that names the part that could not be given up; or NULL.
 */
const char *privileges_reduce(void);

#endif
