/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Provider: the source of the levels of all conditions with one prefix.
 *
 * A provider reports the present level of a key at each subscription, even a repeated one, and
 * every change afterwards. Unknown is a level too: the source does not exist yet, or does not
 * answer. A provider that has lost its source reports unknown, never false. A new provider is one
 * file that fills this struct, and a line in registry.c.
 */
#ifndef SVCD_PROVIDERS_PROVIDER_H
#define SVCD_PROVIDERS_PROVIDER_H

#include "model/key.h"

/* Reports go into the registry's queue, never directly into the engine. */
typedef struct ProviderSink {
	void (*report)(void *data, const char *key, Level level, const char *why);
	void *data;
} ProviderSink;

typedef struct Provider Provider;

struct Provider {
	void (*subscribe)(Provider *provider, const char *key);
	void (*unsubscribe)(Provider *provider, const char *key);
	/*
	 * Returns: the alternatives that exist, as a hint for users: "labels present: EFI, ROOT"; a
	 * new string, or NULL. The hint is computed only on request, so its changes are not
	 * reported. The function itself may be NULL.
	 */
	char *(*describe)(Provider *provider, const char *key);
	void (*free)(Provider *provider);
};

static inline void provider_report(const ProviderSink *sink, const char *key, Level level,
				   const char *why)
{
	sink->report(sink->data, key, level, why);
}

#endif
