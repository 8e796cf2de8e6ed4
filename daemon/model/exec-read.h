/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution keys: readers of values of directories, scheduling and standard input, for the rows in service-keys.c.
 *
 * Each writes @field and returns NULL, or returns one sentence that says what to write, a new string.
 */
#ifndef SVCD_MODEL_EXEC_READ_H
#define SVCD_MODEL_EXEC_READ_H

#include "model/service-def.h"

typedef char *ExecReader(ServiceDef *def, void *field, const char *value, Origin origin);

/* One for each kind of directory; @field is not looked at. */
ExecReader exec_read_runtime_directory;
ExecReader exec_read_state_directory;
ExecReader exec_read_cache_directory;
ExecReader exec_read_logs_directory;
ExecReader exec_read_configuration_directory;
ExecReader exec_read_preserve;
ExecReader exec_read_standard_input;
ExecReader exec_read_cpu_policy;
ExecReader exec_read_cpu_priority;
ExecReader exec_read_io_class;
ExecReader exec_read_io_priority;
ExecReader exec_read_cpus;

/**
 * exec_check() - do the keys agree with each other?
 * @ret_key: the one to blame, static
 * Returns: NULL, or one sentence, a new string.
 */
char *exec_check(const ExecDef *def, const char **ret_key);

#endif
