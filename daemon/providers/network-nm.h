/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NmWatch: the network state of NetworkManager, over the system bus. It never starts
 * NetworkManager.
 */
#ifndef SVCD_PROVIDERS_NETWORK_NM_H
#define SVCD_PROVIDERS_NETWORK_NM_H

#include "loop/system-bus.h"
#include "providers/network-merge.h"

typedef struct NmWatch NmWatch;

/**
 * nm_watch_new() - watch NetworkManager from now on
 * @bus: borrowed; outlives the watch
 * @changed: called in later turns when the view has changed; must not free the watch
 */
NmWatch *nm_watch_new(SystemBus *bus, void (*changed)(void *data), void *data);
void nm_watch_free(NmWatch *watch); /* NULL is allowed */

const NmView *nm_watch_view(const NmWatch *watch);

#endif
