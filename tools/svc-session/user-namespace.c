/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User namespace: see user-namespace.h.
 */
#include "config.h"

#include "svc-session/user-namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_SYSTEMD "/run/systemd"

static bool complain(const char *what)
{
	(void)fprintf(stderr, "svc-session: the namespace of a user manager: %s: %s\n", what,
		      strerror(errno));
	return false;
}

static bool copy_link(const char *source, const char *target)
{
	char text[PATH_MAX];
	const ssize_t n = readlink(source, text, sizeof text - 1);

	if (n < 0)
		return false;
	text[n] = '\0';
	return symlink(text, target) == 0;
}

/* An entry that has just been removed is left out. */
static bool bind_entry(int directory, const char *name)
{
	char source[NAME_MAX + 64];
	char target[NAME_MAX + 64];
	struct stat status;
	int fd;

	(void)snprintf(source, sizeof source, "/proc/self/fd/%d/%s", directory, name);
	(void)snprintf(target, sizeof target, RUN_SYSTEMD "/%s", name);
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT;
	if (S_ISLNK(status.st_mode))
		return copy_link(source, target);
	if (S_ISDIR(status.st_mode)) {
		if (mkdir(target, 0755) < 0)
			return false;
	} else {
		fd = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			return false;
		(void)close(fd);
	}
	return mount(source, target, NULL, MS_BIND | MS_REC, NULL) == 0 || errno == ENOENT;
}

static bool bind_entries(DIR *machine)
{
	struct dirent *entry;

	while ((entry = readdir(machine)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
		    strcmp(name, "system") == 0)
			continue;
		if (!bind_entry(dirfd(machine), name))
			return complain(name);
	}
	return true;
}

bool user_namespace_enter(void)
{
	bool is_complete = false;
	DIR *machine;

	if (unshare(CLONE_NEWNS) < 0)
		return complain("unshare");
	/* Fails if it is not a mount point. Then the next mount would appear on the machine. */
	if (mount(NULL, RUN_SYSTEMD, NULL, MS_PRIVATE, NULL) < 0)
		return complain(RUN_SYSTEMD " is not prepared");
	machine = opendir(RUN_SYSTEMD);
	if (!machine)
		return complain(RUN_SYSTEMD);
	if (mount("tmpfs", RUN_SYSTEMD, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0 ||
	    mkdir(RUN_SYSTEMD "/system", 0755) < 0)
		(void)complain("tmpfs");
	else
		is_complete = bind_entries(machine);
	(void)closedir(machine);
	return is_complete;
}
