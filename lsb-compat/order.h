/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Order: start and stop ordering from headers, facilities and rc links.
 */
#ifndef SVCD_LSB_COMPAT_ORDER_H
#define SVCD_LSB_COMPAT_ORDER_H

#include <glib.h>

#include "base/diag.h"
#include "lsb-compat/nodes.h"

/*
 * The ordering lines of one script's service file: names of services and facilities, sorted,
 * facilities first.
 */
typedef struct LsbPlan {
	GPtrArray *after;
	GPtrArray *before;
	GPtrArray *stop_before;
	GPtrArray *stop_after;
} LsbPlan;

/**
 * lsb_order() - a plan for each node
 *
 * Loops are broken and reported. Scripts that are not run pass order on: nodes before them come
 * before nodes behind them.
 * Returns: a new array of LsbPlan *, by node; plans of nodes that are not scripts are empty.
 */
GPtrArray *lsb_order(LsbNodes *nodes, DiagList *diags);

#endif
