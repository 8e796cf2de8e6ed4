/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount plan: which mounts follow from the keys of a service.
 */
#ifndef SVCD_EXEC_MOUNT_PLAN_H
#define SVCD_EXEC_MOUNT_PLAN_H

#include "exec/failure.h"
#include "exec/mounts.h"
#include "exec/spec.h"

/* Makes the directories of PrivateTmp=, too. Returns: 0 or an errno. */
int mount_plan_make(const struct Spec *spec, struct MountList *ret, struct Failure *failure);

#endif
