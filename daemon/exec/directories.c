/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: walks down from /run by descriptor, and follows no symbolic link on the way: what lies below /run may
 * belong to others, and we are still root.
 */
#include "config.h"

#include "exec/directories.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
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

static int give_away(int fd, const struct Spec *spec, const struct Identity *identity)
{
	uid_t uid = identity->has_user ? identity->uid : 0;
	gid_t gid = identity->has_group ? identity->gid : 0;

	if (fchown(fd, uid, gid) < 0 || fchmod(fd, spec->runtime_mode & 07777) < 0)
		return errno;
	return 0;
}

static int make_one(const char *path, const struct Spec *spec, const struct Identity *identity)
{
	char copy[PATH_MAX];
	char *rest = copy;
	char *name;
	int fd;
	int error = 0;

	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	strcpy(copy, path);
	fd = open(RUNTIME_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	while (!error && (name = strsep(&rest, "/")))
		error = descend(&fd, name);
	if (!error)
		error = give_away(fd, spec, identity);
	(void)close(fd); /* nothing was written through it */
	return error;
}

/* "/run/a:/run/b" */
static int set_variable(const struct StringList *names, struct Environment *environment)
{
	size_t size = 1;
	char *value;
	char *end;
	int error;

	for (size_t i = 0; i < names->n; i++)
		size += strlen(RUNTIME_ROOT) + 2 + strlen(names->items[i]);
	value = malloc(size);
	if (!value)
		return ENOMEM;
	end = value;
	for (size_t i = 0; i < names->n; i++) {
		end = stpcpy(end, i > 0 ? ":" RUNTIME_ROOT "/" : RUNTIME_ROOT "/");
		end = stpcpy(end, names->items[i]);
	}
	error = environment_set_pair(environment, "RUNTIME_DIRECTORY", value);
	free(value);
	return error;
}

int directories_make(const struct Spec *spec, const struct Identity *identity, struct Environment *environment)
{
	const struct StringList *names = &spec->runtime_directories;
	/* The service's UMask= is for what the service makes; what leads to its directory must let it pass. */
	const mode_t mask = umask(022);
	int error = 0;

	for (size_t i = 0; i < names->n && !error; i++)
		error = make_one(names->items[i], spec, identity);
	(void)umask(mask);
	return names->n > 0 && !error ? set_variable(names, environment) : error;
}
