/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Provider: who knows the level of the conditions of one prefix.
 *
 * A provider reports the present level of a key each time it is subscribed (again, if it was already), and every change
 * afterwards. Unknown is a level too: the source is not there yet, or silent; whoever lost it says unknown, never false.
 * A new provider is one file that fills this struct, and a line in registry.c.
 */
#ifndef SVCD_PROVIDERS_PROVIDER_H
#define SVCD_PROVIDERS_PROVIDER_H

#include "model/key.h"

/* Where reports go: never straight into the engine, but into the registry's queue. */
typedef struct ProviderSink {
	void (*report)(void *data, const char *key, Level level, const char *why);
	void *data;
} ProviderSink;

typedef struct Provider Provider;

struct Provider {
	void (*subscribe)(Provider *provider, const char *key);
	void (*unsubscribe)(Provider *provider, const char *key);
	/*
	 * What there is instead, for people who wait: "labels present: EFI, ROOT"; a new string, or NULL. Asked for only when
	 * somebody looks, so that it need not be told with every change. NULL: nothing to add.
	 */
	char *(*describe)(Provider *provider, const char *key);
	void (*free)(Provider *provider);
};

static inline void provider_report(const ProviderSink *sink, const char *key, Level level, const char *why)
{
	sink->report(sink->data, key, level, why);
}

#endif
