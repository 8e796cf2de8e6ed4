/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags: conditions that people and programs set by name.
 */
#ifndef SVCD_PROVIDERS_FLAG_H
#define SVCD_PROVIDERS_FLAG_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"

typedef struct FlagProvider FlagProvider;

Provider *flag_provider_new(const ProviderSink *sink);
FlagProvider *flag_provider_cast(Provider *provider);

/**
 * flag_provider_set() - set or clear one
 * @why: who did it, shown by explain
 * Returns: false with @error for a bad name, or when LIMIT_FLAGS are set.
 */
bool flag_provider_set(FlagProvider *flags, const char *name, bool set, const char *why, GError **error);

/* Names of the flags that are set, sorted; a new array of borrowed strings. */
GPtrArray *flag_provider_list(const FlagProvider *flags);

#endif
