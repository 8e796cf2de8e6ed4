/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Environment: an ordered set of NAME=value, and files that extend it.
 */
#ifndef SVCD_EXEC_ENVIRONMENT_H
#define SVCD_EXEC_ENVIRONMENT_H

#include <stdbool.h>

#include "exec/spec.h"

struct Environment {
	struct StringList list;
};

/*
 * Replaces an earlier value of the same name. @assignment is borrowed. Returns: 0, EINVAL if it is
 * not an assignment, or ENOMEM.
 */
int environment_set(struct Environment *environment, const char *assignment);
/* Like environment_set(), from a name and a value. */
int environment_set_pair(struct Environment *environment, const char *name, const char *value);
const char *environment_get(const struct Environment *environment, const char *name);

/**
 * environment_read_file() - add the assignments of a file
 *
 * The file has lines of NAME=value, and comment lines that begin with "#" or ";". Quotes and
 * backslashes work as in a shell, but nothing else does (no variables, no commands). A leading
 * "export" is skipped. Other lines are ignored.
 * Returns: 0 or an errno; EINVAL for a NUL byte, EFBIG for a file over ENVIRONMENT_FILE_BYTES.
 */
int environment_read_file(struct Environment *environment, const char *path, bool optional);

/*
 * The same number as LIMIT_ENVIRONMENT_FILE_BYTES in base/limits.h, which this program does not
 * include.
 */
#define ENVIRONMENT_FILE_BYTES (64 * 1024)

#endif
