/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of services, facilities, flags and runlevels: one validator for every source (file, bus,
 * command line).
 */
#ifndef SVCD_MODEL_NAME_H
#define SVCD_MODEL_NAME_H

#include <stdbool.h>

/**
 * name_check_service() - [A-Za-z0-9_.@:+-], 1 to LIMIT_NAME_BYTES bytes, not beginning with "." or
 * "-"
 * @ret_problem: on failure one sentence, a new string; may be NULL
 */
bool name_check_service(const char *name, char **ret_problem);

/* "$" and the name of a service. */
bool name_check_facility(const char *name, char **ret_problem);

/**
 * name_check_flag() - check the name of a flag
 *
 * Valid names are those of services, and BUS-NAME/FLAG for the owner of that name on the system
 * bus.
 */
bool name_check_flag(const char *name, char **ret_problem);
/*
 * "org.example.Weather" of "org.example.Weather/rain", a new string. NULL for a flag of the admin.
 */
char *name_flag_owner(const char *name);

/* A well-known name ("Message Protocol Names" in the D-Bus Specification), not ":1.42". */
bool name_check_bus(const char *name, char **ret_problem);
/* For StartLock=: like a service's name. */
bool name_check_lock(const char *name, char **ret_problem);
bool name_check_runlevel(const char *name, char **ret_problem);

/*
 * A group of group(5), by name: letters, digits and _.-, up to 32 bytes as in useradd(8); or its
 * number.
 */
bool name_check_group(const char *name, char **ret_problem);

/**
 * name_split_instance() - "getty@tty1" -> "getty@", "tty1"
 * Returns: false if there is no "@". An empty instance ("getty@") means the template itself.
 */
bool name_split_instance(const char *name, char **ret_template, char **ret_instance);

#endif
