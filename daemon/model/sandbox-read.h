/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox keys: the readers of their values, for the rows in service-keys.c.
 */
#ifndef SVCD_MODEL_SANDBOX_READ_H
#define SVCD_MODEL_SANDBOX_READ_H

#include "model/field-read.h"

KeyReader sandbox_read_protect_system;
KeyReader sandbox_read_protect_home;
KeyReader sandbox_read_protect_proc;
KeyReader sandbox_read_proc_subset;
KeyReader sandbox_read_keyring_mode;
/* One for each list of paths; @field is not looked at. */
KeyReader sandbox_read_read_only_paths;
KeyReader sandbox_read_read_write_paths;
KeyReader sandbox_read_inaccessible_paths;
KeyReader sandbox_read_bind_paths;
KeyReader sandbox_read_bind_read_only_paths;
KeyReader sandbox_read_temporary_file_system;
KeyReader sandbox_read_bounding_set;
KeyReader sandbox_read_ambient_set;
KeyReader sandbox_read_system_calls;
KeyReader sandbox_read_system_call_error;
KeyReader sandbox_read_architectures;
KeyReader sandbox_read_families;
KeyReader sandbox_read_namespaces;

#endif
