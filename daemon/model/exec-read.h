/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution keys: readers of what [Service] says about how its processes run, for the rows in
 * service-keys.c. What they may see and do is read by sandbox/sandbox.h.
 */
#ifndef SVCD_MODEL_EXEC_READ_H
#define SVCD_MODEL_EXEC_READ_H

#include "model/field-read.h"

KeyReader exec_read_accounts;
KeyReader exec_read_environment;
KeyReader exec_read_environment_file;
KeyReader exec_read_umask;
KeyReader exec_read_nice;
KeyReader exec_read_oom_score_adjust;
NumberedKeyReader exec_read_limit; /* which RLIMIT_ */
NumberedKeyReader exec_read_sandbox; /* which enum SandboxKey, of the ExecDef @field */

KeyReader exec_read_preserve;
KeyReader exec_read_tty;
KeyReader exec_read_standard_input;
KeyReader exec_read_cpu_policy;
KeyReader exec_read_cpu_priority;
KeyReader exec_read_io_class;
KeyReader exec_read_io_priority;
KeyReader exec_read_cpus;

/**
 * exec_check() - do the keys agree with each other?
 * @ret_key: the one to blame, static
 * Returns: NULL, or one sentence, a new string.
 */
char *exec_check(const ExecDef *def, const char **ret_key);

#endif
