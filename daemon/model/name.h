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
bool name_check_flag(const char *name, char **ret_problem);
bool name_check_runlevel(const char *name, char **ret_problem);

/**
 * name_split_instance() - "getty@tty1" -> "getty@", "tty1"
 * Returns: false when there is no "@". An empty instance ("getty@") is the template itself.
 */
bool name_split_instance(const char *name, char **ret_template, char **ret_instance);

#endif
