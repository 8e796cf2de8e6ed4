/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies: the dependencies of each service, line by line, from files and policy: services and
 * conditions.
 */
#ifndef SVCD_SVCCTL_DEPENDENCIES_H
#define SVCD_SVCCTL_DEPENDENCIES_H

#include <glib.h>
#include <stdbool.h>

#include "config/loader.h"

typedef struct Dependency {
	const char *of;        /* the service that waits or wants; borrowed, as the next two */
	const char *on;        /* the other service; NULL: a condition */
	const char *condition; /* canonical; NULL: a service */
	bool is_negated;       /* of a condition: it must be false */
	const char *key;       /* "When", "While", "After", "Before", "Wants": the key of the line */
	const char *text;      /* the value of the line; borrowed */
	Origin origin;
} Dependency;

/**
 * dependencies_of() - all of them; in the order of services and lines
 * Returns: a new array of Dependency, which borrows from @configuration.
 */
GArray *dependencies_of(const Configuration *configuration);

/**
 * dependencies_by() - the same by service: a new table, name -> GPtrArray of Dependency *
 * @reverse: by the other service; conditions are then left out
 */
GHashTable *dependencies_by(const GArray *dependencies, bool reverse);

#endif
