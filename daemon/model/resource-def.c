/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources: a reader for each kind of value, then the table.
 */
#include "config.h"

#include "model/resource-def.h"

#include <string.h>

#include "base/text.h"

/* The period of CPUQuota=, in microseconds: the kernel's default. */
#define CPU_PERIOD_US 100000

/* The readers return the text for the kernel's file, or NULL with *@ret_problem. */

static char *read_percent(const char *value, uint64_t max, uint64_t *ret)
{
	g_autofree char *number =
		g_str_has_suffix(value, "%") ? g_strndup(value, strlen(value) - 1) : NULL;

	return number && text_parse_uint(number, 10, max, ret) && *ret > 0 ? g_strdup(value) : NULL;
}

static char *read_memory(const char *value, char **ret_problem)
{
	uint64_t bytes;
	char *percent = read_percent(value, 100, &bytes);

	if (percent)
		return percent;
	if (!text_parse_size(value, &bytes)) {
		*ret_problem = g_strdup(
			"write a size such as 512M, a share of the machine's memory such as 25%, "
			"or infinity");
		return NULL;
	}
	return bytes == UINT64_MAX ? g_strdup(RESOURCE_UNLIMITED) :
				     g_strdup_printf("%" G_GUINT64_FORMAT, bytes);
}

static char *read_switch(const char *value, char **ret_problem)
{
	bool is_on;

	if (token_parse_bool(value, &is_on))
		return g_strdup(is_on ? "1" : "0");
	*ret_problem = g_strdup("write yes or no");
	return NULL;
}

static bool parse_weight(const char *value, uint64_t *ret, char **ret_problem)
{
	if (text_parse_uint(value, 10, 10000, ret) && *ret > 0)
		return true;
	*ret_problem = g_strdup("write a number from 1 to 10000; the default is 100");
	return false;
}

static char *read_cpu_weight(const char *value, char **ret_problem)
{
	uint64_t weight;

	return parse_weight(value, &weight, ret_problem) ?
		       g_strdup_printf("%" G_GUINT64_FORMAT, weight) :
		       NULL;
}

static char *read_io_weight(const char *value, char **ret_problem)
{
	uint64_t weight;

	return parse_weight(value, &weight, ret_problem) ?
		       g_strdup_printf("default %" G_GUINT64_FORMAT, weight) :
		       NULL;
}

static char *read_quota(const char *value, char **ret_problem)
{
	uint64_t percent;
	g_autofree char *text = read_percent(value, 1000000, &percent);

	if (text)
		return g_strdup_printf("%" G_GUINT64_FORMAT " %d", percent * (CPU_PERIOD_US / 100),
				       CPU_PERIOD_US);
	*ret_problem =
		g_strdup("write a share of one processor such as 50%; 200% means two processors");
	return NULL;
}

static char *read_cpus(const char *value, char **ret_problem)
{
	g_autofree char *text = g_strdup(value);

	g_strdelimit(text, " \t", ',');
	if (*text && text[strspn(text, G_CSET_DIGITS ",-")] == '\0' && g_ascii_isdigit(*text))
		return g_steal_pointer(&text);
	*ret_problem = g_strdup("write numbers of processors and ranges, such as 0-3 6");
	return NULL;
}

static char *read_tasks(const char *value, char **ret_problem)
{
	uint64_t number;
	char *percent = read_percent(value, 100, &number);

	if (percent)
		return percent;
	if (strcmp(value, "infinity") == 0)
		return g_strdup(RESOURCE_UNLIMITED);
	if (text_parse_uint(value, 10, INT32_MAX, &number) && number > 0)
		return g_strdup_printf("%" G_GUINT64_FORMAT, number);
	*ret_problem = g_strdup(
		"write a number of processes and threads, a share of the machine's limit such as "
		"15%, or infinity");
	return NULL;
}

static const struct {
	const char *controller;
	const char *file;
	char *(*read)(const char *value, char **ret_problem);
} resources[RESOURCE_COUNT] = {
	[RESOURCE_MEMORY_MAX] = { "memory", "memory.max", read_memory },
	[RESOURCE_MEMORY_HIGH] = { "memory", "memory.high", read_memory },
	[RESOURCE_MEMORY_MIN] = { "memory", "memory.min", read_memory },
	[RESOURCE_MEMORY_LOW] = { "memory", "memory.low", read_memory },
	[RESOURCE_MEMORY_SWAP_MAX] = { "memory", "memory.swap.max", read_memory },
	[RESOURCE_MEMORY_OOM_GROUP] = { "memory", "memory.oom.group", read_switch },
	[RESOURCE_CPU_WEIGHT] = { "cpu", "cpu.weight", read_cpu_weight },
	[RESOURCE_CPU_QUOTA] = { "cpu", "cpu.max", read_quota },
	[RESOURCE_ALLOWED_CPUS] = { "cpuset", "cpuset.cpus", read_cpus },
	[RESOURCE_IO_WEIGHT] = { "io", "io.weight", read_io_weight },
	[RESOURCE_TASKS_MAX] = { "pids", "pids.max", read_tasks },
};

const char *resource_controller(Resource resource)
{
	return resources[resource].controller;
}

const char *resource_file(Resource resource)
{
	return resources[resource].file;
}

char *resource_read(Resource resource, const char *value, char **ret_problem)
{
	return resources[resource].read(value, ret_problem);
}

char *resource_def_read(ResourceDef **def, Resource resource, const char *value)
{
	char *problem = NULL;
	char *text = resources[resource].read(value, &problem);

	if (!text)
		return problem;
	if (!*def)
		*def = g_new0(ResourceDef, 1);
	g_free((*def)->values[resource]);
	(*def)->values[resource] = text;
	return NULL;
}

void resource_def_free(ResourceDef *def)
{
	if (!def)
		return;
	for (int i = 0; i < RESOURCE_COUNT; i++)
		g_free(def->values[i]);
	g_free(def);
}
