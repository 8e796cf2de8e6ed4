/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, internal: shared by check.c, check-conflicts.c and check-cycles.c.
 */
#ifndef SVCD_MODEL_CHECK_PRIVATE_H
#define SVCD_MODEL_CHECK_PRIVATE_H

#include "base/diag.h"
#include "model/policy.h"
#include "model/service-set.h"

/* Reports an error in the files of the definition, which is excluded from now on. */
void check_fail(ServiceDef *def, DiagList *diags, Origin origin, const char *text);

/*
 * Reports pairs of conflicting services that one runlevel wants. The cost is proportional to the
 * Conflicts= entries.
 */
void check_conflicts(const ServiceSet *set, const Policy *policy, DiagList *diags);

/* Members of a hard cycle fail. Soft edges that close a cycle are removed from the definitions. */
void check_cycles(ServiceSet *set, DiagList *diags);

#endif
