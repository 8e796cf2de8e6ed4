/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of the whole set: names that do not exist, and cycles. Used at load and by "svcctl check",
 * with the same messages.
 */
#ifndef SVCD_MODEL_CHECK_H
#define SVCD_MODEL_CHECK_H

#include "base/diag.h"
#include "model/policy.h"
#include "model/service-set.h"

/* A text in the warning about a dropped order. Callers recognize the warning by this text. */
#define CHECK_CLOSES_A_CYCLE "closes a cycle"

/**
 * check_set() - check all services together
 *
 * A service that needs a missing service, or that is in a cycle of hard terms, gets @problem. A
 * soft edge (After=, Before=) that closes a cycle is removed from its definition, with a warning.
 *
 * Before= is converted to @after of the service that it names, and StopBefore= to @stop_after.
 * Wants= and Conflicts= of unknown names are dropped. Two conflicting services that policy wants in
 * one runlevel are reported as an error with both places, and are kept.
 */
void check_set(ServiceSet *set, const Policy *policy, DiagList *diags);

#endif
