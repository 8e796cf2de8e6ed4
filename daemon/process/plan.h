/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the part of a service definition that one invocation needs. The definition may be reloaded while the invocation
 * runs; the one that it began with lives as long as it does.
 */
#ifndef SVCD_PROCESS_PLAN_H
#define SVCD_PROCESS_PLAN_H

#include "model/service-def.h"

typedef struct Plan {
	ServiceDef *def;    /* shared; what is borrowed below is of this one, */
	ServiceDef *latest; /* or of this one: what plan_refresh() takes over */
	const char *name;
	ServiceType type;
	const Command *exec;
	const GPtrArray *prepare; /* Command * */
	const GPtrArray *cleanup; /* Command * */
	Action stop;
	Action reload;
	const Command *check;           /* CheckCommand=; NULL: none */
	const Command *restart_command; /* of a script; NULL: none */
	KillMode kill_mode;
	int kill_signal;
	ReadyKind ready;
	KeyPrefix ready_prefix;
	const char *ready_key; /* interned; NULL unless readiness is a condition */
	int ready_fd;
	const char *pid_file;
	const GArray *success_status; /* int */
	int64_t watchdog_us; /* 0: none */
	const Command *health; /* NULL: none, and then the next five say nothing */
	int64_t health_interval_us;
	int64_t health_limit_us;
	unsigned health_retries;
	int64_t health_start_us;
	HealthAction health_action;
	int64_t start_limit_us;
	int64_t stop_limit_us;
	const ExecDef *execution;
	const ResourceDef *resources; /* NULL: none */
	bool has_sockets;
} Plan;

Plan *plan_new(const ServiceDef *def);
void plan_free(Plan *plan);

/* Takes over what a newer definition says of reloading, stopping and cleaning up, for a run that has not come to that yet. */
void plan_refresh(Plan *plan, const ServiceDef *def);

/* Does the end of its main process with success mean that the service has done its work (a task), not that it failed? */
bool plan_ends_by_itself(const Plan *plan);
bool plan_is_script(const Plan *plan);
/* May it say something by sd_notify(3)? */
bool plan_notifies(const Plan *plan);
bool plan_counts_as_success(const Plan *plan, int exit_status);

#endif
