/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox keys: the readers of their values, for the rows in service-keys.c.
 *
 * Each writes @field and returns NULL, or returns one sentence that says what to write, a new string.
 */
#ifndef SVCD_MODEL_SANDBOX_READ_H
#define SVCD_MODEL_SANDBOX_READ_H

#include "model/service-def.h"

typedef char *SandboxReader(ServiceDef *def, void *field, const char *value, Origin origin);

SandboxReader sandbox_read_protect_system;
SandboxReader sandbox_read_protect_home;
SandboxReader sandbox_read_protect_proc;
SandboxReader sandbox_read_proc_subset;
SandboxReader sandbox_read_keyring_mode;
/* One for each list of paths; @field is not looked at. */
SandboxReader sandbox_read_read_only_paths;
SandboxReader sandbox_read_read_write_paths;
SandboxReader sandbox_read_inaccessible_paths;
SandboxReader sandbox_read_bind_paths;
SandboxReader sandbox_read_bind_read_only_paths;
SandboxReader sandbox_read_temporary_file_system;
SandboxReader sandbox_read_bounding_set;
SandboxReader sandbox_read_ambient_set;
SandboxReader sandbox_read_system_calls;
SandboxReader sandbox_read_system_call_error;
SandboxReader sandbox_read_architectures;
SandboxReader sandbox_read_families;
SandboxReader sandbox_read_namespaces;

#endif
