/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network: network:up, network:online and network:interface:NAME.
 *
 * The first two follow NetworkManager while it runs, and otherwise the kernel (network-merge.h has
 * the rules of the transition). The third always follows the kernel. Nothing is opened before the
 * first subscription.
 */
#ifndef SVCD_PROVIDERS_NETWORK_H
#define SVCD_PROVIDERS_NETWORK_H

#include "loop/system-bus.h"
#include "providers/provider.h"
#include "worker/pool.h"

/*
 * @bus: borrowed; outlives the provider. NULL: NetworkManager is never there. @workers: borrowed;
 * NULL: links and routes are unknown.
 */
Provider *network_provider_new(const ProviderSink *sink, SystemBus *bus, WorkerPool *workers);

#endif
