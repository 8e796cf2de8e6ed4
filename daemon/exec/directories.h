/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: makes the directories of RuntimeDirectory= and similar keys, which are below /run,
 * /var/lib ..., for the service's user.
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
 * Makes all directories, and sets RUNTIME_DIRECTORY and similar variables as in systemd.exec(5).
 * Returns: 0 or an errno.
 */
int directories_make(const struct Spec *spec, const struct Identity *identity,
		     struct Environment *environment, struct Failure *failure);

/*
 * Adds to @list those directories that its mounts would hide or make read-only, so that the service
 * can use them. Configuration directories are left out, because the service only reads them.
 * Returns: 0 or ENOMEM.
 */
int directories_keep(const struct Spec *spec, struct MountList *list);

#endif
