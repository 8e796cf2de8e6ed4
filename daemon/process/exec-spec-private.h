/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification, inside: the records, and the part that the sandbox has. For exec-spec*.c only.
 */
#ifndef SVCD_PROCESS_EXEC_SPEC_PRIVATE_H
#define SVCD_PROCESS_EXEC_SPEC_PRIVATE_H

#include <stdint.h>

#include "process/exec-spec.h"
#include "protocol/exec-spec.h"

void exec_spec_append(GByteArray *bytes, enum ExecSpecType type, const void *value, size_t size);
/* Nothing for NULL. */
void exec_spec_append_string(GByteArray *bytes, enum ExecSpecType type, const char *value);
void exec_spec_append_number(GByteArray *bytes, enum ExecSpecType type, uint32_t value);

/* What SandboxDef says. */
void exec_spec_append_sandbox(GByteArray *bytes, const ExecSpecInput *input);

#endif
