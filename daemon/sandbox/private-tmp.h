/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private /tmp: separate directories in /tmp and /var/tmp, for all commands of one run.
 *
 * The name has a random part, because any user may make directories in /tmp in advance. A symbolic
 * link below /run/svcd, in a directory that only root can write to, contains the name. The next
 * commands of the run read it, and so does the command that finally removes the directories.
 */
#ifndef SVCD_SANDBOX_PRIVATE_TMP_H
#define SVCD_SANDBOX_PRIVATE_TMP_H

#include "sandbox/failure.h"

/* "svcd-", the service, "-", six letters. */
#define PRIVATE_TMP_NAME 255

/**
 * private_tmp_make() - find or make the directories
 * @link_path: its last part is the name of the service
 * @ret_name: the name in both places; its subdirectory "tmp" is shown as /tmp
 * Returns: 0 or an errno.
 */
int private_tmp_make(const char *link_path, char ret_name[PRIVATE_TMP_NAME + 1],
		     struct Failure *failure);

/* Removes both directories with all their content, and the link. Returns: 0 or the first errno. */
int private_tmp_remove(const char *link_path, struct Failure *failure);

#endif
