/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remote file systems are recognized by their type, because any other test accesses the file
 * system.
 */
#include "config.h"

#include "paths/remote-fs.h"

#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOUNTS "/proc/self/mounts"

bool remote_fs_is_type(const char *type)
{
	static const char *const types[] = { "9p",    "afs",  "beegfs",  "ceph",    "cifs",
					     "coda",  "fuse", "fuseblk", "gfs2",    "lustre",
					     "ncpfs", "nfs",  "nfs4",    "ocfs2",   "orangefs",
					     "pvfs2", "smb3", "smbfs",   "virtiofs" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(type, types[i]) == 0)
			return true;
	}
	return strncmp(type, "fuse.", strlen("fuse.")) == 0;
}

bool remote_fs_is_exempt(const char *mount_point)
{
	return strcmp(mount_point, "/") == 0 || strcmp(mount_point, "/usr") == 0;
}

static bool is_below(const char *path, const char *directory)
{
	const size_t length = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	return strncmp(path, directory, length) == 0 &&
	       (path[length] == '/' || path[length] == '\0');
}

/*
 * The deepest mount point above @path decides. If two file systems are mounted there, the later
 * line decides, because it covers the other.
 */
char *remote_fs_above(const char *path)
{
	FILE *file = setmntent(MOUNTS, "re");
	const struct mntent *mount;
	char *found = NULL;
	size_t longest = 0;

	if (!file)
		return NULL;
	while ((mount = getmntent(file))) {
		const size_t length = strlen(mount->mnt_dir);

		if (!is_below(path, mount->mnt_dir) || length < longest)
			continue;
		longest = length;
		free(found);
		found = remote_fs_is_type(mount->mnt_type) && !remote_fs_is_exempt(mount->mnt_dir) ?
				strdup(mount->mnt_dir) :
				NULL;
	}
	(void)endmntent(file);
	return found;
}
