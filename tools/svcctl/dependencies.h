/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies: what each service waits for, line by line, as files and policy say: services and conditions of the world.
 */
#ifndef SVCD_SVCCTL_DEPENDENCIES_H
#define SVCD_SVCCTL_DEPENDENCIES_H

#include <glib.h>
#include <stdbool.h>

#include "config/loader.h"

typedef struct Dependency {
	const char *of;        /* the service that waits, or wants; borrowed, as the next two */
	const char *on;        /* the other service; NULL: a condition */
	const char *condition; /* canonical; NULL: a service */
	bool is_negated;       /* of a condition: it must not be */
	const char *key;       /* "When", "While", "After", "Before", "Wants": where it is written */
	const char *text;      /* what is written there; borrowed */
	Origin origin;
} Dependency;

/**
 * dependencies_of() - all of them; in the order of services and lines
 * Returns: a new array of Dependency, which borrows from @configuration.
 */
GArray *dependencies_of(const Configuration *configuration);

/**
 * dependencies_by() - the same by service: a new table, name -> GPtrArray of Dependency *
 * @reverse: by the other service; conditions are left out then
 */
GHashTable *dependencies_by(const GArray *dependencies, bool reverse);

#endif
