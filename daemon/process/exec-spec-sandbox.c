/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification, the sandbox: yes and no to flags, paths and system calls to records.
 */
#include "config.h"

#include "model/syscall-filter.h"
#include "process/exec-spec-private.h"

static void append_mask(GByteArray *bytes, enum ExecSpecType type, uint64_t mask)
{
	exec_spec_append(bytes, type, &mask, sizeof mask);
}

static uint32_t system_flags(const SandboxDef *sandbox)
{
	static const uint32_t system[PROTECT_SYSTEM_COUNT] = {
		[PROTECT_SYSTEM_YES] = EXEC_FLAG_PROTECT_SYSTEM,
		[PROTECT_SYSTEM_FULL] = EXEC_FLAG_PROTECT_SYSTEM | EXEC_FLAG_PROTECT_ETC,
		[PROTECT_SYSTEM_STRICT] = EXEC_FLAG_PROTECT_ALL,
	};
	static const uint32_t home[PROTECT_HOME_COUNT] = {
		[PROTECT_HOME_YES] = EXEC_FLAG_HOME_HIDDEN,
		[PROTECT_HOME_READ_ONLY] = EXEC_FLAG_HOME_READ_ONLY,
		[PROTECT_HOME_TMPFS] = EXEC_FLAG_HOME_TMPFS,
	};
	static const uint32_t proc[PROTECT_PROC_COUNT] = {
		[PROTECT_PROC_NOACCESS] = EXEC_FLAG_PROC_NOACCESS,
		[PROTECT_PROC_INVISIBLE] = EXEC_FLAG_PROC_INVISIBLE,
		[PROTECT_PROC_PTRACEABLE] = EXEC_FLAG_PROC_PTRACEABLE,
	};

	return system[sandbox->protect_system] | home[sandbox->protect_home] | proc[sandbox->protect_proc] |
	       (sandbox->proc_subset == PROC_SUBSET_PID ? EXEC_FLAG_PROC_PID_ONLY : 0);
}

static uint32_t all_flags(const SandboxDef *sandbox)
{
	const struct {
		bool is_set;
		uint32_t flag;
	} flags[] = {
		{ sandbox->private_devices, EXEC_FLAG_PRIVATE_DEVICES },
		{ sandbox->private_network, EXEC_FLAG_PRIVATE_NETWORK },
		{ sandbox->protect_kernel_tunables, EXEC_FLAG_KERNEL_TUNABLES },
		{ sandbox->protect_kernel_modules, EXEC_FLAG_KERNEL_MODULES },
		{ sandbox->protect_kernel_logs, EXEC_FLAG_KERNEL_LOGS },
		{ sandbox->protect_control_groups, EXEC_FLAG_CONTROL_GROUPS },
		{ sandbox->protect_clock, EXEC_FLAG_CLOCK },
		{ sandbox->protect_hostname, EXEC_FLAG_HOSTNAME },
		{ sandbox->no_new_privileges, EXEC_FLAG_NO_NEW_PRIVILEGES },
		{ sandbox->restrict_realtime, EXEC_FLAG_RESTRICT_REALTIME },
		{ sandbox->restrict_suid_sgid, EXEC_FLAG_RESTRICT_SUID_SGID },
		{ sandbox->lock_personality, EXEC_FLAG_LOCK_PERSONALITY },
		{ sandbox->memory_deny_write_execute, EXEC_FLAG_DENY_WRITE_EXECUTE },
		{ sandbox->system_calls->len > 0, EXEC_FLAG_HAS_CALLS },
		{ syscall_filter_is_allow_list(sandbox->system_calls), EXEC_FLAG_CALLS_ALLOWED },
	};
	uint32_t all = system_flags(sandbox);

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		all |= flags[i].is_set ? flags[i].flag : 0;
	return all;
}

static void append_paths(GByteArray *bytes, enum ExecSpecType type, const GPtrArray *paths)
{
	for (guint i = 0; i < paths->len; i++) {
		const SandboxPath *path = g_ptr_array_index(paths, i);
		const char *second = path->source ? path->source : path->options;
		g_autofree char *text = g_strconcat(path->is_optional ? "-" : "", path->path, second ? ":" : "",
						    second ? second : "", path->is_flat ? ":norbind" : "", NULL);

		exec_spec_append_string(bytes, type, text);
	}
}

