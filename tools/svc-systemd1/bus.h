/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: the connection to the system bus, and the signals that logind waits for.
 */
#ifndef SVCD_SYSTEMD1_BUS_H
#define SVCD_SYSTEMD1_BUS_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>

#define SYSTEMD1_NAME "org.freedesktop.systemd1"
#define SYSTEMD1_MANAGER SYSTEMD1_NAME ".Manager"

/* Returns: NULL, with a line in the log, if the bus accepts no connection. */
DBusConnection *bus_connect(void);
/* Takes the name of systemd. Returns: false, with a line in the log. */
bool bus_take_name(void);

/*
 * These wait for the answer of the bus. The user of a caller; UINT32_MAX if it is gone. Its process;
 * 0 if it is gone.
 */
uint32_t bus_user_of(const char *sender);
uint32_t bus_process_of(const char *sender);

/* Frees @message. */
void bus_send(DBusMessage *message);

/* logind then checks all sessions again, because it may have missed the end of a unit. */
void bus_emit_reloaded(void);
void bus_emit_job_removed(uint32_t id, const char *unit, const char *result);
void bus_emit_unit_removed(const char *unit);
void bus_emit_active_state(const char *unit, const char *state);

/* Never returns NULL: without memory the program ends, and svcd starts it again. */
char *bus_job_path(uint32_t id);

#endif
