/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check of a user's own service: keys that only root could carry out are refused where they stand, not at the start.
 */
#ifndef SVCD_MODEL_CHECK_USER_H
#define SVCD_MODEL_CHECK_USER_H

#include "base/diag.h"
#include "model/service-def.h"

/* Before the lines of @def are forgotten. */
void check_users_service(ServiceDef *def, DiagList *diags);

#endif
