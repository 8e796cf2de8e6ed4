/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identity: who the service runs as. Names are looked up here, after the spawn, because NSS may ask a service.
 *
 * What cannot be resolved is an error. There is no way from a name that is not understood to running as root.
 */
#ifndef SVCD_EXEC_IDENTITY_H
#define SVCD_EXEC_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "exec/environment.h"
#include "exec/spec.h"

struct Identity {
	bool has_user;
	bool has_group;
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* all supplementary ones */
	size_t n_groups;
	bool has_groups;
	char *name; /* NULL for a number that has no entry */
	char *home;
	char *shell;
};

/* Returns: 0 or an errno; ESRCH when there is no such user or group. */
int identity_resolve(const struct Spec *spec, struct Identity *ret);

/* HOME, USER, LOGNAME, SHELL. */
int identity_environment(const struct Identity *identity, struct Environment *environment);

/* Groups, gid, uid, in this order, and a look whether it is so now. */
int identity_assume(const struct Identity *identity);

#endif
