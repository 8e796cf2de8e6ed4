/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Configuration: all files of a machine, read and checked.
 */
#ifndef SVCD_CONFIG_CONFIGURATION_H
#define SVCD_CONFIG_CONFIGURATION_H

#include <glib.h>

#include "base/diag.h"
#include "model/held-programs.h"
#include "model/policy.h"
#include "model/service-set.h"

typedef struct Configuration {
	ServiceSet *set;
	Policy *policy;
	DiagList *diags;
	HeldPrograms *held; /* NULL: none */
	GHashTable *secrets; /* paths of private files that were read, and of their directories */
} Configuration;

#endif
