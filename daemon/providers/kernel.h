/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel: parameters of the kernel command line, and the kind of the machine. Neither changes at
 * run time.
 */
#ifndef SVCD_PROVIDERS_KERNEL_H
#define SVCD_PROVIDERS_KERNEL_H

#include "providers/provider.h"

Provider *kernel_provider_new(const ProviderSink *sink, const char *cmdline);

/* @virtualization: "", "container" or "vm" */
Provider *virtual_provider_new(const ProviderSink *sink, const char *virtualization);

#endif
