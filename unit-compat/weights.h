/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Weights: what a service lacks if a line of its unit has no equivalent.
 */
#ifndef SVCD_UNIT_COMPAT_WEIGHTS_H
#define SVCD_UNIT_COMPAT_WEIGHTS_H

#include <stdbool.h>

/* In the order in which they are reported. */
typedef enum UnitWeight {
	UNIT_WEIGHT_RUN, /* it decides whether and how the service runs: the unit is refused */
	UNIT_WEIGHT_PROTECTION,
	UNIT_WEIGHT_ORDER,
	UNIT_WEIGHT_MINOR,
} UnitWeight;

/* @setting: "KEY=VALUE" or "KEY" */
UnitWeight unit_weight(const char *setting);

#endif
