/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private /tmp: a directory of the service's own in /tmp and in /var/tmp, for all commands of one run.
 *
 * Its name has a random part, for anybody may make a directory in /tmp and wait. A symbolic link in a directory that only root can
 * write to, below /run/svcd, tells the name to the next command, and at last to the one that removes it.
 */
#ifndef SVCD_SANDBOX_PRIVATE_TMP_H
#define SVCD_SANDBOX_PRIVATE_TMP_H

#include "sandbox/failure.h"

/* "svcd-", the service, "-", six letters. */
#define PRIVATE_TMP_NAME 255

/**
 * private_tmp_make() - find or make the directories
 * @link_path: names the service by its last part
 * @ret_name:  the name in both places; what is to be seen as /tmp is "tmp" in it
 * Returns: 0 or an errno.
 */
int private_tmp_make(const char *link_path, char ret_name[PRIVATE_TMP_NAME + 1], struct Failure *failure);

/* Removes both with all that is in them, and the link. Returns: 0 or the first errno. */
int private_tmp_remove(const char *link_path, struct Failure *failure);

#endif
