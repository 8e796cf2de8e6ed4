/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup ahead: control groups of services that are about to start, made while the one that they wait for comes up.
 *
 * To make one takes longer than all else that a manager does for a start, and in a chain everybody waits for that. It is there and
 * empty, and that is all: nobody is told, nothing is noted. A manager that dies leaves a few empty ones behind, which
 * the next start finds as it finds any other (cgroup_renew()).
 */
#ifndef SVCD_PROCESS_CGROUP_AHEAD_H
#define SVCD_PROCESS_CGROUP_AHEAD_H

#include <glib.h>

/* So many are kept; one more is made at the cost of the oldest. */
#define CGROUP_AHEAD_MAX 4

typedef struct CgroupAhead CgroupAhead;

/* @root: as for cgroup_new(); borrowed. */
CgroupAhead *cgroup_ahead_new(const char *root);
/* @service is about to start, and nothing of it runs. A group that is there already is left alone. */
void cgroup_ahead_make(CgroupAhead *ahead, const char *service);
/* It starts. Returns: the descriptor of its group, the caller's; -1: none was made for it, or @ahead is NULL. */
int cgroup_ahead_take(CgroupAhead *ahead, const char *service);
/* Nobody is about to start any more: those that are left are removed. */
void cgroup_ahead_drop(CgroupAhead *ahead);
/* Removes them, too; NULL is nothing. */
void cgroup_ahead_free(CgroupAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupAhead, cgroup_ahead_free)

#endif
