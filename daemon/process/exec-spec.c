/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: records are appended to a buffer, and the buffer is written to a memfd.
 */
#include "config.h"

#include "process/exec-spec.h"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "base/errors.h"
#include "base/fd.h"
#include "protocol/exec-protocol.h"

static void append(GByteArray *bytes, enum ExecSpecType type, const void *value, size_t size)
{
	struct ExecSpecRecord record = { .type = type, .size = (uint32_t)size };

	g_byte_array_append(bytes, (const guint8 *)&record, sizeof record);
	g_byte_array_append(bytes, value, (guint)size);
}

static void append_string(GByteArray *bytes, enum ExecSpecType type, const char *value)
{
	if (value)
		append(bytes, type, value, strlen(value) + 1);
}

static void append_number(GByteArray *bytes, enum ExecSpecType type, uint32_t value)
{
	append(bytes, type, &value, sizeof value);
}

static void append_strv(GByteArray *bytes, enum ExecSpecType type, const char *const *values)
{
	for (; values && *values; values++)
		append_string(bytes, type, *values);
}

static void append_list(GByteArray *bytes, enum ExecSpecType type, const GPtrArray *values)
{
	for (guint i = 0; i < values->len; i++)
		append_string(bytes, type, g_ptr_array_index(values, i));
}

static void append_scheduling(GByteArray *bytes, const SchedulingDef *scheduling)
{
	static const int policies[CPU_POLICY_COUNT] = {
		[CPU_POLICY_OTHER] = SCHED_OTHER, [CPU_POLICY_BATCH] = SCHED_BATCH,
		[CPU_POLICY_IDLE] = SCHED_IDLE,   [CPU_POLICY_FIFO] = SCHED_FIFO,
		[CPU_POLICY_RR] = SCHED_RR,
	};
	const bool is_realtime = scheduling->cpu_policy == CPU_POLICY_FIFO ||
				 scheduling->cpu_policy == CPU_POLICY_RR;

	if (scheduling->cpu_policy != CPU_POLICY_UNSET) {
		append_number(bytes, EXEC_SPEC_CPU_POLICY,
			      (uint32_t)policies[scheduling->cpu_policy]);
		append_number(bytes, EXEC_SPEC_CPU_PRIORITY,
			      is_realtime ? (uint32_t)MAX(scheduling->cpu_priority, 1) : 0);
	}
	if (scheduling->has_io)
		append_number(bytes, EXEC_SPEC_IO_PRIORITY,
			      IOPRIO_PRIO_VALUE((uint32_t)scheduling->io_class,
						(uint32_t)scheduling->io_priority));
	for (guint i = 0; i < scheduling->cpus->len; i++)
		append_number(bytes, EXEC_SPEC_CPU, g_array_index(scheduling->cpus, unsigned, i));
}

static void append_execution(GByteArray *bytes, const ExecDef *execution)
{
	append_list(bytes, EXEC_SPEC_SETTING, execution->environment);
	for (guint i = 0; i < execution->environment_files->len; i++) {
		const EnvironmentFile *file = g_ptr_array_index(execution->environment_files, i);

		append_string(bytes, file->optional ? EXEC_SPEC_OPTIONAL_FILE : EXEC_SPEC_FILE,
			      file->path);
	}
	append_string(bytes, EXEC_SPEC_USER, execution->user);
	append_string(bytes, EXEC_SPEC_GROUP, execution->group);
	append_list(bytes, EXEC_SPEC_SUPPLEMENTARY, execution->groups);
	append_string(bytes, EXEC_SPEC_INPUT, execution->input);
	append_scheduling(bytes, &execution->scheduling);
	append_string(bytes, EXEC_SPEC_DIRECTORY, execution->directory);
}

/* The lines are copied verbatim, because svc-exec parses them. */
static void append_sandbox(GByteArray *bytes, const ExecSpecInput *input)
{
	const ExecDef *execution = input->execution;

	append_list(bytes, EXEC_SPEC_SANDBOX, execution->sandbox_lines);
	if (sandbox_requests(execution->sandbox, SANDBOX_PRIVATE_NETWORK) && input->main_pid > 0)
		append_number(bytes, EXEC_SPEC_MAIN_PID, (uint32_t)input->main_pid);
	if (sandbox_requests(execution->sandbox, SANDBOX_PRIVATE_TMP))
		append_string(bytes, EXEC_SPEC_PRIVATE_TMP, input->private_tmp);
}

static int to_memfd(const GByteArray *bytes, GError **error)
{
	auto_fd int fd = memfd_create("svc-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/*
	 * The write is complete or fails (ENOSPC, ENOMEM). The memfd is sealed, so svc-exec reads
	 * exactly these bytes.
	 */
	if (fd < 0 || write(fd, bytes->data, bytes->len) != (ssize_t)bytes->len ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
		fail_errno(error, errno, "cannot write the specification for svc-exec");
		return -1;
	}
	return fd_steal(&fd);
}

static int finish(GByteArray *bytes, GError **error)
{
	if (bytes->len > EXEC_SPEC_BYTES) {
		fail(error, SVCD_ERROR_LIMIT_REACHED,
		     "its command line and environment exceed %d bytes", EXEC_SPEC_BYTES);
		return -1;
	}
	return to_memfd(bytes, error);
}

int exec_spec_new_removal(const ExecDef *execution, bool with_runtime, const char *private_tmp,
			  GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	for (size_t i = 0; with_runtime && execution->sandbox && i < execution->sandbox->n_paths;
	     i++) {
		const struct SandboxPath *path = &execution->sandbox->paths[i];

		if (path->key == SANDBOX_RUNTIME_DIRECTORY)
			append_string(bytes, EXEC_SPEC_REMOVE, path->path);
	}
	if (sandbox_requests(execution->sandbox, SANDBOX_PRIVATE_TMP))
		append_string(bytes, EXEC_SPEC_PRIVATE_TMP, private_tmp);
	return finish(bytes, error);
}

int exec_spec_new(const ExecSpecInput *input, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	append_strv(bytes, EXEC_SPEC_ARGUMENT, input->argv);
	append_strv(bytes, EXEC_SPEC_ENVIRONMENT, input->environment);
	append_execution(bytes, input->execution);
	append_sandbox(bytes, input);
	append_strv(bytes, EXEC_SPEC_FIXED, input->fixed);
	if (input->with_tty && input->execution->tty) {
		g_autofree char *tty = g_strconcat(input->execution->is_tty_optional ? "-" : "",
						   input->execution->tty, NULL);

		append_string(bytes, EXEC_SPEC_TTY, tty);
	}
	if (input->ready_number >= 0)
		append_number(bytes, EXEC_SPEC_READY, (uint32_t)input->ready_number);
	if (input->n_sockets > 0) {
		append_number(bytes, EXEC_SPEC_SOCKETS, input->n_sockets);
		append_string(bytes, EXEC_SPEC_SOCKET_NAMES, input->socket_names);
	}
	return finish(bytes, error);
}
