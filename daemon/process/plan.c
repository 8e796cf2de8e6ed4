/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: field by field what the definition says; what fields point to stays the definition's.
 */
#include "config.h"

#include "process/plan.h"

/* What a newer definition may change while this runs. */
static void take_latest(Plan *plan, const ServiceDef *def)
{
	plan->latest = service_def_share(def);
	plan->cleanup = def->cleanup;
	plan->stop = def->stop;
	plan->reload = def->reload;
	plan->check = def->check;
	plan->restart_command = def->restart_command;
	plan->kill_mode = def->kill_mode;
	plan->kill_signal = def->kill_signal;
	plan->health = def->health;
	plan->health_interval_us = def->health_interval_us;
	plan->health_limit_us = def->health_limit_us;
	plan->health_retries = def->health_retries;
	plan->health_start_us = def->health_start_us;
	plan->health_action = def->health_action;
	plan->stop_limit_us = def->stop_limit_us;
}

Plan *plan_new(const ServiceDef *def)
{
	Plan *plan = g_new0(Plan, 1);

	plan->def = service_def_share(def);
	plan->name = def->name;
	plan->type = def->type;
	plan->exec = def->exec;
	plan->prepare = def->prepare;
	plan->ready = def->ready;
	plan->ready_prefix = def->ready_prefix;
	plan->ready_key = def->ready_key;
	plan->ready_fd = def->ready_fd;
	plan->pid_file = def->pid_file;
	plan->success_status = def->success_status;
	plan->watchdog_us = def->watchdog_us;
	plan->start_limit_us = def->start_limit_us;
	plan->execution = &def->execution;
	plan->resources = def->resources;
	plan->has_sockets = service_def_n_sockets(def) > 0;
	take_latest(plan, def);
	return plan;
}

void plan_refresh(Plan *plan, const ServiceDef *def)
{
	ServiceDef *before = plan->latest;

	take_latest(plan, def);
	service_def_free(before);
}

void plan_free(Plan *plan)
{
	if (!plan)
		return;
	service_def_free(plan->def);
	service_def_free(plan->latest);
	g_free(plan);
}

bool plan_ends_by_itself(const Plan *plan)
{
	return plan->type == TYPE_TASK;
}

bool plan_is_script(const Plan *plan)
{
	return plan->type == TYPE_SCRIPT;
}

bool plan_notifies(const Plan *plan)
{
	return plan->ready == READY_NOTIFY || plan->watchdog_us > 0;
}

bool plan_counts_as_success(const Plan *plan, int exit_status)
{
	for (guint i = 0; i < plan->success_status->len; i++) {
		if (g_array_index(plan->success_status, int, i) == exit_status)
			return true;
	}
	return exit_status == 0;
}
