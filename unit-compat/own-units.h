/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own units: units of the packages systemd and udev that svcd does not read, because svcd does
 * their work or because they need systemd as PID 1.
 */
#ifndef SVCD_UNIT_COMPAT_OWN_UNITS_H
#define SVCD_UNIT_COMPAT_OWN_UNITS_H

#include <stddef.h>

typedef struct OwnUnit {
	const char *pattern; /* "systemd-*": a name, perhaps with "*" for any characters */
	const char *reason; /* NULL: the unit is read */
} OwnUnit;

/* Returns: the first row for @unit with a reason, or NULL: the unit is read. */
const OwnUnit *own_unit_find(const char *unit);

/* Returns: the row of this number, NULL behind the last. */
const OwnUnit *own_unit_at(size_t index);

#endif
