/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bundle: the format has one line for the bundle. Each entry has a line with lengths, then the path
 * and the contents:
 *
 * 	svcd-files 1 BEGAN_US N_ENTRIES
 * 	KIND SECRET PATH_BYTES CONTENT_BYTES
 *
 * KIND is one of the letters below. SECRET is 0 or 1. The path and the contents each end with a
 * line break.
 */
#include "config.h"

#include "config/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"

#define MAGIC "svcd-files 1"
#define READING "reading "
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* The longest line has four numbers of at most 20 digits. */
#define LINE_BYTES 128

static const char letters[BUNDLE_KIND_COUNT] = {
	[BUNDLE_LIST] = 'L', [BUNDLE_FILE] = 'F', [BUNDLE_NO_LIST] = 'l', [BUNDLE_NO_FILE] = 'f'
};

struct Bundle {
	GHashTable *entries; /* path -> BundleEntry, both owned */
	int64_t began_us;
	bool is_open;
	int progress_fd; /* borrowed; -1: none */
};

static void entry_free(gpointer data)
{
	BundleEntry *entry = data;

	g_bytes_unref(entry->bytes);
	g_free(entry);
}

Bundle *bundle_new(void)
{
	Bundle *bundle = g_new0(Bundle, 1);

	bundle->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
	bundle->began_us = g_get_monotonic_time();
	bundle->is_open = true;
	bundle->progress_fd = -1;
	return bundle;
}

void bundle_free(Bundle *bundle)
{
	if (!bundle)
		return;
	g_hash_table_unref(bundle->entries);
	g_free(bundle);
}

bool bundle_is_open(const Bundle *bundle)
{
	return bundle->is_open;
}

int64_t bundle_began_us(const Bundle *bundle)
{
	return bundle->began_us;
}

/* Takes @path and @bytes. */
static void insert(Bundle *bundle, BundleKind kind, bool is_secret, char *path, GBytes *bytes)
{
	BundleEntry *entry = g_new(BundleEntry, 1);

	*entry = (BundleEntry){ .kind = kind, .is_secret = is_secret, .bytes = bytes };
	g_hash_table_replace(bundle->entries, path, entry);
}

void bundle_add(Bundle *bundle, BundleKind kind, bool is_secret, const char *path, const void *data,
		gsize length)
{
	insert(bundle, kind, is_secret, g_strdup(path), g_bytes_new(data, length));
}

const BundleEntry *bundle_find(const Bundle *bundle, const char *path)
{
	return g_hash_table_lookup(bundle->entries, path);
}

void bundle_forget(Bundle *bundle, const char *directory)
{
	const size_t length = strlen(directory);
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, bundle->entries);
	while (g_hash_table_iter_next(&iter, &path, NULL)) {
		if (strncmp(path, directory, length) == 0 &&
		    strchr("/", ((const char *)path)[length]))
			g_hash_table_iter_remove(&iter);
	}
}

/* --- progress --- */

void bundle_set_progress(Bundle *bundle, int fd)
{
	bundle->progress_fd = fd;
}

void bundle_begin(const Bundle *bundle, const char *path)
{
	char line[sizeof READING + PATH_MAX];
	int length;

	if (bundle->progress_fd < 0)
		return;
	length = snprintf(line, sizeof line, READING "%s", path);
	/* a failure only spoils a message */
	(void)!pwrite(bundle->progress_fd, line, MIN((size_t)length + 1, sizeof line), 0);
}

char *bundle_being_read(int fd)
{
	char line[sizeof READING + PATH_MAX + 1];
	const ssize_t n = pread(fd, line, sizeof line - 1, 0);

	if (n < 0)
		return NULL;
	line[n] = '\0';
	return g_str_has_prefix(line, READING) ? text_escape_terminal(line + strlen(READING)) :
						 NULL;
}

/* --- writing --- */

static void append_entry(GString *out, const char *path, const BundleEntry *entry)
{
	gsize length;
	const char *data = g_bytes_get_data(entry->bytes, &length);

	g_string_append_printf(out, "%c %d %zu %zu\n%s\n", letters[entry->kind], entry->is_secret,
			       strlen(path), length, path);
	g_string_append_len(out, data, (gssize)length);
	g_string_append_c(out, '\n');
}

bool bundle_write(const Bundle *bundle, int fd, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	GHashTableIter iter;
	gpointer path;
	gpointer entry;

	g_string_append_printf(out, MAGIC " %" G_GINT64_FORMAT " %u\n", bundle->began_us,
			       g_hash_table_size(bundle->entries));
	g_hash_table_iter_init(&iter, bundle->entries);
	while (g_hash_table_iter_next(&iter, &path, &entry))
		append_entry(out, path, entry);
	if (out->len > LIMIT_BUNDLE_BYTES)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "all service and policy files together have more than %d bytes",
			    LIMIT_BUNDLE_BYTES);
	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    !fd_write_all(fd, out->str, out->len) || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return fail_errno(error, errno, "cannot hand over the contents of the files");
	return true;
}

