/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: walks down from /run, /var/lib ... by descriptor and follows no symbolic link,
 * because directories below may belong to other users, and this process is still root.
 */
#include "config.h"

#include "exec/directories.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_component(const char *name)
{
	return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Opens the directory @name in *@fd, which it makes if it is missing. Replaces *@fd. */
static int descend(int *fd, const char *name)
{
	int next;

	if (!is_component(name))
		return EINVAL;
	if (mkdirat(*fd, name, 0755) < 0 && errno != EEXIST)
		return errno;
	next = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return errno;
	(void)close(*fd); /* a directory, opened for lookups only */
	*fd = next;
	return 0;
}

/*
 * A configuration directory keeps its owner, because a service that can change its configuration
 * may gain rights.
 */
static int give_away(int fd, const struct SandboxDirectory *kind, mode_t mode,
		     const struct Identity *identity)
{
	uid_t uid = identity->has_user ? identity->uid : 0;
	gid_t gid = identity->has_group ? identity->gid : 0;

	if (kind->key != SANDBOX_CONFIGURATION_DIRECTORY && fchown(fd, uid, gid) < 0)
		return errno;
	return fchmod(fd, mode) < 0 ? errno : 0;
}

static int make_one(const char *path, const struct SandboxDirectory *kind, mode_t mode,
		    const struct Identity *identity)
{
	char copy[PATH_MAX];
	char *rest = copy;
	char *name;
	int fd;
	int error = 0;

	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	strcpy(copy, path);
	if (mkdir(kind->root, 0755) < 0 && errno != EEXIST && errno != EROFS)
		return errno;
	fd = open(kind->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	while (!error && (name = strsep(&rest, "/")))
		error = descend(&fd, name);
	if (!error)
		error = give_away(fd, kind, mode, identity);
	(void)close(fd); /* nothing was written through it */
	return error;
}

/* Appends a path to *@value, which is NULL at first, and "/run/a:/run/b" after two paths. */
static int add_to_variable(char **value, const char *root, const char *path)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s/%s", *value ? *value : "", *value ? ":" : "", root, path) < 0)
		return ENOMEM;
	free(*value);
	*value = longer;
	return 0;
}

static int make_kind(const struct SandboxDirectory *kind, const struct Sandbox *sandbox,
		     const struct Identity *identity, struct Environment *environment,
		     struct Failure *failure)
{
	char *value = NULL;
	int error = 0;

	for (size_t i = 0; i < sandbox->n_paths && !error; i++) {
		const char *path = sandbox->paths[i].path;

		if (sandbox->paths[i].key != kind->key)
			continue;
		error = make_one(path, kind, (mode_t)sandbox->value[kind->mode], identity);
		if (error)
			(void)failure_set(failure, error, "%s=: cannot make %s/%s",
					  sandbox_key_name(kind->key), kind->root, path);
		else
			error = add_to_variable(&value, kind->root, path);
	}
	if (!error && value)
		error = environment_set_pair(environment, kind->variable, value);
	free(value);
	return error;
}

int directories_make(const struct Spec *spec, const struct Identity *identity,
		     struct Environment *environment, struct Failure *failure)
{
	/*
	 * UMask= is for the service's own files. It must not make a parent of a directory
	 * inaccessible to the service.
	 */
	const mode_t mask = umask(022);
	int error = 0;

	for (int i = 0; i < SANDBOX_DIRECTORIES && !error; i++)
		error = make_kind(&sandbox_directories[i], &spec->sandbox, identity, environment,
				  failure);
	(void)umask(mask);
	return error;
}

/* @list refers to the new path afterwards. */
static int keep(const struct SandboxDirectory *kind, const char *name, struct MountList *list)
{
	char *path;

	if (asprintf(&path, "%s/%s", kind->root, name) < 0)
		return ENOMEM;
	if (!mount_list_covers(list, path, "/"))
		return 0;
	return mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW,
							  .path = path,
							  .source = path,
							  .key = sandbox_key_name(kind->key) });
}

int directories_keep(const struct Spec *spec, struct MountList *list)
{
	int error = 0;

	for (int i = 0; i < SANDBOX_DIRECTORIES; i++) {
		const struct SandboxDirectory *kind = &sandbox_directories[i];

		for (size_t k = 0; k < spec->sandbox.n_paths && !error; k++) {
			if (spec->sandbox.paths[k].key == kind->key &&
			    kind->key != SANDBOX_CONFIGURATION_DIRECTORY)
				error = keep(kind, spec->sandbox.paths[k].path, list);
		}
	}
	return error;
}
