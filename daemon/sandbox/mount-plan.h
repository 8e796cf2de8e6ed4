/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount plan: the mounts that the keys of a service require.
 */
#ifndef SVCD_SANDBOX_MOUNT_PLAN_H
#define SVCD_SANDBOX_MOUNT_PLAN_H

#include "sandbox/failure.h"
#include "sandbox/mounts.h"
#include "sandbox/sandbox.h"

/**
 * mount_plan_make() - add the required mounts to @ret
 * @private_tmp: the link that contains the names of the PrivateTmp= directories, which are made;
 * NULL: not requested
 * Returns: 0 or an errno.
 */
int mount_plan_make(const struct Sandbox *sandbox, const char *private_tmp, struct MountList *ret,
		    struct Failure *failure);

#endif
