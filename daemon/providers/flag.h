/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags: conditions that people and programs set by name.
 *
 * "backup" is the admin's: svcctl sets and clears it. "org.example.Weather/rain" belongs to whoever owns org.example.Weather on
 * the system bus: that connection sets it, and with its end, or when it gives the name up, the flag is cleared. While the
 * bus is away nobody knows. How to write such a program: docs/providers.md.
 */
#ifndef SVCD_PROVIDERS_FLAG_H
#define SVCD_PROVIDERS_FLAG_H

#include <glib.h>
#include <stdbool.h>

#include "loop/system-bus.h"
#include "providers/provider.h"

typedef struct FlagProvider FlagProvider;

/* @bus: borrowed, outlives the provider; NULL: no bus, and nobody knows of the flags of its names */
Provider *flag_provider_new(const ProviderSink *sink, SystemBus *bus);
FlagProvider *flag_provider_cast(Provider *provider);

/* @cleared: a flag was cleared because its owner has left; from a later turn */
void flag_provider_on_cleared(FlagProvider *flags, void (*cleared)(void *data, const char *name), void *data);

/**
 * flag_provider_set() - set or clear one
 * @holder: for a flag with an owner: the unique name of the connection that asks; NULL: somebody who is not on the bus,
 *          and may only clear it
 * @why:    who did it, shown by explain
 * Returns: false with @error for a bad name, when it is another's, or when too many are set.
 */
bool flag_provider_set(FlagProvider *flags, const char *name, bool set, const char *holder, const char *why,
		       GError **error);

/**
 * flag_provider_note(), flag_provider_recover() - what the next manager must know of a flag
 *
 * A flag with an owner is looked at again when the bus has told whether that still owns its name.
 * Returns: a new string, "" when it is not set; false with @error when there is no sense in @note.
 */
char *flag_provider_note(const FlagProvider *flags, const char *name);
bool flag_provider_recover(FlagProvider *flags, const char *name, const char *note, GError **error);

/* Names of the flags that are set, sorted; a new array of borrowed strings. */
GPtrArray *flag_provider_list(const FlagProvider *flags);

#endif
