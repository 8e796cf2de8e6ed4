/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call error: the name and text of a D-Bus error, the answer to a call that cannot be carried out.
 */
#ifndef SVCD_SYSTEMD1_CALL_ERROR_H
#define SVCD_SYSTEMD1_CALL_ERROR_H

#include <stdbool.h>

#define ERROR_NO_SUCH_UNIT "org.freedesktop.systemd1.NoSuchUnit"
#define ERROR_UNIT_EXISTS "org.freedesktop.systemd1.UnitExists"
/* logind 257 sends other properties when it gets this one. */
#define ERROR_PROPERTY_READ_ONLY "org.freedesktop.DBus.Error.PropertyReadOnly"

typedef struct CallError {
	const char *name; /* static */
	char text[512];
} CallError;

/* Returns: always false, so that a function can end with it. A longer text is cut off. */
bool call_fail(CallError *error, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
