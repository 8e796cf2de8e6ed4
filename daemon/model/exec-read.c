/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution keys: accounts, environment, directories, standard input, scheduling, limits, sandbox.
 */
#include "config.h"

#include "model/exec-read.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"

/* CPU_SETSIZE, the limit of sched_setaffinity(2). */
#define CPUS_MAX 1024

/* --- accounts and environment --- */

char *exec_read_accounts(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_read_tokens(field, value, field_check_account);
}

static char *check_assignment(const char *token)
{
	const char *equals = strchr(token, '=');

	if (!equals || equals == token || g_ascii_isdigit(*token) ||
	    strspn(token, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") != (size_t)(equals - token))
		return g_strdup_printf("\"%s\" is not NAME=value; a value with blanks needs quotes",
				       token);
	return NULL;
}

char *exec_read_environment(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_read_tokens(field, value, check_assignment);
}

char *exec_read_environment_file(ServiceDef *def, void *field, const char *value, Origin origin)
{
	const bool optional = *value == '-';
	EnvironmentFile *file;

	if (value[optional] != '/')
		return g_strdup(
			"the path must be absolute; a \"-\" in front allows it to be missing");
	file = g_new0(EnvironmentFile, 1);
	file->path = g_strdup(value + optional);
	file->optional = optional;
	list_add(field, file, (GDestroyNotify)environment_file_free);
	return NULL;
}

char *exec_read_umask(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (!field_parse_mode(value, field) || *(unsigned *)field > 0777)
		return g_strdup("write an octal mask such as 022");
	exec_def_change(&def->execution)->has_umask = true;
	return NULL;
}

VALUE_ENUM_READER(read_preserve, Preserve, preserve, PRESERVE_COUNT)

char *exec_read_preserve(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool yes;

	if (!token_parse_bool(value, &yes))
		return read_preserve(field, value);
	*(Preserve *)field = yes ? PRESERVE_YES : PRESERVE_NO;
	return NULL;
}

/* --- terminal and standard input --- */

char *exec_read_tty(ServiceDef *def, void *field, const char *value, Origin origin)
{
	const bool optional = *value == '-';

	if (value[optional] != '/')
		return g_strdup("the path must be absolute; a \"-\" in front allows it not to be a "
				"terminal");
	field_replace(field, value + optional);
	exec_def_change(&def->execution)->is_tty_optional = optional;
	return NULL;
}

char *exec_read_standard_input(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char **input = field;

	g_clear_pointer(input, g_free);
	if (strcmp(value, "null") == 0)
		return NULL;
	if (g_str_has_prefix(value, "tty"))
		return g_strdup("for a terminal, write TTYPath=");
	if (!g_str_has_prefix(value, "file:/"))
		return g_strdup("write null, or file: and an absolute path");
	*input = g_strdup(value + strlen("file:"));
	return NULL;
}

/* --- scheduling and limits --- */

char *exec_read_nice(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -20, 19, &number))
		return g_strdup("write a number from -20 to 19");
	*(int *)field = (int)number;
	exec_def_change(&def->execution)->has_nice = true;
	return NULL;
}

char *exec_read_oom_score_adjust(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t number;

	if (!text_parse_int(value, -1000, 1000, &number))
		return g_strdup("write a number from -1000 to 1000");
	*(int *)field = (int)number;
	exec_def_change(&def->execution)->has_oom_score_adjust = true;
	return NULL;
}

/* Limit...=: "BOTH" or "SOFT:HARD". */
char *exec_read_limit(void *field, int number, const char *value)
{
	GArray **limits = field;
	g_auto(GStrv) parts = g_strsplit(value, ":", 2);
	Rlimit limit = { .resource = number };
	const char *hard = parts[0] && parts[1] ? parts[1] : parts[0];

	if (!hard || !text_parse_size(parts[0], &limit.soft) || !text_parse_size(hard, &limit.hard))
		return g_strdup("write a number, SOFT:HARD or infinity; the suffixes K, M and G "
				"are accepted");
	if (limit.soft > limit.hard)
		return g_strdup("the soft limit is above the hard limit");
	values_add(limits, &limit, sizeof limit);
	return NULL;
}

VALUE_ENUM_READER(read_io_class, IoClass, io_class, IO_CLASS_COUNT)

