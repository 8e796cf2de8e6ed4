/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox settings: life and death of the struct.
 */
#include "config.h"

#include "model/sandbox-def.h"

#include "base/list.h"
#include "model/capability.h"
#include "model/syscall-filter.h"

void sandbox_path_free(SandboxPath *path)
{
	g_free(path->path);
	g_free(path->source);
	g_free(path->options);
	g_free(path);
}

SandboxDef *sandbox_def_new(void)
{
	SandboxDef *def = g_new0(SandboxDef, 1);

	*def = (SandboxDef){
		.system_calls = list_new(),
		.architectures = list_new(),
		.bounding_set = CAPABILITIES_ALL,
		.system_call_error = SYSCALL_ERROR_KILL,
		.families = UINT64_MAX,
		.namespaces = UINT64_MAX,
	};
	for (int kind = 0; kind < SANDBOX_PATH_KINDS; kind++)
		def->paths[kind] = list_new();
	return def;
}

void sandbox_def_free(SandboxDef *def)
{
	if (!def)
		return;
	for (int kind = 0; kind < SANDBOX_PATH_KINDS; kind++)
		list_free(def->paths[kind]);
	list_free(def->system_calls);
	list_free(def->architectures);
	g_free(def);
}

static bool has_mounts(const SandboxDef *def)
{
	for (int kind = 0; kind < SANDBOX_PATH_KINDS; kind++) {
		if (def->paths[kind]->len > 0)
			return true;
	}
	return def->protect_system != PROTECT_SYSTEM_NO || def->protect_home != PROTECT_HOME_NO || def->private_tmp ||
	       def->private_devices || def->protect_kernel_tunables || def->protect_kernel_modules ||
	       def->protect_kernel_logs || def->protect_control_groups || def->protect_proc != PROTECT_PROC_DEFAULT ||
	       def->proc_subset != PROC_SUBSET_ALL;
}

static bool has_filter(const SandboxDef *def)
{
	return def->system_calls->len > 0 || def->architectures->len > 0 || def->restricts_families ||
	       def->restricts_namespaces || def->restrict_realtime || def->restrict_suid_sgid || def->lock_personality ||
	       def->memory_deny_write_execute;
}

bool sandbox_def_is_set(const SandboxDef *def)
{
	if (!def)
		return false;
	return has_mounts(def) || has_filter(def) || def->private_network || def->protect_clock || def->protect_hostname ||
	       def->no_new_privileges || def->bounds_capabilities || def->has_ambient ||
	       def->keyring_mode != KEYRING_MODE_INHERIT;
}
