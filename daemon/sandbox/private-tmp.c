/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Private /tmp: mkdir(2) until a name is free, the same name in both places.
 */
#include "config.h"

#include "sandbox/private-tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paths/remove.h"

/*
 * At most this many bytes of the service's name are in the directory's name. The rest of the 255
 * bytes is for the other parts.
 */
#define SHOWN_BYTES 200
#define TRIES 100

static const char *const places[] = { "/tmp", "/var/tmp" };

static int make_name(const char *link_path, char *name)
{
	static const char letters[32] = "abcdefghijkmnopqrstuvwxyz2345678";
	const char *service = strrchr(link_path, '/');
	unsigned char random[6];
	int n;

	/*
	 * Not a secret: on a collision another number is tried. Early in a boot, secure random
	 * numbers take 30 ms of processor time, or minutes without an entropy source.
	 */
	if (getrandom(random, sizeof(random), GRND_INSECURE) != (ssize_t)sizeof(random))
		return EIO;
	n = snprintf(name, PRIVATE_TMP_NAME + 1, "svcd-%.*s-", SHOWN_BYTES,
		     service ? service + 1 : link_path);
	for (size_t i = 0; i < sizeof(random); i++)
		name[n++] = letters[random[i] % sizeof(letters)];
	name[n] = '\0';
	return 0;
}

/* Did root make the directory, and can no other user enter it? Then no other user can change it. */
static bool is_ours(int target, const char *name)
{
	struct stat st;

	return fstatat(target, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && (st.st_mode & 07777) == 0700;
}

static int make_inside(int target, const char *name)
{
	char inside[PRIVATE_TMP_NAME + 8];

	(void)snprintf(inside, sizeof(inside), "%s/tmp", name); /* fits */
	if (mkdirat(target, inside, 01777) < 0 && errno != EEXIST)
		return errno;
	return fchmodat(target, inside, 01777, 0) < 0 ? errno : 0;
}

/* @may_exist: an earlier command of this run may have made it */
static int make_in(const char *target_path, const char *name, bool may_exist)
{
	int target = open(target_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = 0;

	if (target < 0)
		return errno;
	if (mkdirat(target, name, 0700) < 0)
		error = errno == EEXIST && may_exist && is_ours(target, name) ? 0 : errno;
	if (!error)
		error = make_inside(target, name);
	(void)close(target); /* a directory, opened for lookups only */
	return error;
}

static int make_both(const char *name, bool may_exist, struct Failure *failure)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int error = make_in(places[i], name, may_exist);

		if (error == EEXIST)
			return error;
		if (error)
			return failure_set(failure, error,
					   "PrivateTmp=: cannot make a directory in %s", places[i]);
	}
	return 0;
}

static bool read_link(const char *link_path, char *name)
{
	ssize_t n = readlink(link_path, name, PRIVATE_TMP_NAME);

	if (n <= 0)
		return false;
	name[n] = '\0';
	return strncmp(name, "svcd-", 5) == 0 && !strchr(name, '/');
}

static int make_parent(const char *link_path)
{
	char parent[PATH_MAX];
	char *slash;

	if (strlen(link_path) >= sizeof(parent))
		return ENAMETOOLONG;
	strcpy(parent, link_path);
	slash = strrchr(parent, '/');
	if (!slash || slash == parent)
		return EINVAL;
	*slash = '\0';
	return mkdir(parent, 0700) < 0 && errno != EEXIST ? errno : 0;
}

static int make_new(const char *link_path, char *name, struct Failure *failure)
{
	int error = make_parent(link_path);

	for (int i = 0; i < TRIES && !error; i++) {
		error = make_name(link_path, name);
		if (!error)
			error = make_both(name, false, failure);
		if (error != EEXIST)
			break;
		error = 0;
	}
	if (!error && symlink(name, link_path) < 0)
		error = errno;
	return error ? failure_set(failure, error, "PrivateTmp=: cannot make %s", link_path) : 0;
}

int private_tmp_make(const char *link_path, char ret_name[PRIVATE_TMP_NAME + 1],
		     struct Failure *failure)
{
	const mode_t mask = umask(0);
	int error = ENOENT;

	if (read_link(link_path, ret_name))
		/* directories that a cleaner of /tmp removed are made again */
		error = make_both(ret_name, true, failure);
	if (error == ENOENT || error == EEXIST) {
		(void)unlink(link_path); /* the link leads to no directory of ours */
		error = make_new(link_path, ret_name, failure);
	}
	(void)umask(mask);
	return error;
}

int private_tmp_remove(const char *link_path, struct Failure *failure)
{
	char name[PRIVATE_TMP_NAME + 1];
	int first_error = 0;

	if (!read_link(link_path, name))
		return 0; /* nothing was made */
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int error = remove_below(places[i], name);

		if (error)
			first_error = failure_set(failure, error,
						  "PrivateTmp=: cannot remove %s/%s", places[i],
						  name);
	}
	(void)unlink(link_path); /* the next run makes a new name */
	return first_error;
}
