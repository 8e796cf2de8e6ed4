/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accounts: numbers of users and groups, from /etc/passwd and /etc/group alone. NSS might query a
 * service that svcd has yet to start, and then block.
 */
#ifndef SVCD_CONFIG_ACCOUNTS_H
#define SVCD_CONFIG_ACCOUNTS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct AccountFiles {
	const char *passwd;
	const char *group;
} AccountFiles;

extern const AccountFiles accounts_of_machine;

/**
 * accounts_find() - find the uid and gid of an account
 * @user: a name or a number; NULL: *@ret_uid is unchanged
 * @group: a name or a number; NULL: the group of @user if that user has a line in passwd(5), else
 * *@ret_gid is unchanged
 *
 * The files are read each time, because a package may have just added its user.
 * Returns: false with @error if there is no such name.
 */
bool accounts_find(const AccountFiles *files, const char *user, const char *group, uid_t *ret_uid,
		   gid_t *ret_gid, GError **error);

#endif
