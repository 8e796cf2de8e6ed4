/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registry: which provider answers for which prefix, and a queue that keeps providers out of the engine's hands.
 */
#include "config.h"

#include "providers/registry.h"

#include "loop/loop.h"
#include "providers/kernel.h"
#include "providers/mount.h"
#include "providers/path.h"

typedef struct Report {
	const char *key; /* interned */
	Level level;
	char *why;
} Report;

struct Registry {
	Provider *providers[KEY_COUNT]; /* NULL: internal to the engine */
	GQueue reports;                 /* Report * */
	Timer *deliver;
	void (*report)(void *data, const char *key, Level level, const char *why);
	void *data;
};

static void report_free(Report *report)
{
	g_free(report->why);
	g_free(report);
}

static void on_report(void *data, const char *key, Level level, const char *why)
{
	Registry *registry = data;
	Report *report = g_new0(Report, 1);

	report->key = key;
	report->level = level;
	report->why = g_strdup(why);
	g_queue_push_tail(&registry->reports, report);
	if (!timer_is_armed(registry->deliver))
		timer_arm(registry->deliver, loop_now());
}

void registry_flush(Registry *registry)
{
	Report *report;

	while ((report = g_queue_pop_head(&registry->reports))) {
		registry->report(registry->data, report->key, report->level, report->why);
		report_free(report);
	}
}

static void on_deliver(void *data)
{
	registry_flush(data);
}

/* A mount may have covered or uncovered any path. */
static void on_mounts_changed(void *data)
{
	Registry *registry = data;
	Provider *paths = registry->providers[KEY_PATH];

	paths->recheck(paths);
}

Registry *registry_new(const RegistryOptions *options,
		       void (*report)(void *data, const char *key, Level level, const char *why), void *data,
		       GError **error)
{
	Registry *registry = g_new0(Registry, 1);
	const ProviderSink sink = { on_report, registry };
	Provider *paths;

	registry->report = report;
	registry->data = data;
	registry->deliver = timer_new(on_deliver, registry);
	g_queue_init(&registry->reports);
	paths = path_provider_new(&sink, error);
	if (!paths) {
		registry_free(registry);
		return NULL;
	}
	registry->providers[KEY_PATH] = paths;
	registry->providers[KEY_KERNEL] = kernel_provider_new(&sink, options->kernel_cmdline);
	registry->providers[KEY_VIRTUAL] = virtual_provider_new(&sink, options->virtualization);
	registry->providers[KEY_FLAG] = flag_provider_new(&sink);
	registry->providers[KEY_MOUNTED] =
		mount_provider_new(&sink, "/proc/self/mountinfo", on_mounts_changed, registry);
	return registry;
}

void registry_free(Registry *registry)
{
	if (!registry)
		return;
	for (int i = 0; i < (int)KEY_COUNT; i++) {
		if (registry->providers[i])
			registry->providers[i]->free(registry->providers[i]);
	}
	g_queue_clear_full(&registry->reports, (GDestroyNotify)report_free);
	timer_free(registry->deliver);
	g_free(registry);
}

void registry_subscribe(Registry *registry, KeyPrefix prefix, const char *key)
{
	registry->providers[prefix]->subscribe(registry->providers[prefix], key);
}

void registry_unsubscribe(Registry *registry, KeyPrefix prefix, const char *key)
{
	registry->providers[prefix]->unsubscribe(registry->providers[prefix], key);
}

FlagProvider *registry_flags(Registry *registry)
{
	return flag_provider_cast(registry->providers[KEY_FLAG]);
}
