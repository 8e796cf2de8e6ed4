/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Early boot: what PID 1 needs before it can keep anything: API file systems, a console, cgroups, a clean environment.
 */
#ifndef SVCD_KEEPER_EARLY_BOOT_H
#define SVCD_KEEPER_EARLY_BOOT_H

/* All of it, as far as our place (machine, container, user) allows; what fails is said, and the boot goes on. */
void early_boot(void);

/* What every start of this program needs, after a re-exec too: limits, /dev/null, the manager's cgroup. */
void early_boot_process(void);

/* The environment of the manager and the rescue shell, made from nothing. Static. */
char *const *early_boot_environment(void);

/* The directory of the manager's leaf cgroup, or -1. */
int early_boot_manager_cgroup(void);

#endif
