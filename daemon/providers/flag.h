/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags: conditions that users and programs set by name.
 *
 * "backup" is the admin's: svcctl sets and clears it. "org.example.Weather/rain" belongs to the
 * owner of org.example.Weather on the system bus. That connection sets the flag. The flag is
 * cleared when the connection ends or gives up the name. While the bus is away, the level is
 * unknown. docs/providers.md describes how to write such a program.
 */
#ifndef SVCD_PROVIDERS_FLAG_H
#define SVCD_PROVIDERS_FLAG_H

#include <glib.h>
#include <stdbool.h>

#include "loop/system-bus.h"
#include "providers/provider.h"

typedef struct FlagProvider FlagProvider;

/* @bus: borrowed, outlives the provider; NULL: no bus, so flags of bus names are unknown */
Provider *flag_provider_new(const ProviderSink *sink, SystemBus *bus);
FlagProvider *flag_provider_cast(Provider *provider);

/* @cleared: called in a later turn when a flag was cleared because its owner has left */
void flag_provider_on_cleared(FlagProvider *flags, void (*cleared)(void *data, const char *name),
			      void *data);

/**
 * flag_provider_set() - set or clear a flag
 * @holder: for a flag with an owner: the unique name of the requesting connection; NULL: a client
 * that is not on the bus, which may only clear it
 * @why: the requester, shown by explain
 * Returns: false with @error for a bad name, for a flag of another owner, or if too many are set.
 */
bool flag_provider_set(FlagProvider *flags, const char *name, bool set, const char *holder,
		       const char *why, GError **error);

/**
 * flag_provider_note(), flag_provider_recover() - the data of a flag for the next manager
 *
 * A flag with an owner is checked again when the bus has reported whether that connection still
 * owns its name.
 * Returns: a new string, "" if it is not set; false with @error if @note cannot be parsed.
 */
char *flag_provider_note(const FlagProvider *flags, const char *name);
bool flag_provider_recover(FlagProvider *flags, const char *name, const char *note, GError **error);

/* Names of the flags that are set, sorted; a new array of borrowed strings. */
GPtrArray *flag_provider_list(const FlagProvider *flags);

#endif
