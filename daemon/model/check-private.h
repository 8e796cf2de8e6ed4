/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, inside: what check.c, check-conflicts.c and check-cycles.c share.
 */
#ifndef SVCD_MODEL_CHECK_PRIVATE_H
#define SVCD_MODEL_CHECK_PRIVATE_H

#include "base/diag.h"
#include "model/policy.h"
#include "model/service-set.h"

/* An error in the definition's own files; it is out from now on. */
void check_fail(ServiceDef *def, DiagList *diags, Origin origin, const char *text);

/* Errors about pairs of services that conflict and that one runlevel wants; costs in proportion to Conflicts=. */
void check_conflicts(const ServiceSet *set, const Policy *policy, DiagList *diags);

/* Cycles of hard edges fail their members; soft edges that close one are taken out of the definitions. */
void check_cycles(ServiceSet *set, DiagList *diags);

#endif
