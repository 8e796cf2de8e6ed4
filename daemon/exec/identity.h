/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identity: user and groups of the service. Names are looked up here, after the spawn, because NSS
 * may need a service.
 *
 * A name that cannot be resolved is an error. So the service never runs as root instead.
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
	gid_t *groups; /* all supplementary groups */
	size_t n_groups;
	bool has_groups;
	char *name; /* NULL for a number without an entry */
	char *home;
	char *shell;
};

/* Returns: 0 or an errno; ESRCH if the user or group does not exist. */
int identity_resolve(const struct Spec *spec, struct Identity *ret);

/* Sets HOME, USER, LOGNAME and SHELL. */
int identity_environment(const struct Identity *identity, struct Environment *environment);

/* Sets groups, gid and uid in this order, and checks the result. */
int identity_assume(const struct Identity *identity);

#endif
