/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spec: a loop over records, and a table that says where each goes.
 */
#include "config.h"

#include "exec/spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/exec-spec.h"

bool string_list_add(struct StringList *list, const char *item)
{
	/* Grows in powers of two; the last place is the NULL's. */
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
	struct EnvironmentFileSpec *files = reallocarray(spec->files, spec->n_files + 1, sizeof(*files));

	if (!files)
		return ENOMEM;
	files[spec->n_files] = (struct EnvironmentFileSpec){ .path = path, .optional = optional };
	spec->files = files;
	spec->n_files++;
	return 0;
}

/* What a record holds, and where in the Spec it goes. */
enum RecordKind { RECORD_UNKNOWN, RECORD_LIST, RECORD_STRING, RECORD_NUMBER, RECORD_FILE };

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
	[EXEC_SPEC_RUNTIME_DIRECTORY] = { RECORD_LIST, offsetof(struct Spec, runtime_directories) },
	[EXEC_SPEC_RUNTIME_MODE] = { RECORD_NUMBER, offsetof(struct Spec, runtime_mode) },
	[EXEC_SPEC_DIRECTORY] = { RECORD_STRING, offsetof(struct Spec, directory) },
	[EXEC_SPEC_READY] = { RECORD_NUMBER, offsetof(struct Spec, ready_number) },
};

static bool is_string(const char *value, size_t size)
{
	return size > 0 && strnlen(value, size) == size - 1;
}

static int take_record(struct Spec *spec, const struct ExecSpecRecord *record, const char *value)
{
	enum RecordKind kind = record->type < EXEC_SPEC_TYPES ? records[record->type].kind : RECORD_UNKNOWN;
	void *field = kind == RECORD_UNKNOWN ? NULL : (char *)spec + records[record->type].offset;

	if (kind == RECORD_NUMBER ? record->size != sizeof(uint32_t) : !is_string(value, record->size))
		return EINVAL;
	switch (kind) {
	case RECORD_UNKNOWN:
		return EINVAL;
	case RECORD_LIST:
		return string_list_add(field, value) ? 0 : ENOMEM;
	case RECORD_STRING:
		memcpy(field, &value, sizeof(value));
		return 0;
	case RECORD_NUMBER:
		memcpy(field, value, sizeof(uint32_t));
		spec->has_ready = spec->has_ready || record->type == EXEC_SPEC_READY;
		return 0;
	case RECORD_FILE:
		return add_file(spec, value, record->type == EXEC_SPEC_OPTIONAL_FILE);
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

int spec_read(int fd, struct Spec *ret)
{
	struct ExecSpecRecord record;
	size_t size = 0;
	size_t at = 0;
	int error;

	memset(ret, 0, sizeof(*ret));
	ret->runtime_mode = 0755;
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
	if (!error && (ret->argv.n == 0 || ret->argv.items[0][0] != '/'))
		return EINVAL;
	return error;
}
