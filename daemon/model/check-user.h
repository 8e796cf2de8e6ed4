/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check of a user's own service: keys that only root can apply are refused when their line is read,
 * not when the service starts.
 */
#ifndef SVCD_MODEL_CHECK_USER_H
#define SVCD_MODEL_CHECK_USER_H

#include "base/diag.h"
#include "model/service-def.h"

/* Must be called before the lines of @def are freed. */
void check_users_service(ServiceDef *def, DiagList *diags);

#endif
