/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus value: the value of a D-Bus property, as far as a condition can compare it with a text.
 *
 * It contains booleans, numbers and texts (with object paths and signatures). Other types can be
 * stored but not compared.
 */
#ifndef SVCD_PROVIDERS_BUS_VALUE_H
#define SVCD_PROVIDERS_BUS_VALUE_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/key.h"

typedef enum BusValueKind {
	BUS_VALUE_OTHER, /* arrays, structures, dictionaries, descriptors */
	BUS_VALUE_BOOLEAN,
	BUS_VALUE_INTEGER,
	BUS_VALUE_DOUBLE,
	BUS_VALUE_TEXT,
} BusValueKind;

typedef struct BusValue {
	BusValueKind kind;
	bool boolean;
	bool is_negative; /* INTEGER: the sign of @magnitude */
	uint64_t magnitude;
	double real;
	char *text; /* owned; no longer than LIMIT_BUS_TEXT_BYTES */
	bool is_cut; /* it was longer */
	int type; /* as in the message, for reports */
} BusValue;

/* @iter: at the value; variants are unpacked. Overwrites @ret. */
void bus_value_read(DBusMessageIter *iter, BusValue *ret);
void bus_value_clear(BusValue *value);

/* The change of one property, as reported by a PropertiesChanged signal. */
typedef enum BusChange {
	BUS_CHANGE_NONE,
	BUS_CHANGE_VALUE,
	BUS_CHANGE_INVALID, /* it has changed, but the new value must be requested */
} BusChange;

/**
 * bus_change_find() - look a property up in (a{sv} changed, as invalidated)
 * @changed: at the first of the two
 * @ret:     with BUS_CHANGE_VALUE; overwritten
 */
BusChange bus_change_find(const DBusMessageIter *changed, const char *member, BusValue *ret);

/**
 * bus_value_compare() - does @value compare with the text as @operator requires?
 * @name: of the property, for @ret_why
 * @ret_why: "State is 20", with the reason if the two cannot be compared; a new string
 */
bool bus_value_compare(const BusValue *value, KeyOperator operator, const char * token,
		       const char *name, char **ret_why);

#endif
