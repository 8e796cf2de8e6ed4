/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution keys: directories, scheduling, standard input.
 */
#include "config.h"

#include "model/exec-read.h"

#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/capability.h"
#include "model/value.h"

/* CPU_SETSIZE: what sched_setaffinity(2) is told. */
#define CPUS_MAX 1024

/* --- directories --- */

static const char *const roots[DIRECTORY_KINDS] = {
	[DIRECTORY_RUNTIME] = "/run",
	[DIRECTORY_STATE] = "/var/lib",
	[DIRECTORY_CACHE] = "/var/cache",
	[DIRECTORY_LOGS] = "/var/log",
	[DIRECTORY_CONFIGURATION] = "/etc",
};

static char *check_relative(const char *word, const char *root)
{
	g_auto(GStrv) parts = g_strsplit(word, "/", -1);

	if (*word == '/')
		return g_strdup_printf("\"%s\" is made below %s; write it without the leading %s/", word, root, root);
	if (strchr(word, ':'))
		return g_strdup_printf("\"%s\": write the name only; links to it are not made", word);
	for (char **part = parts; *part; part++) {
		if (!**part || strcmp(*part, ".") == 0 || strcmp(*part, "..") == 0)
			return g_strdup_printf("\"%s\" is no name of a directory below %s", word, root);
	}
	return *word ? NULL : g_strdup_printf("\"\" is no name of a directory below %s", root);
}

static char *read_directories(ServiceDef *def, DirectoryKind kind, const char *value)
{
	GPtrArray **names = &exec_def_change(&def->execution)->directories[kind].names;
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++) {
		problem = check_relative(*word, roots[kind]);
		if (!problem && (*names)->len >= LIMIT_LIST_ENTRIES)
			problem = g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
		if (!problem)
			list_add(names, g_strdup(*word), g_free);
	}
	return problem;
}

char *exec_read_runtime_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_directories(def, DIRECTORY_RUNTIME, value);
}

char *exec_read_state_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_directories(def, DIRECTORY_STATE, value);
}

char *exec_read_cache_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_directories(def, DIRECTORY_CACHE, value);
}

char *exec_read_logs_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_directories(def, DIRECTORY_LOGS, value);
}

char *exec_read_configuration_directory(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return read_directories(def, DIRECTORY_CONFIGURATION, value);
}

VALUE_ENUM_READER(read_preserve, Preserve, preserve, PRESERVE_COUNT)

char *exec_read_preserve(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool yes;

	if (!text_parse_bool(value, &yes))
		return read_preserve(field, value);
	*(Preserve *)field = yes ? PRESERVE_YES : PRESERVE_NO;
	return NULL;
}

/* --- standard input --- */

char *exec_read_standard_input(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char **input = field;

	g_clear_pointer(input, g_free);
	if (strcmp(value, "null") == 0)
		return NULL;
	if (g_str_has_prefix(value, "tty"))
		return g_strdup("write TTYPath= for a terminal");
	if (!g_str_has_prefix(value, "file:/"))
		return g_strdup("write null, or file: and an absolute path");
	*input = g_strdup(value + strlen("file:"));
	return NULL;
}

/* --- scheduling --- */

VALUE_ENUM_READER(read_io_class, IoClass, io_class, IO_CLASS_COUNT)

char *exec_read_cpu_policy(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (cpu_policy_from_name(value, field) && *(CpuPolicy *)field != CPU_POLICY_UNSET)
		return NULL;
	return g_strdup_printf("\"%s\" is none of other, batch, idle, fifo, rr", value);
}

char *exec_read_cpu_priority(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t number;

	if (!text_parse_uint(value, 10, 99, &number) || number == 0)
		return g_strdup("write a number from 1 to 99");
	*(int *)field = (int)number;
	return NULL;
}

/* The priority is 4, the kernel's own default, unless IOSchedulingPriority= says otherwise. */
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

static bool parse_range(const char *word, unsigned *ret_first, unsigned *ret_last)
{
	g_auto(GStrv) parts = g_strsplit(word, "-", 2);
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
	g_auto(GStrv) words = g_strsplit_set(value, " ,\t", -1);

	for (char **word = words; *word; word++) {
		unsigned first;
		unsigned last;

		if (!**word)
			continue;
		if (!parse_range(*word, &first, &last))
			return g_strdup("write numbers of processors and ranges of them, such as 0 2-3");
		for (unsigned cpu = first; cpu <= last; cpu++)
			add_cpu(field, cpu);
	}
	return NULL;
}

/* --- do they agree? --- */

static char *check_ambient(const SandboxDef *sandbox)
{
	const uint64_t missing = sandbox->ambient_set & ~sandbox->bounding_set;

	for (unsigned number = 0; number < 64; number++) {
		const char *name = capability_name(number);

		if (name && missing & (UINT64_C(1) << number))
			return g_strdup_printf("%s is not in CapabilityBoundingSet=, too; nobody can have it", name);
	}
	return NULL;
}

char *exec_check(const ExecDef *def, const char **ret_key)
{
	const SchedulingDef *scheduling = &def->scheduling;
	const SandboxDef *sandbox = def->sandbox;
	const bool is_realtime = scheduling->cpu_policy == CPU_POLICY_FIFO || scheduling->cpu_policy == CPU_POLICY_RR;

	*ret_key = "CPUSchedulingPriority";
	if (scheduling->cpu_priority > 0 && !is_realtime)
		return g_strdup("only CPUSchedulingPolicy=fifo and rr have a priority; see Nice= for the others");
	*ret_key = "StandardInput";
	if (def->input && def->tty)
		return g_strdup("TTYPath= is its standard input; write one of them");
	*ret_key = "AmbientCapabilities";
	return sandbox && sandbox->has_ambient && sandbox->bounds_capabilities ? check_ambient(sandbox) : NULL;
}
