/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus properties: the values of properties of objects on the system bus, kept up to date for those who watch them.
 */
#ifndef SVCD_PROVIDERS_BUS_PROPERTY_H
#define SVCD_PROVIDERS_BUS_PROPERTY_H

#include "loop/system-bus.h"
#include "model/key.h"
#include "providers/bus-value.h"

typedef struct BusProperties BusProperties;
typedef struct BusProperty BusProperty;

/* Told to each who watches a property, when its level, value or reason may have changed. */
typedef void (*BusPropertyFunc)(void *watcher);

BusProperties *bus_properties_new(SystemBus *bus, BusPropertyFunc changed);
/* Nobody watches any more. */
void bus_properties_free(BusProperties *all);

/**
 * bus_property_watch() - begin to follow one property; nobody is told before this returns
 * @name:       of the bus, "org.freedesktop.NetworkManager"; its owner may come and go
 * @whole_name: "INTERFACE.PROPERTY"
 * @watcher:    borrowed until bus_property_unwatch()
 * Returns: owned by @all, and shared by all who watch the same one.
 */
BusProperty *bus_property_watch(BusProperties *all, const char *name, const char *path, const char *whole_name,
				void *watcher);
/* The last one to go takes the property with it. */
void bus_property_unwatch(BusProperty *property, void *watcher);

/* True: it has a value; false: there is none, and why says so; unknown: its owner has not told yet. */
Level bus_property_level(const BusProperty *property);
const char *bus_property_why(const BusProperty *property);
/* While the level is true. */
const BusValue *bus_property_value(const BusProperty *property);
/* "State": the name without its interface. */
const char *bus_property_member(const BusProperty *property);

#endif
