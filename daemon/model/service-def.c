/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service definition: defaults, life and death of the struct.
 */
#include "config.h"

#include "model/service-def.h"

#include <signal.h>

#include "model/name.h"

void command_free(Command *command)
{
	if (!command)
		return;
	g_strfreev(command->argv);
	g_free(command);
}

NameRef *name_ref_new(const char *name, Origin origin)
{
	NameRef *ref = g_new0(NameRef, 1);

	ref->name = g_strdup(name);
	ref->origin = origin;
	return ref;
}

void name_ref_free(NameRef *ref)
{
	if (!ref)
		return;
	g_free(ref->name);
	g_free(ref);
}

static void def_line_free(gpointer data)
{
	DefLine *line = data;

	g_free(line->section);
	g_free(line->key);
	g_free(line->value);
	g_free(line);
}

static GPtrArray *new_names(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)name_ref_free);
}

ServiceDef *service_def_new(const char *name, Origin origin)
{
	ServiceDef *def = g_new0(ServiceDef, 1);

	def->name = g_strdup(name);
	if (name_split_instance(name, NULL, &def->instance) && !*def->instance)
		g_clear_pointer(&def->instance, g_free);
	def->origin = origin;
	def->description = g_strdup(name);
	def->prepare = g_ptr_array_new_with_free_func((GDestroyNotify)command_free);
	def->cleanup = g_ptr_array_new_with_free_func((GDestroyNotify)command_free);
	def->bus_names = new_names();
	def->stop = (Action){ .kind = ACTION_SIGNAL, .signal = SIGTERM };
	def->kill_signal = SIGKILL;
	def->ready_fd = -1;
	def->restart_delay_us = DEFAULT_RESTART_DELAY_US;
	def->restart_delay_max_us = DEFAULT_RESTART_DELAY_MAX_US;
	def->restart_limit = DEFAULT_RESTART_LIMIT;
	def->restart_window_us = DEFAULT_RESTART_WINDOW_US;
	def->success_status = g_array_new(FALSE, FALSE, sizeof(int));
	def->start_limit_us = DEFAULT_START_LIMIT_US;
	def->stop_limit_us = DEFAULT_STOP_LIMIT_US;
	def->when = g_ptr_array_new_with_free_func((GDestroyNotify)term_free);
	def->hold = g_ptr_array_new_with_free_func((GDestroyNotify)term_free);
	def->done_while = g_ptr_array_new_with_free_func((GDestroyNotify)term_free);
	def->after = new_names();
	def->before = new_names();
	def->wants = new_names();
	def->conflicts = new_names();
	def->provides = new_names();
	def->stop_after = new_names();
	def->stop_before = new_names();
	exec_def_init(&def->execution);
	def->lines = g_ptr_array_new_with_free_func(def_line_free);
	return def;
}

void service_def_free(ServiceDef *def)
{
	if (!def)
		return;
	g_free(def->name);
	g_free(def->instance);
	g_free(def->problem);
	g_free(def->description);
	command_free(def->exec);
	g_ptr_array_unref(def->prepare);
	g_ptr_array_unref(def->cleanup);
	g_ptr_array_unref(def->bus_names);
	command_free(def->stop.command);
	command_free(def->reload.command);
	g_free(def->pid_file);
	g_array_unref(def->success_status);
	g_ptr_array_unref(def->when);
	g_ptr_array_unref(def->hold);
	g_ptr_array_unref(def->done_while);
	g_ptr_array_unref(def->after);
	g_ptr_array_unref(def->before);
	g_ptr_array_unref(def->wants);
	g_ptr_array_unref(def->conflicts);
	g_ptr_array_unref(def->provides);
	g_ptr_array_unref(def->stop_after);
	g_ptr_array_unref(def->stop_before);
	exec_def_clear(&def->execution);
	g_ptr_array_unref(def->lines);
	g_free(def);
}
