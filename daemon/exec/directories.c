/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: walks down from /run, /var/lib ... by descriptor, and follows no symbolic link on the way: what lies below may
 * belong to others, and we are still root.
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

/* Goes from @*fd into @name, which is made if it is missing; @*fd is replaced. */
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
	(void)close(*fd); /* only a place to stand on */
	*fd = next;
	return 0;
}

static const struct {
	const char *root;
	const char *key;
	const char *variable;
} kinds[DIRECTORY_KINDS] = {
	[DIRECTORY_RUNTIME] = { RUNTIME_ROOT, "RuntimeDirectory", "RUNTIME_DIRECTORY" },
	[DIRECTORY_STATE] = { "/var/lib", "StateDirectory", "STATE_DIRECTORY" },
	[DIRECTORY_CACHE] = { "/var/cache", "CacheDirectory", "CACHE_DIRECTORY" },
	[DIRECTORY_LOGS] = { "/var/log", "LogsDirectory", "LOGS_DIRECTORY" },
	[DIRECTORY_CONFIGURATION] = { "/etc", "ConfigurationDirectory", "CONFIGURATION_DIRECTORY" },
};

/* A configuration stays with whoever owns it: a service that can change it may change what it is itself. */
static int give_away(int fd, enum DirectoryKind kind, uint32_t mode, const struct Identity *identity)
{
	uid_t uid = identity->has_user ? identity->uid : 0;
	gid_t gid = identity->has_group ? identity->gid : 0;

	if (kind != DIRECTORY_CONFIGURATION && fchown(fd, uid, gid) < 0)
		return errno;
	return fchmod(fd, mode & 07777) < 0 ? errno : 0;
}

static int make_one(const char *path, enum DirectoryKind kind, uint32_t mode, const struct Identity *identity)
{
	char copy[PATH_MAX];
	char *rest = copy;
	char *name;
	int fd;
	int error = 0;

	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	strcpy(copy, path);
	if (mkdir(kinds[kind].root, 0755) < 0 && errno != EEXIST && errno != EROFS)
		return errno;
	fd = open(kinds[kind].root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	while (!error && (name = strsep(&rest, "/")))
		error = descend(&fd, name);
	if (!error)
		error = give_away(fd, kind, mode, identity);
	(void)close(fd); /* nothing was written through it */
	return error;
}

/* "/run/a:/run/b" */
static int set_variable(enum DirectoryKind kind, const struct StringList *names, struct Environment *environment)
{
	const char *root = kinds[kind].root;
	size_t size = 1;
	char *value;
	char *end;
	int error;

	for (size_t i = 0; i < names->n; i++)
		size += strlen(root) + 2 + strlen(names->items[i]);
	value = malloc(size);
	if (!value)
		return ENOMEM;
	end = value;
	for (size_t i = 0; i < names->n; i++) {
		if (i > 0)
			*end++ = ':';
		end = stpcpy(stpcpy(stpcpy(end, root), "/"), names->items[i]);
	}
	error = environment_set_pair(environment, kinds[kind].variable, value);
	free(value);
	return error;
}

static int make_kind(enum DirectoryKind kind, const struct DirectorySpec *set, const struct Identity *identity,
		     struct Environment *environment, struct Failure *failure)
{
	for (size_t i = 0; i < set->names.n; i++) {
		int error = make_one(set->names.items[i], kind, set->mode, identity);

		if (error)
			return failure_set(failure, error, "%s=: cannot make %s/%s", kinds[kind].key, kinds[kind].root,
					   set->names.items[i]);
	}
	return set->names.n > 0 ? set_variable(kind, &set->names, environment) : 0;
}

int directories_make(const struct Spec *spec, const struct Identity *identity, struct Environment *environment,
		     struct Failure *failure)
{
	/* The service's UMask= is for what the service makes; what leads to its directory must let it pass. */
	const mode_t mask = umask(022);
	int error = 0;

	for (int kind = 0; kind < DIRECTORY_KINDS && !error; kind++)
		error = make_kind((enum DirectoryKind)kind, &spec->directories[kind], identity, environment, failure);
	(void)umask(mask);
	return error;
}

int directories_keep(const struct Spec *spec, struct MountList *list)
{
	int error = 0;

	for (int kind = 0; kind < DIRECTORY_CONFIGURATION; kind++) {
		const struct StringList *names = &spec->directories[kind].names;

		for (size_t i = 0; i < names->n && !error; i++) {
			char *path;

			if (asprintf(&path, "%s/%s", kinds[kind].root, names->items[i]) < 0)
				return ENOMEM;
			if (mount_list_covers(list, path, "/")) /* which points to the path from now on */
				error = mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW, .path = path, .source = path,
										   .key = kinds[kind].key });
		}
	}
	return error;
}
