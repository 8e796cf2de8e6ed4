/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution settings: creation and destruction of the struct.
 */
#include "config.h"

#include "model/exec-def.h"

#include "base/list.h"

void environment_file_free(EnvironmentFile *file)
{
	g_free(file->path);
	g_free(file);
}

const ExecDef exec_def_plain = {
	.groups = LIST_NOTHING,
	.environment = LIST_NOTHING,
	.environment_files = LIST_NOTHING,
	.sandbox_lines = LIST_NOTHING,
	.rlimits = VALUES_NOTHING,
	.scheduling = { .cpus = VALUES_NOTHING },
};

void exec_def_init(ExecDef *def)
{
	*def = exec_def_plain;
}

void exec_def_clear(ExecDef *def)
{
	g_free(def->user);
	g_free(def->group);
	list_free(def->groups);
	list_free(def->environment);
	list_free(def->environment_files);
	values_free(def->rlimits);
	g_free(def->directory);
	g_free(def->tty);
	g_free(def->input);
	values_free(def->scheduling.cpus);
	list_free(def->sandbox_lines);
	if (def->sandbox)
		sandbox_clear(def->sandbox);
	g_free(def->sandbox);
}

ExecDef *exec_def_change(const ExecDef **def)
{
	if (*def == &exec_def_plain)
		*def = g_memdup2(&exec_def_plain, sizeof exec_def_plain);
	return (ExecDef *)*def; /* not shared, so not const */
}

void exec_def_free(const ExecDef *def)
{
	ExecDef *own = (ExecDef *)def;

	if (!def || def == &exec_def_plain)
		return;
	exec_def_clear(own);
	g_free(own);
}

static bool is_number(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (!g_ascii_isdigit(*p))
			return false;
	}
	return true;
}

bool exec_def_runtime_ends(const ExecDef *def, bool starts_again)
{
	const bool is_over = def->runtime_preserve == PRESERVE_NO ||
			     (def->runtime_preserve == PRESERVE_RESTART && !starts_again);

	return is_over && sandbox_requests(def->sandbox, SANDBOX_RUNTIME_DIRECTORY);
}

static bool has_scheduling(const ExecDef *def)
{
	return def->scheduling.cpu_policy != CPU_POLICY_UNSET || def->scheduling.has_io ||
	       def->scheduling.cpus->len > 0;
}

bool exec_def_needs_helper(const ExecDef *def)
{
	/* A numeric user needs a look-up of its groups too, unless Group= is set. */
	const bool names_user = def->user && (!is_number(def->user) || !def->group);
	const bool names_group = def->group && !is_number(def->group);

	for (guint i = 0; i < def->groups->len; i++) {
		if (!is_number(g_ptr_array_index(def->groups, i)))
			return true;
	}
	return names_user || names_group || def->environment_files->len > 0 || def->tty ||
	       def->input || has_scheduling(def) || (def->sandbox && def->sandbox->requested != 0);
}
