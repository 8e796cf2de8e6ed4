/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: RuntimeDirectory= and its like, made below /run, /var/lib ... and given to the service's user.
 */
#ifndef SVCD_EXEC_DIRECTORIES_H
#define SVCD_EXEC_DIRECTORIES_H

#include <sys/types.h>

#include "exec/environment.h"
#include "exec/failure.h"
#include "exec/identity.h"
#include "exec/spec.h"

#define RUNTIME_ROOT "/run"

/* "/run", "/var/lib" ...; the key, "RuntimeDirectory" ... */
const char *directory_root(enum DirectoryKind kind);
const char *directory_key(enum DirectoryKind kind);

/* Makes all of them, and sets RUNTIME_DIRECTORY and its like as systemd.exec(5) has it. Returns: 0 or an errno. */
int directories_make(const struct Spec *spec, const struct Identity *identity, struct Environment *environment,
		     struct Failure *failure);

#endif
