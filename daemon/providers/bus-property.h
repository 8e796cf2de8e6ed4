/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus properties: the present values of properties of objects on the system bus, for watchers.
 */
#ifndef SVCD_PROVIDERS_BUS_PROPERTY_H
#define SVCD_PROVIDERS_BUS_PROPERTY_H

#include "loop/system-bus.h"
#include "model/key.h"
#include "providers/bus-value.h"

typedef struct BusProperties BusProperties;
typedef struct BusProperty BusProperty;

/* Called for each watcher of a property when its level, value or reason may have changed. */
typedef void (*BusPropertyFunc)(void *watcher);

BusProperties *bus_properties_new(SystemBus *bus, BusPropertyFunc changed);
/* No watcher may be left. */
void bus_properties_free(BusProperties *all);

/**
 * bus_property_watch() - begin to follow one property; no watcher is called before this returns
 * @name: a bus name, "org.freedesktop.NetworkManager"; its owner may come and go
 * @whole_name: "INTERFACE.PROPERTY"
 * @watcher: borrowed until bus_property_unwatch()
 * Returns: owned by @all, and shared by all watchers of the same property.
 */
BusProperty *bus_property_watch(BusProperties *all, const char *name, const char *path,
				const char *whole_name, void *watcher);
/* Frees the property with its last watcher. */
void bus_property_unwatch(BusProperty *property, void *watcher);

/*
 * True: the property has a value; false: it has none, for the reason bus_property_why(); unknown:
 * the owner has not answered yet.
 */
Level bus_property_level(const BusProperty *property);
const char *bus_property_why(const BusProperty *property);
/* Only while the level is true. */
const BusValue *bus_property_value(const BusProperty *property);
/* "State": the name without its interface. */
const char *bus_property_member(const BusProperty *property);

#endif
