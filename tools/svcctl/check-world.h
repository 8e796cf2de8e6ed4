/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check world: what in service files does not fit to this machine: paths, programs and users that
 * do not exist, misplaced files.
 */
#ifndef SVCD_SVCCTL_CHECK_WORLD_H
#define SVCD_SVCCTL_CHECK_WORLD_H

#include "svcctl/svcctl.h"

/**
 * check_world_of() - add warnings about @def
 * @is_named: its file was named by the user. Of all files only the admin's have to fit: packages
 *            have services for programs that may not be installed
 */
void check_world_of(const Context *context, const ServiceDef *def, bool is_named, DiagList *diags);

/* Policy files in services.d and service files in policy.d: nothing reads them there. */
void check_world_misplaced(const Context *context, DiagList *diags);

#endif