static void append_all_paths(GByteArray *bytes, const SandboxDef *sandbox)
{
	static const enum ExecSpecType types[SANDBOX_PATH_KINDS] = {
		[SANDBOX_READ_ONLY] = EXEC_SPEC_READ_ONLY,
		[SANDBOX_READ_WRITE] = EXEC_SPEC_READ_WRITE,
		[SANDBOX_INACCESSIBLE] = EXEC_SPEC_INACCESSIBLE,
		[SANDBOX_BIND] = EXEC_SPEC_BIND,
		[SANDBOX_BIND_READ_ONLY] = EXEC_SPEC_BIND_READ_ONLY,
		[SANDBOX_TMPFS] = EXEC_SPEC_TMPFS,
	};

	for (int kind = 0; kind < SANDBOX_PATH_KINDS; kind++)
		append_paths(bytes, types[kind], sandbox->paths[kind]);
}

static void append_system_calls(GByteArray *bytes, const SandboxDef *sandbox)
{
	g_autoptr(GHashTable) calls = syscall_filter_resolve(sandbox->system_calls);
	GHashTableIter iter;
	gpointer name;
	gpointer error;

	g_hash_table_iter_init(&iter, calls);
	while (g_hash_table_iter_next(&iter, &name, &error)) {
		g_autofree char *text = GPOINTER_TO_INT(error) == 0 ?
						g_strdup(name) :
						g_strdup_printf("%s:%d", (const char *)name, GPOINTER_TO_INT(error));

		exec_spec_append_string(bytes, EXEC_SPEC_SYSTEM_CALL, text);
	}
	if (sandbox->system_call_error != SYSCALL_ERROR_KILL)
		exec_spec_append_number(bytes, EXEC_SPEC_SYSTEM_CALL_ERROR, (uint32_t)sandbox->system_call_error);
}

void exec_spec_append_sandbox(GByteArray *bytes, const ExecSpecInput *input)
{
	static const uint32_t keyrings[KEYRING_MODE_COUNT] = {
		[KEYRING_MODE_INHERIT] = EXEC_KEYRING_INHERIT,
		[KEYRING_MODE_PRIVATE] = EXEC_KEYRING_PRIVATE,
		[KEYRING_MODE_SHARED] = EXEC_KEYRING_SHARED,
	};
	const SandboxDef *sandbox = input->execution->sandbox;

	if (!sandbox_def_is_set(sandbox))
		return;
	exec_spec_append_number(bytes, EXEC_SPEC_FLAGS, all_flags(sandbox));
	exec_spec_append_number(bytes, EXEC_SPEC_KEYRING, keyrings[sandbox->keyring_mode]);
	if (sandbox->private_network && input->main_pid > 0)
		exec_spec_append_number(bytes, EXEC_SPEC_MAIN_PID, (uint32_t)input->main_pid);
	if (sandbox->private_tmp)
		exec_spec_append_string(bytes, EXEC_SPEC_PRIVATE_TMP, input->private_tmp);
	if (sandbox->bounds_capabilities)
		append_mask(bytes, EXEC_SPEC_BOUNDING_SET, sandbox->bounding_set);
	if (sandbox->has_ambient)
		append_mask(bytes, EXEC_SPEC_AMBIENT_SET, sandbox->ambient_set);
	append_all_paths(bytes, sandbox);
	if (sandbox->system_calls->len > 0)
		append_system_calls(bytes, sandbox);
	for (guint i = 0; i < sandbox->architectures->len; i++)
		exec_spec_append_string(bytes, EXEC_SPEC_ARCHITECTURE, g_ptr_array_index(sandbox->architectures, i));
	if (sandbox->restricts_families)
		append_mask(bytes, EXEC_SPEC_FAMILIES, sandbox->families);
	if (sandbox->restricts_namespaces)
		append_mask(bytes, EXEC_SPEC_NAMESPACES, sandbox->namespaces);
}
