/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the cgroup v2 directory below which svcd lives, and leaves for the keeper and the manager in it.
 */
#ifndef SVCD_KEEPER_CGROUP_H
#define SVCD_KEEPER_CGROUP_H

/* Finds or mounts cgroup v2 and makes keeper.cgroup_root; without it, that stays empty and all works without. */
void cgroup_setup(void);

/* The manager's leaf, for CLONE_INTO_CGROUP; -1 without cgroup v2. */
int cgroup_open_manager(void);

#endif
