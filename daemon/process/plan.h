/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the two definitions that one invocation uses: the definition at its start, and the newest
 * definition, which decides how it ends. Files may be read again while it runs. Both definitions
 * exist until the invocation ends.
 */
#ifndef SVCD_PROCESS_PLAN_H
#define SVCD_PROCESS_PLAN_H

#include "model/service-def.h"

typedef struct Plan {
	ServiceDef *def; /* shared: type, start, and the execution settings of its processes */
	ServiceDef *latest; /* shared: reload, check, stop, kill, clean-up and health */
} Plan;

void plan_init(Plan *plan, const ServiceDef *def);
void plan_clear(Plan *plan);

/* Makes @def the latest definition of a run that has not ended. */
void plan_refresh(Plan *plan, const ServiceDef *def);

/*
 * Does a successful end of the main process mean that the service's work is done (a task), and not
 * that it failed?
 */
bool plan_ends_by_itself(const Plan *plan);
bool plan_is_script(const Plan *plan);
/* May the service send sd_notify(3) messages? */
bool plan_notifies(const Plan *plan);
bool plan_counts_as_success(const Plan *plan, int exit_status);

#endif
