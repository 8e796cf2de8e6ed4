/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties: the properties of units and jobs that are read on a machine with logind.
 */
#ifndef SVCD_SYSTEMD1_PROPERTIES_H
#define SVCD_SYSTEMD1_PROPERTIES_H

#include <dbus/dbus.h>
#include <stdbool.h>

#include "svc-systemd1/call-error.h"

/**
 * properties_get(), properties_get_all() - append the value, or all values, to @reply
 * @path: of the object
 * Returns: false with @error.
 */
bool properties_get(const char *path, const char *name, DBusMessage *reply, CallError *error);
bool properties_get_all(const char *path, DBusMessage *reply, CallError *error);

#endif
