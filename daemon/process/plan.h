/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the part of a service definition that one invocation needs, copied, for the definition may be reloaded while
 * the invocation runs.
 */
#ifndef SVCD_PROCESS_PLAN_H
#define SVCD_PROCESS_PLAN_H

#include "model/service-def.h"

typedef struct Plan {
	char *name;
	ServiceType type;
	Command *exec;
	GPtrArray *prepare; /* Command * */
	GPtrArray *cleanup; /* Command * */
	Action stop;
	Action reload;
	KillMode kill_mode;
	int kill_signal;
	ReadyKind ready;
	KeyPrefix ready_prefix;
	const char *ready_key; /* interned; NULL unless readiness is a condition */
	int ready_fd;
	char *pid_file;
	GArray *success_status; /* int */
	int64_t start_limit_us;
	int64_t stop_limit_us;
	ExecDef execution;
} Plan;

Plan *plan_new(const ServiceDef *def);
void plan_free(Plan *plan);

/* Takes over what a newer definition says of reloading, stopping and cleaning up, for a run that has not come to that yet. */
void plan_refresh(Plan *plan, const ServiceDef *def);

/* Does the end of its main process with success mean that the service has done its work (a task), not that it failed? */
bool plan_ends_by_itself(const Plan *plan);
bool plan_counts_as_success(const Plan *plan, int exit_status);

#endif
