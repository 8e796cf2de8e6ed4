/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Groups: reads the first and the third field of each line.
 */
#include "config.h"

#include "config/groups.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"

static bool parse_gid(const char *text, gid_t *ret_gid)
{
	uint64_t number;

	if (!text_parse_uint(text, 10, UINT32_MAX - 1, &number)) /* -1 means no group, chown(2) */
		return false;
	*ret_gid = (gid_t)number;
	return true;
}

GHashTable *groups_parse(const char *text)
{
	GHashTable *groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) fields = g_strsplit(*line, ":", 4);
		gid_t gid;

		/* The first of two lines for one name applies, as in getgrnam(3). */
		if (g_strv_length(fields) >= 3 && *fields[0] && parse_gid(fields[2], &gid) &&
		    !g_hash_table_contains(groups, fields[0]))
			g_hash_table_insert(groups, g_strdup(fields[0]), GUINT_TO_POINTER(gid));
	}
	return groups;
}

GHashTable *groups_read(const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = file_read_bounded(path, LIMIT_GROUP_FILE_BYTES, error);
	g_autofree char *text = NULL;

	if (!bytes)
		return NULL;
	text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	return groups_parse(text);
}

bool groups_find(GHashTable *groups, const char *name, gid_t *ret_gid)
{
	gpointer gid;

	if (parse_gid(name, ret_gid))
		return true;
	if (!g_hash_table_lookup_extended(groups, name, NULL, &gid))
		return false;
	*ret_gid = (gid_t)GPOINTER_TO_UINT(gid);
	return true;
}
