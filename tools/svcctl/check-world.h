/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check world: parts of service files that do not fit this machine: missing paths, programs and
 * users, and misplaced files.
 */
#ifndef SVCD_SVCCTL_CHECK_WORLD_H
#define SVCD_SVCCTL_CHECK_WORLD_H

#include "svcctl/svcctl.h"

/**
 * check_world_of() - add warnings about @def
 * @is_named: the user named its file. Otherwise only the admin's files are checked, because
 * packages ship services for programs that may not be installed.
 */
void check_world_of(const Context *context, const ServiceDef *def, bool is_named, DiagList *diags);

/* Policy files in services.d and service files in policy.d, which are not read there. */
void check_world_misplaced(const Context *context, DiagList *diags);

#endif
