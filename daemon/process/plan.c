/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: a copy, field by field.
 */
#include "config.h"

#include "process/plan.h"

static Command *command_copy(const Command *command)
{
	Command *copy;

	if (!command)
		return NULL;
	copy = g_new0(Command, 1);
	copy->argv = g_strdupv(command->argv);
	copy->may_fail = command->may_fail;
	copy->origin = command->origin;
	return copy;
}

static GPtrArray *commands_copy(const GPtrArray *commands)
{
	GPtrArray *copy = g_ptr_array_new_with_free_func((GDestroyNotify)command_free);

	for (guint i = 0; i < commands->len; i++)
		g_ptr_array_add(copy, command_copy(g_ptr_array_index(commands, i)));
	return copy;
}

static Action action_copy(const Action *action)
{
	return (Action){ .kind = action->kind, .signal = action->signal, .command = command_copy(action->command) };
}

Plan *plan_new(const ServiceDef *def)
{
	Plan *plan = g_new0(Plan, 1);

	plan->name = g_strdup(def->name);
	plan->type = def->type;
	plan->exec = command_copy(def->exec);
	plan->prepare = commands_copy(def->prepare);
	plan->cleanup = commands_copy(def->cleanup);
	plan->stop = action_copy(&def->stop);
	plan->reload = action_copy(&def->reload);
	plan->kill_mode = def->kill_mode;
	plan->kill_signal = def->kill_signal;
	plan->ready = def->ready;
	plan->ready_prefix = def->ready_prefix;
	plan->ready_key = def->ready_key;
	plan->ready_fd = def->ready_fd;
	plan->pid_file = g_strdup(def->pid_file);
	plan->success_status = g_array_new(FALSE, FALSE, sizeof(int));
	g_array_append_vals(plan->success_status, def->success_status->data, def->success_status->len);
	plan->start_limit_us = def->start_limit_us;
	plan->stop_limit_us = def->stop_limit_us;
	exec_def_copy(&plan->execution, &def->execution);
	return plan;
}

void plan_refresh(Plan *plan, const ServiceDef *def)
{
	command_free(plan->stop.command);
	command_free(plan->reload.command);
	g_ptr_array_unref(plan->cleanup);
	plan->stop = action_copy(&def->stop);
	plan->reload = action_copy(&def->reload);
	plan->cleanup = commands_copy(def->cleanup);
	plan->kill_mode = def->kill_mode;
	plan->kill_signal = def->kill_signal;
	plan->stop_limit_us = def->stop_limit_us;
}

void plan_free(Plan *plan)
{
	if (!plan)
		return;
	g_free(plan->name);
	command_free(plan->exec);
	g_ptr_array_unref(plan->prepare);
	g_ptr_array_unref(plan->cleanup);
	command_free(plan->stop.command);
	command_free(plan->reload.command);
	g_free(plan->pid_file);
	g_array_unref(plan->success_status);
	exec_def_clear(&plan->execution);
	g_free(plan);
}

bool plan_ends_by_itself(const Plan *plan)
{
	return plan->type == TYPE_TASK || plan->ready == READY_EXIT;
}

bool plan_counts_as_success(const Plan *plan, int exit_status)
{
	for (guint i = 0; i < plan->success_status->len; i++) {
		if (g_array_index(plan->success_status, int, i) == exit_status)
			return true;
	}
	return exit_status == 0;
}
