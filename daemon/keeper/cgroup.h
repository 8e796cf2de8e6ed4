/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the cgroup v2 directory that svcd lives in, and the leaves of PID 1 and the manager.
 */
#ifndef SVCD_KEEPER_CGROUP_H
#define SVCD_KEEPER_CGROUP_H

/*
 * Finds or mounts cgroup v2 and sets keeper.cgroup_root. It stays empty if there is no usable
 * cgroup v2.
 */
void cgroup_setup(void);

/* Returns: the directory of the manager's leaf, for CLONE_INTO_CGROUP; -1 without cgroup v2. */
int cgroup_open_manager(void);

#endif