char *exec_read_cpu_policy(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (cpu_policy_from_name(value, field) && *(CpuPolicy *)field != CPU_POLICY_UNSET)
		return NULL;
	return g_strdup_printf("\"%s\" is not one of other, batch, idle, fifo, rr", value);
}

char *exec_read_cpu_priority(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t number;

	if (!text_parse_uint(value, 10, 99, &number) || number == 0)
		return g_strdup("write a number from 1 to 99");
	*(int *)field = (int)number;
	return NULL;
}

/* The priority is 4, the kernel's default, unless IOSchedulingPriority= is set. */
static void has_io(SchedulingDef *scheduling)
{
	if (!scheduling->has_io) {
		scheduling->io_class = IO_CLASS_BEST_EFFORT;
		scheduling->io_priority = 4;
	}
	scheduling->has_io = true;
}

char *exec_read_io_class(ServiceDef *def, void *field, const char *value, Origin origin)
{
	IoClass class = IO_CLASS_NONE;
	char *problem = read_io_class(&class, value);

	if (problem)
		return problem;
	has_io(field);
	((SchedulingDef *)field)->io_class = class;
	return NULL;
}

char *exec_read_io_priority(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t number;

	if (!text_parse_uint(value, 10, 7, &number))
		return g_strdup("write a number from 0 (first) to 7");
	has_io(field);
	((SchedulingDef *)field)->io_priority = (int)number;
	return NULL;
}

static bool parse_range(const char *token, unsigned *ret_first, unsigned *ret_last)
{
	g_auto(GStrv) parts = g_strsplit(token, "-", 2);
	uint64_t first;
	uint64_t last;

	if (!parts[0] || !text_parse_uint(parts[0], 10, CPUS_MAX - 1, &first))
		return false;
	last = first;
	if (parts[1] && !text_parse_uint(parts[1], 10, CPUS_MAX - 1, &last))
		return false;
	*ret_first = (unsigned)first;
	*ret_last = (unsigned)last;
	return first <= last;
}

static void add_cpu(GArray **cpus, unsigned cpu)
{
	for (guint i = 0; i < (*cpus)->len; i++) {
		if (g_array_index(*cpus, unsigned, i) == cpu)
			return;
	}
	values_add(cpus, &cpu, sizeof cpu);
}

char *exec_read_cpus(ServiceDef *def, void *field, const char *value, Origin origin)
{
	g_auto(GStrv) tokens = g_strsplit_set(value, " ,\t", -1);

	for (char **token = tokens; *token; token++) {
		unsigned first;
		unsigned last;

		if (!**token)
			continue;
		if (!parse_range(*token, &first, &last))
			return g_strdup(
				"write numbers of processors and ranges of them, such as 0 2-3");
		for (unsigned cpu = first; cpu <= last; cpu++)
			add_cpu(field, cpu);
	}
	return NULL;
}

/* --- the sandbox --- */

char *exec_read_sandbox(void *field, int number, const char *value)
{
	ExecDef *def = field;
	const enum SandboxKey key = (enum SandboxKey)number;
	struct Problem problem;

	if (!def->sandbox) {
		def->sandbox = g_new(struct Sandbox, 1);
		sandbox_init(def->sandbox);
	}
	if (sandbox_read(def->sandbox, key, value, &problem) != 0)
		return g_strdup(problem.text);
	list_add(&def->sandbox_lines, g_strconcat(sandbox_key_name(key), "=", value, NULL), g_free);
	return NULL;
}

/* --- consistency --- */

char *exec_check(const ExecDef *def, const char **ret_key)
{
	const SchedulingDef *scheduling = &def->scheduling;
	const bool is_realtime = scheduling->cpu_policy == CPU_POLICY_FIFO ||
				 scheduling->cpu_policy == CPU_POLICY_RR;
	enum SandboxKey sandbox_key;
	struct Problem problem;

	*ret_key = "CPUSchedulingPriority";
	if (scheduling->cpu_priority > 0 && !is_realtime)
		return g_strdup(
			"only CPUSchedulingPolicy=fifo and rr have a priority; see Nice= for the "
			"others");
	*ret_key = "StandardInput";
	if (def->input && def->tty)
		return g_strdup("TTYPath= already sets standard input; write only one of them");
	if (!def->sandbox || sandbox_check(def->sandbox, &sandbox_key, &problem) == 0)
		return NULL;
	*ret_key = sandbox_key_name(sandbox_key);
	return g_strdup(problem.text);
}
