/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of services, facilities, flags and runlevels: one validator for every entry (file, bus, command line).
 */
#ifndef SVCD_MODEL_NAME_H
#define SVCD_MODEL_NAME_H

#include <stdbool.h>

/**
 * name_check_service() - [A-Za-z0-9_.@:+-], 1 to LIMIT_NAME_BYTES bytes, not beginning with "." or "-"
 * @ret_problem: if not NULL, on failure one sentence, a new string
 */
bool name_check_service(const char *name, char **ret_problem);

/* "$" and then a service's name. */
bool name_check_facility(const char *name, char **ret_problem);

/**
 * name_check_flag() - a service's name; or BUS-NAME/FLAG, which belongs to whoever owns that name on the system bus
 */
bool name_check_flag(const char *name, char **ret_problem);
/* "org.example.Weather" of "org.example.Weather/rain", a new string; NULL for a flag that belongs to the admin. */
char *name_flag_owner(const char *name);

/* A well-known name ("Message Protocol Names" in the D-Bus Specification), not ":1.42". */
bool name_check_bus(const char *name, char **ret_problem);
/* Of StartLock=: as a service's name. */
bool name_check_lock(const char *name, char **ret_problem);
bool name_check_runlevel(const char *name, char **ret_problem);

/* A group of group(5), by name: letters, digits and _.-, up to 32 bytes as useradd(8) makes them; or its number. */
bool name_check_group(const char *name, char **ret_problem);

/**
 * name_split_instance() - "getty@tty1" -> "getty@", "tty1"
 * Returns: false when there is no "@". An empty instance ("getty@") is the template itself.
 */
bool name_split_instance(const char *name, char **ret_template, char **ret_instance);

#endif
