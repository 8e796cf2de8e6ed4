/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spec: a loop over records, and a table of their destinations.
 */
#include "config.h"

#include "exec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool string_list_add(struct StringList *list, const char *item)
{
	/* The array grows in powers of two. The last element is the NULL. */
	if (list->n == 0 || ((list->n + 1) & list->n) == 0) {
		const char **items = reallocarray(list->items, (list->n + 1) * 2, sizeof(*items));

		if (!items)
			return false;
		list->items = items;
	}
	list->items[list->n++] = item;
	list->items[list->n] = NULL;
	return true;
}

static int add_file(struct Spec *spec, const char *path, bool optional)
{
	struct EnvironmentFileSpec *files =
		reallocarray(spec->files, spec->n_files + 1, sizeof(*files));

	if (!files)
		return ENOMEM;
	files[spec->n_files] = (struct EnvironmentFileSpec){ .path = path, .optional = optional };
	spec->files = files;
	spec->n_files++;
	return 0;
}

/* The type of a record, and its field in the Spec. */
enum RecordKind {
	RECORD_UNKNOWN,
	RECORD_LIST,
	RECORD_STRING,
	RECORD_NUMBER,
	RECORD_FILE,
	RECORD_CPU,
	RECORD_SANDBOX
};

static const struct {
	enum RecordKind kind;
	size_t offset;
} records[EXEC_SPEC_TYPES] = {
	[EXEC_SPEC_ARGUMENT] = { RECORD_LIST, offsetof(struct Spec, argv) },
	[EXEC_SPEC_ENVIRONMENT] = { RECORD_LIST, offsetof(struct Spec, environment) },
	[EXEC_SPEC_SETTING] = { RECORD_LIST, offsetof(struct Spec, settings) },
	[EXEC_SPEC_FIXED] = { RECORD_LIST, offsetof(struct Spec, fixed) },
	[EXEC_SPEC_FILE] = { RECORD_FILE, 0 },
	[EXEC_SPEC_OPTIONAL_FILE] = { RECORD_FILE, 0 },
	[EXEC_SPEC_USER] = { RECORD_STRING, offsetof(struct Spec, user) },
	[EXEC_SPEC_GROUP] = { RECORD_STRING, offsetof(struct Spec, group) },
	[EXEC_SPEC_SUPPLEMENTARY] = { RECORD_LIST, offsetof(struct Spec, supplementary) },
	[EXEC_SPEC_TTY] = { RECORD_STRING, offsetof(struct Spec, tty) },
	[EXEC_SPEC_DIRECTORY] = { RECORD_STRING, offsetof(struct Spec, directory) },
	[EXEC_SPEC_SOCKETS] = { RECORD_NUMBER, offsetof(struct Spec, n_sockets) },
	[EXEC_SPEC_SOCKET_NAMES] = { RECORD_STRING, offsetof(struct Spec, socket_names) },
	[EXEC_SPEC_READY] = { RECORD_NUMBER, offsetof(struct Spec, ready_number) },
	[EXEC_SPEC_INPUT] = { RECORD_STRING, offsetof(struct Spec, input) },
	[EXEC_SPEC_CPU_POLICY] = { RECORD_NUMBER, offsetof(struct Spec, cpu_policy) },
	[EXEC_SPEC_CPU_PRIORITY] = { RECORD_NUMBER, offsetof(struct Spec, cpu_priority) },
	[EXEC_SPEC_IO_PRIORITY] = { RECORD_NUMBER, offsetof(struct Spec, io_priority) },
	[EXEC_SPEC_CPU] = { RECORD_CPU, 0 },
	[EXEC_SPEC_SANDBOX] = { RECORD_SANDBOX, 0 },
	[EXEC_SPEC_MAIN_PID] = { RECORD_NUMBER, offsetof(struct Spec, main_pid) },
	[EXEC_SPEC_PRIVATE_TMP] = { RECORD_STRING, offsetof(struct Spec, private_tmp) },
	[EXEC_SPEC_REMOVE] = { RECORD_LIST, offsetof(struct Spec, removals) },
};

