/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check, inside: what check.c and check-cycles.c share.
 */
#ifndef SVCD_MODEL_CHECK_PRIVATE_H
#define SVCD_MODEL_CHECK_PRIVATE_H

#include "base/diag.h"
#include "model/service-set.h"

/* An error in the definition's own files; it is out from now on. */
void check_fail(ServiceDef *def, DiagList *diags, Origin origin, const char *text);

/* Cycles of hard edges fail their members; soft edges that close one are taken out of the definitions. */
void check_cycles(ServiceSet *set, DiagList *diags);

#endif
