/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accounts: numbers of users and groups, from /etc/passwd and /etc/group alone. NSS may ask a service that we are to start, and wait.
 */
#ifndef SVCD_CONFIG_ACCOUNTS_H
#define SVCD_CONFIG_ACCOUNTS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Where they are read. */
typedef struct AccountFiles {
	const char *passwd;
	const char *group;
} AccountFiles;

extern const AccountFiles accounts_of_machine;

/**
 * accounts_find() - who that is
 * @user:  a name or a number; NULL: *@ret_uid stays as it is
 * @group: likewise; NULL: the group of @user if that has a line in passwd(5), else *@ret_gid stays as it is
 *
 * The files are read anew: a package may have made its user a moment ago.
 * Returns: false with @error when there is no such name.
 */
bool accounts_find(const AccountFiles *files, const char *user, const char *group, uid_t *ret_uid, gid_t *ret_gid,
		   GError **error);

#endif