static bool is_string(const char *value, size_t size)
{
	return size > 0 && strnlen(value, size) == size - 1;
}

static bool has_right_size(enum RecordKind kind, const struct ExecSpecRecord *record,
			   const char *value)
{
	switch (kind) {
	case RECORD_UNKNOWN:
		return false;
	case RECORD_NUMBER:
	case RECORD_CPU:
		return record->size == sizeof(uint32_t);
	case RECORD_LIST:
	case RECORD_STRING:
	case RECORD_FILE:
	case RECORD_SANDBOX:
		return is_string(value, record->size);
	}
	return false;
}

static int add_cpu(struct Spec *spec, const char *value)
{
	uint32_t cpu;

	memcpy(&cpu, value, sizeof(cpu));
	if (cpu >= CPU_SETSIZE)
		return EINVAL;
	CPU_SET(cpu, &spec->cpus);
	return 0;
}

/* "KEY=VALUE". The manager has checked it, so no error text is needed. */
static int read_sandbox(struct Sandbox *sandbox, const char *line)
{
	const char *equals = strchr(line, '=');
	char *name = equals ? strndup(line, (size_t)(equals - line)) : NULL;
	struct Problem problem;
	enum SandboxKey key;
	int error = EINVAL;

	if (name && sandbox_key_find(name, &key))
		error = sandbox_read(sandbox, key, equals + 1, &problem);
	free(name);
	return error;
}

static int take_record(struct Spec *spec, const struct ExecSpecRecord *record, const char *value)
{
	enum RecordKind kind = record->type < EXEC_SPEC_TYPES ? records[record->type].kind :
								RECORD_UNKNOWN;
	void *field = kind == RECORD_UNKNOWN ? NULL : (char *)spec + records[record->type].offset;

	if (!has_right_size(kind, record, value))
		return EINVAL;
	spec->given |= UINT64_C(1) << record->type;
	switch (kind) {
	case RECORD_UNKNOWN:
		return EINVAL;
	case RECORD_LIST:
		return string_list_add(field, value) ? 0 : ENOMEM;
	case RECORD_STRING:
		memcpy(field, &value, sizeof(value));
		return 0;
	case RECORD_NUMBER:
		memcpy(field, value, record->size);
		return 0;
	case RECORD_FILE:
		return add_file(spec, value, record->type == EXEC_SPEC_OPTIONAL_FILE);
	case RECORD_CPU:
		return add_cpu(spec, value);
	case RECORD_SANDBOX:
		return read_sandbox(&spec->sandbox, value);
	}
	return EINVAL;
}

static int read_all(int fd, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, bytes + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO;
		done += (size_t)n;
	}
	return 0;
}

static int load(int fd, char **ret_bytes, size_t *ret_size)
{
	struct stat st;
	char *bytes;
	int error;

	if (fstat(fd, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > EXEC_SPEC_BYTES)
		return EINVAL;
	bytes = calloc(1, (size_t)st.st_size);
	if (!bytes)
		return ENOMEM;
	error = read_all(fd, bytes, (size_t)st.st_size);
	if (error) {
		free(bytes);
		return error;
	}
	*ret_bytes = bytes;
	*ret_size = (size_t)st.st_size;
	return 0;
}

bool spec_is_removal(const struct Spec *spec)
{
	return spec->argv.n == 0 && (spec->removals.n > 0 || spec->private_tmp);
}

int spec_read(int fd, struct Spec *ret)
{
	struct ExecSpecRecord record;
	size_t size = 0;
	size_t at = 0;
	int error;

	memset(ret, 0, sizeof(*ret));
	sandbox_init(&ret->sandbox);
	error = load(fd, &ret->bytes, &size);
	while (!error && at < size) {
		if (size - at < sizeof(record))
			return EINVAL;
		memcpy(&record, ret->bytes + at, sizeof(record));
		at += sizeof(record);
		if (record.size > size - at)
			return EINVAL;
		error = take_record(ret, &record, ret->bytes + at);
		at += record.size;
	}
	if (!error && !spec_is_removal(ret) && (ret->argv.n == 0 || ret->argv.items[0][0] != '/'))
		return EINVAL;
	return error;
}
