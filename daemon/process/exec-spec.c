/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: records appended to a buffer, the buffer into a memfd.
 */
#include "config.h"

#include "process/exec-spec.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/errors.h"
#include "base/fd.h"
#include "protocol/exec-spec.h"

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

static void append_execution(GByteArray *bytes, const ExecDef *execution)
{
	append_list(bytes, EXEC_SPEC_SETTING, execution->environment);
	for (guint i = 0; i < execution->environment_files->len; i++) {
		const EnvironmentFile *file = g_ptr_array_index(execution->environment_files, i);

		append_string(bytes, file->optional ? EXEC_SPEC_OPTIONAL_FILE : EXEC_SPEC_FILE, file->path);
	}
	append_string(bytes, EXEC_SPEC_USER, execution->user);
	append_string(bytes, EXEC_SPEC_GROUP, execution->group);
	append_list(bytes, EXEC_SPEC_SUPPLEMENTARY, execution->groups);
	append_list(bytes, EXEC_SPEC_RUNTIME_DIRECTORY, execution->runtime_directories);
	append_number(bytes, EXEC_SPEC_RUNTIME_MODE, execution->runtime_directory_mode);
	append_string(bytes, EXEC_SPEC_DIRECTORY, execution->directory);
}

static int to_memfd(const GByteArray *bytes, GError **error)
{
	auto_fd int fd = memfd_create("svc-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/* A memfd takes all or fails (ENOSPC, ENOMEM). Sealed: svc-exec reads exactly what was written here. */
	if (fd < 0 || write(fd, bytes->data, bytes->len) != (ssize_t)bytes->len ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0) {
		fail_errno(error, errno, "cannot write the specification for svc-exec");
		return -1;
	}
	return fd_steal(&fd);
}

int exec_spec_new(const ExecSpecInput *input, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	append_strv(bytes, EXEC_SPEC_ARGUMENT, input->argv);
	append_strv(bytes, EXEC_SPEC_ENVIRONMENT, input->environment);
	append_execution(bytes, input->execution);
	append_strv(bytes, EXEC_SPEC_FIXED, input->fixed);
	if (input->with_tty)
		append_string(bytes, EXEC_SPEC_TTY, input->execution->tty);
	if (input->ready_number >= 0)
		append_number(bytes, EXEC_SPEC_READY, (uint32_t)input->ready_number);
	if (bytes->len > EXEC_SPEC_BYTES) {
		fail(error, SVCD_ERROR_LIMIT_REACHED, "its command line and environment exceed %d bytes", EXEC_SPEC_BYTES);
		return -1;
	}
	return to_memfd(bytes, error);
}
