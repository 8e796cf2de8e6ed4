/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the definitions that one invocation goes by: the one that it began with, and, for how it is to end, the newest one.
 * Files may be read anew while it runs; both live as long as it does.
 */
#ifndef SVCD_PROCESS_PLAN_H
#define SVCD_PROCESS_PLAN_H

#include "model/service-def.h"

typedef struct Plan {
	ServiceDef *def;    /* shared: what it is, how it starts, what its processes are given */
	ServiceDef *latest; /* shared: how it is reloaded, checked, stopped, killed and cleaned up, and is it well */
} Plan;

void plan_init(Plan *plan, const ServiceDef *def);
void plan_clear(Plan *plan);

/* @def becomes the latest: for a run that has not come to its end yet. */
void plan_refresh(Plan *plan, const ServiceDef *def);

/* Does the end of its main process with success mean that the service has done its work (a task), not that it failed? */
bool plan_ends_by_itself(const Plan *plan);
bool plan_is_script(const Plan *plan);
/* May it say something by sd_notify(3)? */
bool plan_notifies(const Plan *plan);
bool plan_counts_as_success(const Plan *plan, int exit_status);

#endif
