/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties: conversion of rows to a{sv}.
 */
#ifndef SVCD_BUS_PROPERTIES_H
#define SVCD_BUS_PROPERTIES_H

#include "bus/rows.h"

/* Appends one property as a variant. */
void property_append(const PropertyRow *row, const PropertyContext *context, DBusMessageIter *out);

/**
 * properties_append() - append a{sv} of an interface
 * @without: omit rows with one of these PropertyFlags
 * @with: 0, or include only rows with one of these
 */
void properties_append(const Interface *interface, const PropertyContext *context, unsigned without,
		       unsigned with, DBusMessageIter *out);

/*
 * Appends a{sa{sv}} with one interface, as ObjectManager sends it. Costly rows are left to Get and
 * GetAll.
 */
void properties_append_interfaces(const Interface *interface, const PropertyContext *context,
				  DBusMessageIter *out);

/*
 * A new message: PropertiesChanged of @interface at @path, with every property that can change and
 * is not silent.
 */
DBusMessage *properties_changed(const char *path, const Interface *interface,
				const PropertyContext *context);

const PropertyRow *property_find(const Interface *interface, const char *name);

#endif
