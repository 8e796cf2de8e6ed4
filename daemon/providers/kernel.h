/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel: words of the kernel command line, and what kind of machine this is. Neither changes while we run.
 */
#ifndef SVCD_PROVIDERS_KERNEL_H
#define SVCD_PROVIDERS_KERNEL_H

#include "providers/provider.h"

Provider *kernel_provider_new(const ProviderSink *sink, const char *cmdline);

/* @virtualization: "", "container" or "vm" */
Provider *virtual_provider_new(const ProviderSink *sink, const char *virtualization);

#endif
