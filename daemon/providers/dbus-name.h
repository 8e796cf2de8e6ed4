/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus names: dbus:NAME is true while a connection owns that name on the system bus. It is false
 * only if the bus reports no owner, and unknown while the bus cannot be asked.
 */
#ifndef SVCD_PROVIDERS_DBUS_NAME_H
#define SVCD_PROVIDERS_DBUS_NAME_H

#include "loop/system-bus.h"
#include "providers/provider.h"

/* @bus: borrowed; outlives the provider */
Provider *dbus_name_provider_new(const ProviderSink *sink, SystemBus *bus);

/**
 * dbus_name_provider_ignore() - ignore the names of this connection until it leaves the bus
 * @unique_name: ":1.42", of a connection that only holds a name, for example to refuse an
 * activation with a reason
 */
void dbus_name_provider_ignore(Provider *provider, const char *unique_name);

#endif
