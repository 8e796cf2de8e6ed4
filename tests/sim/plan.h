/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan: the service files and the policy of a random machine, as text.
 */
#ifndef SVCD_TESTS_SIM_PLAN_H
#define SVCD_TESTS_SIM_PLAN_H

#include <glib.h>
#include <stdbool.h>

#include "tests/sim/chance.h"

#define PLAN_MAX_SERVICES 24
#define PLAN_FLAGS 6

/*
 * The largest StopTimeout=. A service that became a group has no StopTimeout= in its file, and
 * stops its old processes within the default time.
 */
#define PLAN_LONGEST_STOP_US (10 * G_USEC_PER_SEC)

typedef struct Plan {
	unsigned n_services;
	char *files[PLAN_MAX_SERVICES]; /* NULL: no file, or removed */
	char *policy;
	bool has_locks; /* some services have a StartLock= */
	bool has_stop_after; /* some file has StopAfter= */
} Plan;

Plan *plan_new(Chance *chance);
void plan_free(Plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_free)

/* Files change, come and go; policy changes. */
void plan_alter(Plan *plan, Chance *chance);

/* "s03" */
const char *plan_service_name(unsigned index);
/* "flag:f2" */
const char *plan_flag_key(unsigned index);

#endif
