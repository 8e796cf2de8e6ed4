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

/*
 * What a client does not know already: a bit a row, for what is to be in the next PropertiesChanged though it is empty then, or comes
 * from files. A service has forty properties, and most are empty for all its life.
 */
#define EVERYTHING_IS_NEWS (~(gsize)0)

/* After all clients have been told, or when there is none: what is something now, for that may become nothing. */
gsize properties_seen(const Interface *interface, const Subject *subject);

/* Of the rows that are a text or a number: another one when one of them is another. */
guint properties_digest(const Interface *interface, const Subject *subject);

/* PropertiesChanged of @interface at @path: what is @news, and what is not empty; a new message. */
DBusMessage *properties_changed(const char *path, const Interface *interface, const Subject *subject, gsize news);

const PropertyRow *property_find(const Interface *interface, const char *name);

#endif
