/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accounts: reads passwd(5), where the first matching line applies. groups.c reads group(5).
 */
#include "config.h"

#include "config/accounts.h"

#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "config/groups.h"

#define LOCAL_ONLY "other name services are not used here; write a number"

const AccountFiles accounts_of_machine = { .passwd = "/etc/passwd", .group = "/etc/group" };

static bool parse_id(const char *text, uint32_t *ret)
{
	uint64_t number;

	if (!text_parse_uint(text, 10, UINT32_MAX - 1, &number)) /* -1 means no change, chown(2) */
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* Finds the line of @user, by name or by number. */
static bool find_in_passwd(const char *text, const char *user, uint32_t *ret_uid, uint32_t *ret_gid)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) fields = g_strsplit(*line, ":", 5);
		uint32_t uid;
		uint32_t gid;

		if (g_strv_length(fields) < 4 || !parse_id(fields[2], &uid) ||
		    !parse_id(fields[3], &gid))
			continue;
		if (strcmp(fields[0], user) != 0 && strcmp(fields[2], user) != 0)
			continue;
		*ret_uid = uid;
		*ret_gid = gid;
		return true;
	}
	return false;
}

static bool find_user(const AccountFiles *files, const char *user, uint32_t *ret_uid,
		      uint32_t *ret_gid, GError **error)
{
	const bool is_number = parse_id(user, ret_uid);
	g_autoptr(GBytes) bytes =
		file_read_bounded(files->passwd, LIMIT_GROUP_FILE_BYTES, is_number ? NULL : error);
	g_autofree char *text = NULL;

	if (bytes)
		text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	if (text && find_in_passwd(text, user, ret_uid, ret_gid))
		return true;
	if (is_number)
		return true; /* an unlisted number has no group */
	return bytes ? fail(error, SVCD_ERROR_FAILED, "there is no user \"%s\" in %s; " LOCAL_ONLY,
			    user, files->passwd) :
		       false;
}

static bool find_group(const AccountFiles *files, const char *group, gid_t *ret_gid, GError **error)
{
	g_autoptr(GHashTable) groups = NULL;
	uint32_t gid;

	if (parse_id(group, &gid)) {
		*ret_gid = gid;
		return true;
	}
	groups = groups_read(files->group, error);
	if (!groups)
		return false;
	if (!groups_find(groups, group, ret_gid))
		return fail(error, SVCD_ERROR_FAILED, "there is no group \"%s\" in %s; " LOCAL_ONLY,
			    group, files->group);
	return true;
}

bool accounts_find(const AccountFiles *files, const char *user, const char *group, uid_t *ret_uid,
		   gid_t *ret_gid, GError **error)
{
	uint32_t uid = *ret_uid;
	uint32_t gid = *ret_gid;

	if (user && !find_user(files, user, &uid, &gid, error))
		return false;
	if (group && !find_group(files, group, ret_gid, error))
		return false;
	*ret_uid = uid;
	if (!group)
		*ret_gid = gid;
	return true;
}
