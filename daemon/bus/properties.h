/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties: rows into a{sv}.
 */
#ifndef SVCD_BUS_PROPERTIES_H
#define SVCD_BUS_PROPERTIES_H

#include "bus/rows.h"

/* One property as a variant. */
void property_append(const PropertyRow *row, const Subject *subject, DBusMessageIter *out);

/**
 * properties_append() - a{sv} of an interface
 * @without: rows with one of these PropertyFlags are left out
 * @with:    0, or only rows with one of these
 */
void properties_append(const Interface *interface, const Subject *subject, unsigned without, unsigned with,
		       DBusMessageIter *out);

/* a{sa{sv}} with one interface, as ObjectManager tells it; rows that cost much are left to Get and GetAll. */
void properties_append_interfaces(const Interface *interface, const Subject *subject, DBusMessageIter *out);

/* PropertiesChanged of @interface at @path, with every property that can change and is not silent; a new message. */
DBusMessage *properties_changed(const char *path, const Interface *interface, const Subject *subject);

const PropertyRow *property_find(const Interface *interface, const char *name);

#endif
