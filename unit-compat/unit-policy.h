/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit policy: the links TARGET.wants/UNIT and masks as policy.
 */
#ifndef SVCD_UNIT_COMPAT_UNIT_POLICY_H
#define SVCD_UNIT_COMPAT_UNIT_POLICY_H

#include "unit-compat/units.h"

/* Texts of policy files; NULL: there is nothing to write. */
typedef struct UnitPolicy {
	char *linked; /* services with a link or a mask; takes precedence over rc links */
	char *idle; /* units that no link starts at boot; rc links take precedence */
	/*
	 * Units without [Install], which NewServices=boot must not start. In force without
	 * RcLinks=.
	 */
	char *static_units;
} UnitPolicy;

void unit_policy_make(const Units *units, UnitPolicy *ret);
void unit_policy_clear(UnitPolicy *policy);

/* A link to a unit, in a target that no runlevel starts or with a kind that svcd does not read. */
typedef void (*UnitLinkFunc)(void *data, const UnitLink *link, const char *problem);
void unit_policy_each_idle_link(const Units *units, UnitLinkFunc func, void *data);

#endif
