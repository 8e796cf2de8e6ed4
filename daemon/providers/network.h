/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network: network:up, network:online and network:interface:NAME.
 *
 * The first two are NetworkManager's word where it runs and the kernel's where it does not (network-merge.h says how the one
 * gives way to the other), the third is always the kernel's. Nothing is opened before somebody subscribes.
 */
#ifndef SVCD_PROVIDERS_NETWORK_H
#define SVCD_PROVIDERS_NETWORK_H

#include "loop/system-bus.h"
#include "providers/provider.h"
#include "worker/pool.h"

/* @bus: borrowed; outlives the provider. NULL: NetworkManager is never there. @workers: borrowed; NULL: links and routes are unknown. */
Provider *network_provider_new(const ProviderSink *sink, SystemBus *bus, WorkerPool *workers);

#endif
