/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Share: processors and disks of services that leave them to others for a while, and have them back afterwards.
 *
 * The weights of the service's group are lowered. Controllers are enabled for that and disabled again, so that afterwards all is
 * as it was. Where control groups have no weights nothing is done.
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

/**
 * share_lower() - less for all that will be in @group
 * @resources: its own words, which may ask for less still; NULL: none
 */
void share_lower(Share *share, const ResourceDef *resources, const char *group);

/**
 * share_restore() - as much as it was to have, even if an earlier manager lowered it
 */
void share_restore(Share *share, const ResourceDef *resources, const char *group);
/*
 * For what runs only when nobody else wants to (SCHED_IDLE): between groups that have weights it counts for nothing that the
 * processes in one are such, so the group is made one (cpu.idle, since Linux 5.15). Nothing where there are no weights.
 */
void share_make_idle(const char *group);
/* Nobody's is lowered any more: what was enabled for that is disabled, unless somebody whose share was restored needs it. */
void share_end(Share *share);

#endif
