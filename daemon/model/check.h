/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole-set checks: names that do not exist, cycles. Used at load and by "svcctl check", in the same words.
 */
#ifndef SVCD_MODEL_CHECK_H
#define SVCD_MODEL_CHECK_H

#include "base/diag.h"
#include "model/policy.h"
#include "model/service-set.h"

/* Words of the warning about an order that was dropped, by which it is known. */
#define CHECK_CLOSES_A_CYCLE "closes a cycle"

/**
 * check_set() - look at everything together
 *
 * A service that needs what does not exist, or that is in a cycle of hard terms, gets @problem. A soft edge
 * (After=, Before=) that would close a cycle is taken out of its definition, with a warning. Before= is turned into
 * the other's @after, StopBefore= into the other's @stop_after; Wants= and Conflicts= of unknown names are dropped. Two that policy wants in one
 * runlevel though they conflict are an error that names both places; neither is left out.
 */
void check_set(ServiceSet *set, const Policy *policy, DiagList *diags);

#endif
