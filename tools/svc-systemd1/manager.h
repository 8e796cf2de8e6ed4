/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Manager: the members of org.freedesktop.systemd1 that are called on a machine with logind. Each
 * is one row of a table. A call of any other member gets an error, and one line in the log.
 */
#ifndef SVCD_SYSTEMD1_MANAGER_H
#define SVCD_SYSTEMD1_MANAGER_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <sys/types.h>

/* A filter of libdbus; @data is not used. */
DBusHandlerResult manager_on_message(DBusConnection *bus, DBusMessage *message, void *data);

/* Answers the call that waits for a process. Returns: false if no call waits for it. */
bool manager_on_exit(pid_t pid, int status);

#endif
