/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus properties: dbus-property:NAME PATH INTERFACE.PROPERTY OP VALUE is true while the
 * comparison holds for that property of an object on the system bus. It is false if NAME has no
 * owner, or if the object or the property does not exist. It is unknown while the bus is away or
 * the service does not answer. The provider never makes the bus start a service.
 */
#ifndef SVCD_PROVIDERS_DBUS_PROPERTY_H
#define SVCD_PROVIDERS_DBUS_PROPERTY_H

#include "loop/system-bus.h"
#include "providers/provider.h"

/* @bus: borrowed; outlives the provider */
Provider *dbus_property_provider_new(const ProviderSink *sink, SystemBus *bus);

#endif
