/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transient: the arguments of StartTransientUnit, as logind sends them for the scope of a session.
 */
#ifndef SVCD_SYSTEMD1_TRANSIENT_H
#define SVCD_SYSTEMD1_TRANSIENT_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "svc-systemd1/call-error.h"

typedef struct Transient {
	const char *name; /* in the message */
	const char *description; /* in the message; "" if there is none */
	uint32_t uid; /* of its slice, user-UID.slice */
	GPtrArray *requires; /* names; the unit fails with them */
	GPtrArray *wants; /* names; the unit starts in any case, but after them */
	GArray *pids; /* of pid_t */
	GArray *pidfds; /* of int; closed by transient_clear() */
	bool sends_hup; /* when it is stopped */
} Transient;

/**
 * transient_read() - read the message
 * @ret: to be cleared by the caller, also after an error; valid as long as @message
 *
 * A property that this program cannot apply is an error, except one that only orders units that
 * are up before any login.
 */
bool transient_read(DBusMessage *message, Transient *ret, CallError *error);
void transient_clear(Transient *transient);

#endif
