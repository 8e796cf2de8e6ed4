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
#include "worker/pool.h"

typedef struct Registry Registry;

typedef struct RegistryOptions {
	const char *kernel_cmdline; /* words; "" in a container, whose kernel was not booted for it */
	const char *virtualization; /* "", "container" or "vm" */
	int mounts_fd;              /* /proc/self/mountinfo, open; taken; -1: there is none */
	WorkerPool *workers;        /* borrowed; NULL: paths are unknown */
	bool is_recovering;         /* there was a manager before, whose services go on */
	void (*settled)(void *data); /* registry_is_settled(), which it was not before; called from the main loop; may be NULL */
	SystemBus *system_bus;      /* borrowed; outlives the registry; NULL: there is none, and nobody provides for it */
	SystemBus *session_bus;     /* the same; of a user's manager: the bus that conditions are about. NULL: the system bus is */
} RegistryOptions;

/*
 * @report: called from the first registry_flush() on, and after it from the main loop; never from inside registry_subscribe()
 */
Registry *registry_new(const RegistryOptions *options,
		       void (*report)(void *data, const char *key, Level level, const char *why), void *data);
void registry_free(Registry *registry);

/*
 * Several may be interested in one key: subscriptions are counted, and each one makes the present level be reported again.
 * @key: interned, never of an internal prefix
 */
void registry_subscribe(Registry *registry, KeyPrefix prefix, const char *key);
void registry_unsubscribe(Registry *registry, KeyPrefix prefix, const char *key);

/* Hand over everything that is waiting, now. */
void registry_flush(Registry *registry);

/* What there is instead of what @key asks for, in words ("labels present: EFI, ROOT"); a new string, or NULL. */
char *registry_describe(Registry *registry, KeyPrefix prefix, const char *key);

/* Reports what the table of mounts has become, now. */
void registry_update_mounts(Registry *registry);

/* Names that this connection owns do not count (providers/dbus-name.h). */
void registry_ignore_bus_owner(Registry *registry, const char *unique_name);

/* Has a first level arrived of each condition whose source is another process of ours? */
bool registry_is_settled(const Registry *registry);

/* Flags have no other source than clients of ours: the manager sets them here. */
FlagProvider *registry_flags(Registry *registry);

/* Nor have programs that are held: they come with the files. Takes @held; NULL: all are free. */
void registry_hold_programs(Registry *registry, HeldPrograms *held);

#endif
