/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution settings: life and death of the struct.
 */
#include "config.h"

#include "model/exec-def.h"

static void environment_file_free(gpointer data)
{
	EnvironmentFile *file = data;

	g_free(file->path);
	g_free(file);
}

void exec_def_init(ExecDef *def)
{
	*def = (ExecDef){ .runtime_directory_mode = 0755 };
	def->groups = g_ptr_array_new_with_free_func(g_free);
	def->environment = g_ptr_array_new_with_free_func(g_free);
	def->environment_files = g_ptr_array_new_with_free_func(environment_file_free);
	def->rlimits = g_array_new(FALSE, FALSE, sizeof(Rlimit));
	def->runtime_directories = g_ptr_array_new_with_free_func(g_free);
}

void exec_def_clear(ExecDef *def)
{
	g_free(def->user);
	g_free(def->group);
	g_ptr_array_unref(def->groups);
	g_ptr_array_unref(def->environment);
	g_ptr_array_unref(def->environment_files);
	g_array_unref(def->rlimits);
	g_free(def->directory);
	g_free(def->tty);
	g_ptr_array_unref(def->runtime_directories);
}

static void copy_strings(GPtrArray *to, const GPtrArray *from)
{
	for (guint i = 0; i < from->len; i++)
		g_ptr_array_add(to, g_strdup(g_ptr_array_index(from, i)));
}

void exec_def_copy(ExecDef *to, const ExecDef *from)
{
	ExecDef own;

	exec_def_init(&own);
	copy_strings(own.groups, from->groups);
	copy_strings(own.environment, from->environment);
	copy_strings(own.runtime_directories, from->runtime_directories);
	g_array_append_vals(own.rlimits, from->rlimits->data, from->rlimits->len);
	for (guint i = 0; i < from->environment_files->len; i++) {
		const EnvironmentFile *file = g_ptr_array_index(from->environment_files, i);
		EnvironmentFile *copy = g_new0(EnvironmentFile, 1);

		copy->path = g_strdup(file->path);
		copy->optional = file->optional;
		g_ptr_array_add(own.environment_files, copy);
	}
	*to = *from; /* numbers; every pointer is replaced below */
	to->groups = own.groups;
	to->environment = own.environment;
	to->environment_files = own.environment_files;
	to->rlimits = own.rlimits;
	to->runtime_directories = own.runtime_directories;
	to->user = g_strdup(from->user);
	to->group = g_strdup(from->group);
	to->directory = g_strdup(from->directory);
	to->tty = g_strdup(from->tty);
}

static bool is_number(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (!g_ascii_isdigit(*p))
			return false;
	}
	return true;
}

bool exec_def_needs_helper(const ExecDef *def)
{
	/* A user by number still needs its groups looked up, unless Group= says which one. */
	const bool names_user = def->user && (!is_number(def->user) || !def->group);
	const bool names_group = def->group && !is_number(def->group);

	for (guint i = 0; i < def->groups->len; i++) {
		if (!is_number(g_ptr_array_index(def->groups, i)))
			return true;
	}
	return names_user || names_group || def->environment_files->len > 0 || def->tty ||
	       def->runtime_directories->len > 0;
}
