/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Order: who starts and who stops before whom, by headers, facilities and rc links.
 */
#ifndef SVCD_LSB_COMPAT_ORDER_H
#define SVCD_LSB_COMPAT_ORDER_H

#include <glib.h>

#include "base/diag.h"
#include "lsb-compat/nodes.h"

/* What the service file of one script says of its order: names of services and facilities, sorted, facilities first. */
typedef struct LsbPlan {
	GPtrArray *after;
	GPtrArray *before;
	GPtrArray *stop_before;
	GPtrArray *stop_after;
} LsbPlan;

/**
 * lsb_order() - a plan for each node
 *
 * Loops are broken and told. Through scripts that are not run order leads on: what comes before them comes before what
 * comes after them.
 * Returns: a new array of LsbPlan *, by node; of nodes that are no scripts they are empty.
 */
GPtrArray *lsb_order(LsbNodes *nodes, DiagList *diags);

#endif