/* --- reading --- */

typedef struct UnreadPart {
	GBytes *bytes;
	const char *next;
	gsize length;
} UnreadPart;

/* Takes the next line. Returns: its @n fields, or NULL for another number of fields. */
static char **take_line(UnreadPart *rest, unsigned n)
{
	const char *end = memchr(rest->next, '\n', MIN(rest->length, LINE_BYTES));
	g_autofree char *line = end ? g_strndup(rest->next, (gsize)(end - rest->next)) : NULL;
	g_auto(GStrv) fields = line ? g_strsplit(line, " ", -1) : NULL;

	if (!fields || g_strv_length(fields) != n)
		return NULL;
	rest->length -= (gsize)(end + 1 - rest->next);
	rest->next = end + 1;
	return g_steal_pointer(&fields);
}

/* Takes bytes and a line break. Returns: the bytes, or NULL if some are missing. */
static const char *take_bytes(UnreadPart *rest, const char *length_text, gsize *ret_length)
{
	const char *bytes = rest->next;
	uint64_t length;

	if (!text_parse_uint(length_text, 10, LIMIT_BUNDLE_BYTES, &length) ||
	    length >= rest->length || bytes[length] != '\n')
		return NULL;
	rest->next += length + 1;
	rest->length -= length + 1;
	*ret_length = length;
	return bytes;
}

static bool parse_kind(const char *letter, BundleKind *ret)
{
	for (BundleKind kind = 0; kind < BUNDLE_KIND_COUNT; kind++) {
		if (letter[0] == letters[kind] && letter[1] == '\0') {
			*ret = kind;
			return true;
		}
	}
	return false;
}

static bool take_entry(UnreadPart *rest, Bundle *bundle)
{
	g_auto(GStrv) fields = take_line(rest, 4);
	const char *start = g_bytes_get_data(rest->bytes, NULL);
	const char *path = NULL;
	const char *data;
	gsize path_length = 0;
	gsize length = 0;
	BundleKind kind;
	uint64_t is_secret;

	if (!fields || !parse_kind(fields[0], &kind) ||
	    !text_parse_uint(fields[1], 10, 1, &is_secret))
		return false;
	path = take_bytes(rest, fields[2], &path_length);
	data = path ? take_bytes(rest, fields[3], &length) : NULL;
	if (!data || path_length == 0 || *path != '/' || memchr(path, '\0', path_length))
		return false;
	if (kind == BUNDLE_LIST && length > 0 && data[length - 1] != '\0')
		return false;
	insert(bundle, kind, is_secret, g_strndup(path, path_length),
	       g_bytes_new_from_bytes(rest->bytes, (gsize)(data - start), length));
	return true;
}

static bool parse(UnreadPart *rest, Bundle *bundle)
{
	g_auto(GStrv) fields = take_line(rest, 4);
	g_autofree char *magic = fields ? g_strconcat(fields[0], " ", fields[1], NULL) : NULL;
	uint64_t began_us;
	uint64_t n;

	if (g_strcmp0(magic, MAGIC) != 0 || !text_parse_uint(fields[2], 10, INT64_MAX, &began_us) ||
	    !text_parse_uint(fields[3], 10, LIMIT_BUNDLE_BYTES, &n))
		return false;
	bundle->began_us = (int64_t)began_us;
	for (; n > 0; n--) {
		if (!take_entry(rest, bundle))
			return false;
	}
	return rest->length == 0;
}

Bundle *bundle_parse(GBytes *bytes, GError **error)
{
	g_autoptr(Bundle) bundle = bundle_new();
	UnreadPart rest = { .bytes = bytes };

	bundle->is_open = false;
	rest.next = g_bytes_get_data(bytes, &rest.length);
	if (rest.length == 0 || rest.length > LIMIT_BUNDLE_BYTES || !parse(&rest, bundle)) {
		fail(error, SVCD_ERROR_FAILED,
		     "the contents of the files arrived damaged, or from another version");
		return NULL;
	}
	return g_steal_pointer(&bundle);
}

Bundle *bundle_read(int fd, GError **error)
{
	g_autoptr(GMappedFile) map = NULL;
	g_autoptr(GBytes) bytes = NULL;

	/*
	 * Without the seals the writer has not finished, and could still shrink the file while it
	 * is mapped.
	 */
	if (fcntl(fd, F_GET_SEALS) != SEALS) {
		fail(error, SVCD_ERROR_FAILED,
		     "svc-generate has not handed over the contents of the files");
		return NULL;
	}
	map = g_mapped_file_new_from_fd(fd, FALSE, error);
	bytes = map ? g_mapped_file_get_bytes(map) : NULL;
	return bytes ? bundle_parse(bytes, error) : NULL;
}
