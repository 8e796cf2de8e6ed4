/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: RuntimeDirectory= and similar keys: directories below /run, /var/lib ... that the
 * service's user owns.
 */
#ifndef SVCD_EXEC_DIRECTORIES_H
#define SVCD_EXEC_DIRECTORIES_H

#include <sys/types.h>

#include "exec/environment.h"
#include "exec/identity.h"
#include "exec/spec.h"
#include "sandbox/failure.h"
#include "sandbox/mounts.h"

#define RUNTIME_ROOT "/run"

/*
 * Makes all of them, and sets RUNTIME_DIRECTORY and similar variables as in systemd.exec(5).
 * Returns: 0 or an errno.
 */
int directories_make(const struct Spec *spec, const struct Identity *identity,
		     struct Environment *environment, struct Failure *failure);

/*
 * Adds the directories that the mounts in @list would hide or make read-only, so that they stay as
 * they are. Configuration directories are left out, because the service only reads them. Returns: 0
 * or ENOMEM.
 */
int directories_keep(const struct Spec *spec, struct MountList *list);

#endif
