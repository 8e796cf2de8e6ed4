/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the definitions of one run, and facts derived from them.
 */
#include "config.h"

#include "process/plan.h"

void plan_init(Plan *plan, const ServiceDef *def)
{
	plan->def = service_def_share(def);
	plan->latest = service_def_share(def);
}

void plan_refresh(Plan *plan, const ServiceDef *def)
{
	ServiceDef *before = plan->latest;

	plan->latest = service_def_share(def);
	service_def_free(before);
}

void plan_clear(Plan *plan)
{
	service_def_free(plan->def);
	service_def_free(plan->latest);
}

bool plan_ends_by_itself(const Plan *plan)
{
	return plan->def->type == TYPE_TASK;
}

bool plan_is_script(const Plan *plan)
{
	return plan->def->type == TYPE_SCRIPT;
}

bool plan_notifies(const Plan *plan)
{
	return plan->def->ready == READY_NOTIFY || plan->def->watchdog_us > 0;
}

bool plan_counts_as_success(const Plan *plan, int exit_status)
{
	const GArray *good = plan->def->success_status;

	for (guint i = 0; i < good->len; i++) {
		if (g_array_index(good, int, i) == exit_status)
			return true;
	}
	return exit_status == 0;
}
