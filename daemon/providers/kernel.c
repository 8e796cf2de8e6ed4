/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel: both providers report once, at the subscription.
 */
#include "config.h"

#include "providers/kernel.h"

#include <string.h>

typedef struct KernelProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	char **tokens;
} KernelProvider;

static void kernel_subscribe(Provider *provider, const char *key)
{
	KernelProvider *kernel = (KernelProvider *)provider;
	bool found = g_strv_contains((const char *const *)kernel->tokens, key_argument(key));

	provider_report(&kernel->sink, key, found ? LEVEL_TRUE : LEVEL_FALSE,
			found ? "on the kernel command line" : "not on the kernel command line");
}

static void virtual_subscribe(Provider *provider, const char *key)
{
	KernelProvider *kernel = (KernelProvider *)provider;
	bool is_so = g_strv_contains((const char *const *)kernel->tokens, key_argument(key));

	provider_report(&kernel->sink, key, is_so ? LEVEL_TRUE : LEVEL_FALSE,
			is_so ? "found at boot" : "not found at boot");
}

static void kernel_unsubscribe(Provider *provider, const char *key)
{
	(void)provider;
	(void)key;
}

static void kernel_free(Provider *provider)
{
	g_strfreev(((KernelProvider *)provider)->tokens);
	g_free(provider);
}

static Provider *tokens_provider_new(const ProviderSink *sink,
				     void (*subscribe)(Provider *provider, const char *key),
				     char **tokens)
{
	KernelProvider *kernel = g_new0(KernelProvider, 1);

	kernel->base = (Provider){ .subscribe = subscribe,
				   .unsubscribe = kernel_unsubscribe,
				   .free = kernel_free };
	kernel->sink = *sink;
	kernel->tokens = tokens;
	return &kernel->base;
}

Provider *kernel_provider_new(const ProviderSink *sink, const char *cmdline)
{
	return tokens_provider_new(sink, kernel_subscribe, g_strsplit_set(cmdline, " \t\n", -1));
}

Provider *virtual_provider_new(const ProviderSink *sink, const char *virtualization)
{
	return tokens_provider_new(sink, virtual_subscribe, g_strsplit(virtualization, " ", -1));
}
