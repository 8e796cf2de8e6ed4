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
 * The last value of a name wins. @assignment is borrowed. Returns: 0, EINVAL if it is no
 * assignment, or ENOMEM.
 */
int environment_set(struct Environment *environment, const char *assignment);
/* Makes the assignment itself. */
int environment_set_pair(struct Environment *environment, const char *name, const char *value);
const char *environment_get(const struct Environment *environment, const char *name);

/**
 * environment_read_file() - add the assignments of a file
 *
 * Lines of NAME=value; "#" or ";" begins a comment line; quotes and backslashes as in a shell, but
 * no other syntax of a shell (no variables, no commands); a leading "export" is ignored. Other
 * lines are ignored.
 * Returns: 0 or an errno; EINVAL for a NUL byte, EFBIG for a file over ENVIRONMENT_FILE_BYTES.
 */
int environment_read_file(struct Environment *environment, const char *path, bool optional);

/*
 * The same number as LIMIT_ENVIRONMENT_FILE_BYTES in base/limits.h, which this program does not
 * include.
 */
#define ENVIRONMENT_FILE_BYTES (64 * 1024)

#endif
