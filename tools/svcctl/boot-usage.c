/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot usage: the cgroups of the services and svcd's own cgroups, such as ".keeper", have one
 * parent.
 */
#include "config.h"

#include "svcctl/boot-usage.h"

#include <string.h>

#include "svcctl/processes.h"

static int64_t cpu_time(const char *cgroup)
{
	return MAX(cgroup_number(cgroup, "cpu.stat", "usage_usec"), 0);
}

/* The sum over all disks, from lines such as "8:0 rbytes=4096 wbytes=0 rios=1". */
static int64_t read_bytes_of(const char *cgroup)
{
	g_autofree char *path = g_build_filename(cgroup, "io.stat", NULL);
	g_autofree char *text = NULL;
	int64_t sum = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	for (const char *at = text; (at = strstr(at, " rbytes=")); at++)
		sum += g_ascii_strtoll(at + strlen(" rbytes="), NULL, 10);
	return sum;
}

static void take_sums(BootUsages *usages, const char *parent)
{
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *cgroup = g_build_filename(parent, name, NULL);

		if (*name == '.')
			usages->own_us += cpu_time(cgroup);
	}
	usages->services_us = MAX(cpu_time(parent) - usages->own_us, 0);
}

BootUsages *boot_usages_take(Context *context, GError **error)
{
	g_autoptr(GPtrArray) services = get_services_with(context, "Name ControlGroup", error);
	g_autofree char *parent = NULL;
	BootUsages *usages;

	if (!services)
		return NULL;
	usages = g_new0(BootUsages, 1);
	usages->services = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint i = 0; i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);
		const char *cgroup = record_text(service, "ControlGroup");
		BootUsage *usage;

		if (!*cgroup)
			continue;
		usage = g_new0(BootUsage, 1);
		usage->cpu_us = cpu_time(cgroup);
		usage->read_bytes = read_bytes_of(cgroup);
		g_hash_table_insert(usages->services, g_strdup(record_text(service, "Name")),
				    usage);
		if (!parent)
			parent = g_path_get_dirname(cgroup);
	}
	if (parent)
		take_sums(usages, parent);
	return usages;
}

void boot_usages_free(BootUsages *usages)
{
	if (!usages)
		return;
	g_hash_table_unref(usages->services);
	g_free(usages);
}

int64_t boot_usages_cpu(const BootUsages *usages, const char *name)
{
	const BootUsage *usage = g_hash_table_lookup(usages->services, name);

	return usage ? usage->cpu_us : 0;
}
