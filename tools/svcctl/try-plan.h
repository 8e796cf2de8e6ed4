/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Try plan: the units and init scripts that the other init starts at boot, and what becomes of them
 * under svcd.
 */
#ifndef SVCD_SVCCTL_TRY_PLAN_H
#define SVCD_SVCCTL_TRY_PLAN_H

#include "svcctl/svcctl.h"

/* Each enabled unit and rc link, as records with Name, Service, Runs and Why; sorted by name. */
GPtrArray *try_plan(Context *context);

/* Prints the plan as a table. */
bool try_plan_print(Context *context, const GPtrArray *plan, GError **error);

/* How many of them will not run. */
unsigned try_plan_count_left_out(const GPtrArray *plan);

#endif
