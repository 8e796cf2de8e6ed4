/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scheduling: CPUSchedulingPolicy=, IOSchedulingClass=, CPUAffinity= and their priorities.
 */
#ifndef SVCD_EXEC_SCHEDULING_H
#define SVCD_EXEC_SCHEDULING_H

#include "exec/spec.h"
#include "sandbox/failure.h"

/* Returns: 0 or an errno. */
int scheduling_apply(const struct Spec *spec, struct Failure *failure);

#endif
