/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Share: processors and disks of services that leave them to others for a while, and have them back afterwards.
 *
 * Where control groups have weights, it is those of the service's group. Controllers are enabled for it and disabled again,
 * so that when it is over all is as it was. Where there are none it is the weight of its sessions among the others (sched(7),
 * "The autogroup feature"). Both are changed from outside at any time, and unlike nice(2) neither is handed on to the sessions
 * that a service begins for its users.
 */
#ifndef SVCD_PROCESS_SHARE_H
#define SVCD_PROCESS_SHARE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "model/resource-def.h"

typedef struct Share Share;

/* @root: the directory that services' groups are in; NULL: no cgroup v2 */
Share *share_new(const char *root);
void share_free(Share *share);

/* What is left of a tenth: the weights of a service that said none of its own. */
#define SHARE_LOW_WEIGHT 10
#define SHARE_LOW_NICE 10

/**
 * share_lower() - less for all that will be in @group
 * @resources: its own words, which may ask for less still; NULL: none
 */
void share_lower(Share *share, const ResourceDef *resources, const char *group);
/* The same of the session of @pid, which has a session of its own; nothing where weights are in force. */
void share_lower_session(const Share *share, pid_t pid);

/**
 * share_restore() - as much as it was to have, whoever lowered it
 * @pids: processes of the service, pid_t
 */
void share_restore(Share *share, const ResourceDef *resources, const char *group, const GArray *pids);
/*
 * For what runs only when nobody else wants to (SCHED_IDLE): between groups that have weights it counts for nothing that the
 * processes in one are such, so the group is made one (cpu.idle, since Linux 5.15). Nothing where there are no weights.
 */
void share_make_idle(const char *group);
/* Nobody's is lowered any more: what was enabled for that is disabled, unless somebody whose share was restored needs it. */
void share_end(Share *share);

#endif
