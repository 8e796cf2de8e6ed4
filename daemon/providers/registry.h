/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registry: all providers, and the queue between them and the engine.
 */
#ifndef SVCD_PROVIDERS_REGISTRY_H
#define SVCD_PROVIDERS_REGISTRY_H

#include <glib.h>

#include "loop/system-bus.h"
#include "model/held-programs.h"
#include "model/key.h"
#include "providers/flag.h"
#include "providers/schedule.h"
#include "worker/pool.h"

typedef struct Registry Registry;

typedef struct RegistryOptions {
	/* the kernel's parameters; "" in a container, for which the kernel was not booted */
	const char *kernel_cmdline;
	const char *virtualization; /* "", "container" or "vm" */
	int mounts_fd; /* /proc/self/mountinfo, open; taken; -1: there is none */
	WorkerPool *workers; /* borrowed; NULL: paths are unknown */
	bool is_recovering; /* an earlier manager existed, and its services continue */
	/* called from the main loop when registry_is_settled() becomes true; may be NULL */
	void (*settled)(void *data);
	/* borrowed; outlives the registry; NULL: there is none, and no service provides it */
	SystemBus *system_bus;
	/*
	 * the session bus, borrowed in the same way. The conditions of a user's manager use it.
	 * NULL: they use the system bus
	 */
	SystemBus *session_bus;
	ScheduleOptions schedule;
} RegistryOptions;

/*
 * @report: called during or after the first registry_flush(), then from the main loop; never inside
 * registry_subscribe()
 */
Registry *registry_new(const RegistryOptions *options,
		       void (*report)(void *data, const char *key, Level level, const char *why),
		       void *data);
void registry_free(Registry *registry);

/*
 * Subscriptions of a key are counted. Each one makes the provider report the present level again.
 * @key: interned, never of an internal prefix
 */
void registry_subscribe(Registry *registry, KeyPrefix prefix, const char *key);
void registry_unsubscribe(Registry *registry, KeyPrefix prefix, const char *key);

/* Delivers all queued reports now. */
void registry_flush(Registry *registry);

/* The alternatives to @key that exist: "labels present: EFI, ROOT"; a new string, or NULL. */
char *registry_describe(Registry *registry, KeyPrefix prefix, const char *key);

/* Reads and reports changes of the mount table now. */
void registry_update_mounts(Registry *registry);

/* Names that this connection owns are ignored (providers/dbus-name.h). */
void registry_ignore_bus_owner(Registry *registry, const char *unique_name);

/* Has a first level arrived for each condition that depends on one of our helper processes? */
bool registry_is_settled(const Registry *registry);

/* Flags have no source except client requests, so the manager sets them here. */
FlagProvider *registry_flags(Registry *registry);

/* The manager knows the last successes of services, and the time zone comes with the files. */
ScheduleProvider *registry_schedule(Registry *registry);

/* The held programs come with the service files. Takes @held; NULL: all are free. */
void registry_hold_programs(Registry *registry, HeldPrograms *held);

#endif
