/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount plan: which mounts follow from the keys of a service.
 */
#ifndef SVCD_SANDBOX_MOUNT_PLAN_H
#define SVCD_SANDBOX_MOUNT_PLAN_H

#include "sandbox/failure.h"
#include "sandbox/mounts.h"
#include "sandbox/sandbox.h"

/**
 * mount_plan_make() - add what the keys ask for to @ret
 * @private_tmp: the link that names the directories of PrivateTmp=, which are made; NULL: it is not asked for
 * Returns: 0 or an errno.
 */
int mount_plan_make(const struct Sandbox *sandbox, const char *private_tmp, struct MountList *ret, struct Failure *failure);

#endif
