/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus properties: dbus-property:NAME PATH INTERFACE.PROPERTY OP VALUE is true while that property of a living object
 * on the system bus compares so. Without an owner of NAME, object or property it is false; it is unknown while the bus is
 * not there or the service does not answer. Asking never makes the bus start a service.
 */
#ifndef SVCD_PROVIDERS_DBUS_PROPERTY_H
#define SVCD_PROVIDERS_DBUS_PROPERTY_H

#include "loop/system-bus.h"
#include "providers/provider.h"

/* @bus: borrowed; outlives the provider */
Provider *dbus_property_provider_new(const ProviderSink *sink, SystemBus *bus);

#endif
