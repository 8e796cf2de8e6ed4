/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Early boot: sets up API file systems, a console, cgroups (own-cgroups.c) and a clean environment.
 */
#ifndef SVCD_KEEPER_EARLY_BOOT_H
#define SVCD_KEEPER_EARLY_BOOT_H

/*
 * Does each step that the machine, the container or the user's session allows. A failure is logged,
 * and the boot goes on.
 */
void early_boot(void);

/*
 * Sets up what every start of this program needs, also after a re-exec: limits, /dev/null, a
 * cgroup.
 */
void early_boot_process(void);

/* Returns: the environment of the manager and the rescue shell, which is static. */
char *const *early_boot_environment(void);

/*
 * Finds or mounts cgroup v2, and sets keeper.cgroup_root, which stays empty without a usable cgroup
 * v2.
 */
void cgroup_setup(void);

/* Returns: the directory of the manager's leaf; -1 without cgroup v2. */
int cgroup_open_manager(void);

#endif
