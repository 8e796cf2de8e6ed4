/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registry: maps prefixes to providers, and queues reports so that no provider calls the engine.
 */
#include "config.h"

#include "providers/registry.h"

#include "loop/loop.h"
#include "providers/dbus-name.h"
#include "providers/dbus-property.h"
#include "providers/installed.h"
#include "providers/kernel.h"
#include "providers/mount.h"
#include "providers/network.h"
#include "providers/path.h"
#include "providers/path-look.h"
#include "providers/schedule.h"
#include "providers/udev.h"

typedef struct Report {
	const char *key; /* interned */
	Level level;
	char *why;
} Report;

struct Registry {
	/* a provider may have several prefixes; NULL: internal to the engine */
	Provider *providers[KEY_COUNT];
	GPtrArray *all; /* Provider *, each once */
	GHashTable *subscriptions; /* interned key -> how many */
	GQueue reports; /* Report * */
	Timer *deliver;
	bool is_held; /* reports wait for the first flush */
	void (*report)(void *data, const char *key, Level level, const char *why);
	void (*settled)(void *data);
	bool is_recovering;
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
	if (!registry->is_held && !timer_is_armed(registry->deliver))
		timer_arm(registry->deliver, loop_now());
}

void registry_flush(Registry *registry)
{
	Report *report;

	registry->is_held = false;
	while ((report = g_queue_pop_head(&registry->reports))) {
		registry->report(registry->data, report->key, report->level, report->why);
		report_free(report);
	}
}

static void on_deliver(void *data)
{
	registry_flush(data);
}

static void on_settled(void *data)
{
	Registry *registry = data;

	if (registry->settled && registry_is_settled(registry))
		registry->settled(registry->data);
}

static void add(Registry *registry, KeyPrefix prefix, Provider *provider)
{
	registry->providers[prefix] = provider;
	g_ptr_array_add(registry->all, provider);
}

/* One table of devices serves all of these prefixes. */
static void add_udev(Registry *registry, Provider *udev)
{
	add(registry, KEY_UDEV, udev);
	registry->providers[KEY_LABEL] = udev;
	registry->providers[KEY_UUID] = udev;
	registry->providers[KEY_DEVICE] = udev;
}

static void add_bus(Registry *registry, const ProviderSink *sink, SystemBus *bus)
{
	add(registry, KEY_DBUS, dbus_name_provider_new(sink, bus));
	add(registry, KEY_DBUS_PROPERTY, dbus_property_provider_new(sink, bus));
}

Registry *registry_new(const RegistryOptions *options,
		       void (*report)(void *data, const char *key, Level level, const char *why),
		       void *data)
{
	Registry *registry = g_new0(Registry, 1);
	const ProviderSink sink = { on_report, registry };
	SystemBus *bus = options->session_bus ? options->session_bus : options->system_bus;
	const UdevOptions devices = { .directory = "/run/udev",
				      .sockets = path_look_for_sockets(options->workers),
				      .workers = options->workers,
				      .is_recovering = options->is_recovering,
				      .settled = on_settled,
				      .data = registry };
	const PathOptions paths = { .workers = options->workers,
				    .settled = on_settled,
				    .data = registry };

	registry->report = report;
	registry->settled = options->settled;
	registry->is_recovering = options->is_recovering;
	registry->data = data;
	registry->is_held = true;
	registry->all = g_ptr_array_new();
	registry->subscriptions = g_hash_table_new(NULL, NULL);
	registry->deliver = timer_new(on_deliver, registry);
	g_queue_init(&registry->reports);
	add(registry, KEY_PATH, path_provider_new(&sink, &paths));
	add(registry, KEY_KERNEL, kernel_provider_new(&sink, options->kernel_cmdline));
	add(registry, KEY_VIRTUAL, virtual_provider_new(&sink, options->virtualization));
	add(registry, KEY_FLAG, flag_provider_new(&sink, bus));
	add(registry, KEY_INSTALLED, installed_provider_new(&sink));
	add(registry, KEY_MOUNTED, mount_provider_new(&sink, options->mounts_fd, NULL, NULL));
	if (bus)
		add_bus(registry, &sink, bus);
	add(registry, KEY_NETWORK,
	    network_provider_new(&sink, options->system_bus, options->workers));
	add_udev(registry, udev_provider_new(&sink, &devices));
	add(registry, KEY_DUE, schedule_provider_new(&options->schedule, &sink));
	registry->providers[KEY_TIME] = registry->providers[KEY_DUE];
	return registry;
}

void registry_free(Registry *registry)
{
	if (!registry)
		return;
	for (guint i = 0; i < registry->all->len; i++) {
		Provider *provider = g_ptr_array_index(registry->all, i);

		provider->free(provider);
	}
	g_ptr_array_unref(registry->all);
	g_hash_table_unref(registry->subscriptions);
	g_queue_clear_full(&registry->reports, (GDestroyNotify)report_free);
	timer_free(registry->deliver);
	g_free(registry);
}

void registry_subscribe(Registry *registry, KeyPrefix prefix, const char *key)
{
	const int n = GPOINTER_TO_INT(g_hash_table_lookup(registry->subscriptions, key));

	g_hash_table_insert(registry->subscriptions, (gpointer)key, GINT_TO_POINTER(n + 1));
	if (!registry->providers[prefix]) {
		on_report(registry, key, LEVEL_UNKNOWN, "nothing provides it");
		return;
	}
	registry->providers[prefix]->subscribe(registry->providers[prefix], key);
}

void registry_unsubscribe(Registry *registry, KeyPrefix prefix, const char *key)
{
	const int n = GPOINTER_TO_INT(g_hash_table_lookup(registry->subscriptions, key));

	if (n > 1) {
		g_hash_table_insert(registry->subscriptions, (gpointer)key, GINT_TO_POINTER(n - 1));
		return;
	}
	g_hash_table_remove(registry->subscriptions, key);
	if (registry->providers[prefix])
		registry->providers[prefix]->unsubscribe(registry->providers[prefix], key);
}

char *registry_describe(Registry *registry, KeyPrefix prefix, const char *key)
{
	Provider *provider = registry->providers[prefix];

	return provider && provider->describe ? provider->describe(provider, key) : NULL;
}

void registry_ignore_bus_owner(Registry *registry, const char *unique_name)
{
	if (registry->providers[KEY_DBUS])
		dbus_name_provider_ignore(registry->providers[KEY_DBUS], unique_name);
}

void registry_update_mounts(Registry *registry)
{
	mount_provider_update(registry->providers[KEY_MOUNTED]);
	if (!registry->is_held)
		registry_flush(registry);
}

bool registry_is_settled(const Registry *registry)
{
	/*
	 * At boot, udevd is a service that has not been started yet. The socket of the initramfs'
	 * udevd does not answer, and devices come later.
	 */
	return path_provider_is_settled(registry->providers[KEY_PATH]) &&
	       (!registry->is_recovering ||
		udev_provider_is_settled(registry->providers[KEY_UDEV]));
}

FlagProvider *registry_flags(Registry *registry)
{
	return flag_provider_cast(registry->providers[KEY_FLAG]);
}

ScheduleProvider *registry_schedule(Registry *registry)
{
	return schedule_provider_cast(registry->providers[KEY_DUE]);
}

void registry_hold_programs(Registry *registry, HeldPrograms *held)
{
	installed_provider_take(registry->providers[KEY_INSTALLED], held);
}
