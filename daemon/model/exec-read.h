/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution keys: readers of the keys in [Service] about the execution of processes, for the rows
 * in service-keys.c. Sandbox keys are read by sandbox/sandbox.h.
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
NumberedKeyReader exec_read_limit; /* @number: RLIMIT_* */
NumberedKeyReader exec_read_sandbox; /* @number: enum SandboxKey; @field: ExecDef */

KeyReader exec_read_preserve;
KeyReader exec_read_tty;
KeyReader exec_read_standard_input;
KeyReader exec_read_cpu_policy;
KeyReader exec_read_cpu_priority;
KeyReader exec_read_io_class;
KeyReader exec_read_io_priority;
KeyReader exec_read_cpus;

/**
 * exec_check() - are the keys consistent?
 * @ret_key: the key with the error, static
 * Returns: NULL, or the error as one sentence, a new string.
 */
char *exec_check(const ExecDef *def, const char **ret_key);

#endif
