/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dependencies: a list of the dependencies of each service, from files and policy. Each entry is
 * one line, and names another service or a condition.
 */
#ifndef SVCD_SVCCTL_DEPENDENCIES_H
#define SVCD_SVCCTL_DEPENDENCIES_H

#include <glib.h>
#include <stdbool.h>

#include "config/loader.h"

typedef struct Dependency {
	/* the service that waits or wants; borrowed, like @on and @condition */
	const char *of;
	const char *on; /* the other service; NULL: a condition */
	const char *condition; /* canonical; NULL: a service */
	bool is_negated; /* of a condition: it must be false */
	/* "When", "While", "After", "Before", "Wants": the key of the line */
	const char *key;
	const char *text; /* the value of the line; borrowed */
	Origin origin;
} Dependency;

/**
 * dependencies_of() - list all dependencies in the order of services and lines
 * Returns: a new array of Dependency, which borrows from @configuration.
 */
GArray *dependencies_of(const Configuration *configuration);

/**
 * dependencies_by() - group them by service: a new table, name -> GPtrArray of Dependency *
 * @reverse: group by the other service, without conditions
 */
GHashTable *dependencies_by(const GArray *dependencies, bool reverse);

#endif
