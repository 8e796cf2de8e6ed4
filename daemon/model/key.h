/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys: the names of conditions, "prefix:argument", and the grammar of each prefix.
 *
 * One table says which prefixes there are, what their argument must look like, and who provides the level.
 */
#ifndef SVCD_MODEL_KEY_H
#define SVCD_MODEL_KEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/enum-names.h"

#define KEY_PREFIXES(X, P)                                                                         \
	X(P, PATH, "path")         /* path:/x path:exec:/x path:dir:/x path:nonempty:/x */             \
	X(P, SERVICE, "service")   /* ready; a task: has succeeded */                                  \
	X(P, SETTLED, "settled")   /* not about to change by itself; also settled:$facility */         \
	X(P, ACTIVE, "active")     /* has processes */                                                 \
	X(P, FACILITY, "facility") /* facility:$network: every wanted provider is ready */             \
	X(P, KERNEL, "kernel")     /* kernel:word kernel:key=value on the command line */              \
	X(P, VIRTUAL, "virtual")   /* virtual:container virtual:vm */                                  \
	X(P, FLAG, "flag")         /* set by svcctl flag set */                                        \
	X(P, MOUNTED, "mounted")   /* mounted:/usr is a mount point */
ENUM_WITH_NAMES(KeyPrefix, KEY, key_prefix, KEY_PREFIXES)

#define LEVELS(X, P) X(P, FALSE, "false") X(P, TRUE, "true") X(P, UNKNOWN, "unknown")
ENUM_WITH_NAMES(Level, LEVEL, level, LEVELS)

/**
 * key_parse() - check a condition's name
 * @text:          for example "path:exec:/usr/sbin/sshd"
 * @ret_prefix:    which provider
 * @ret_canonical: interned text, equal pointers for equal conditions (paths without "//" and final "/")
 * @ret_problem:   on failure one sentence with a suggestion, a new string
 */
bool key_parse(const char *text, KeyPrefix *ret_prefix, const char **ret_canonical, char **ret_problem);

/* The part after "prefix:"; points into @canonical. */
const char *key_argument(const char *canonical);

/* True for service:, settled:, active: and facility:, whose levels the engine itself knows. */
bool key_prefix_is_internal(KeyPrefix prefix);

#endif
