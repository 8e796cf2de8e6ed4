/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: the kernel enables controllers only in a cgroup without processes of its own. So the
 * manager has a leaf, svcd/.manager, and PID 1 has svcd/.keeper where it would be in the way.
 */
#include "config.h"

#include "keeper/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/keeper.h"

#define ROOT "svcd"
#define KEEPER_LEAF ".keeper"
#define MANAGER_LEAF ".manager"
#define PATH_BYTES (2 * PROTOCOL_NAME_BYTES)

/* The usual mount point, and the one beside v1 hierarchies. */
static int pinned_fd = -1; /* of keeper.cgroup_root */

static const char *const mount_points[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

static bool is_cgroup2(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

static const char *find_mount(void)
{
	for (size_t i = 0; i < sizeof(mount_points) / sizeof(mount_points[0]); i++)
		if (is_cgroup2(mount_points[i]))
			return mount_points[i];
	return NULL;
}

/* Our cgroup, from the line "0::/path" (cgroups(7)); "" for the root. */
static bool read_own_path(char *path, size_t size)
{
	char text[8192]; /* v1 hierarchies have a line each, before ours */
	char *line;

	if (keeper_read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return false;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		return false;
	line = strchr(line, '/');
	if (!line)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return keeper_copy(path, size, strcmp(line, "/") == 0 ? "" : line);
}

/*
 * A mount that was made outside our cgroup name space shows other directories under the same names.
 */
static bool contains_us(const char *directory)
{
	char path[4096 + 64 + 16];
	char buffer[4096];
	long pid = 0;
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/cgroup.procs", directory) >= (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (pid != -1 && (n = read(fd, buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < n && pid != -1; i++) {
			if (buffer[i] != '\n')
				pid = pid * 10 + (buffer[i] - '0');
			else
				pid = pid == getpid() ? -1 : 0;
		}
	}
	(void)close(fd); /* only read */
	return pid == -1;
}

/*
 * An earlier image with unreadable tables has moved us there. The services are beside it.
 */
static void strip_own_leaf(char *path)
{
	static const char leaf[] = "/" ROOT "/" KEEPER_LEAF;
	size_t length = strlen(path);

	if (length >= sizeof(leaf) - 1 && strcmp(path + length - (sizeof(leaf) - 1), leaf) == 0)
		path[length - (sizeof(leaf) - 1)] = '\0';
}

/* Returns: false; the reason was logged unless it is normal. */
static bool find_own_directory(const char *mount_point, char *directory, size_t size)
{
	char path[4096];
	char full[4096 + 64];

	if (!read_own_path(path, sizeof(path)) ||
	    snprintf(full, sizeof(full), "%s%s", mount_point, path) >= (int)sizeof(full))
		return false;
	if (!contains_us(full)) {
		if (!keeper.user_mode)
			console_log("%s is not of our cgroup name space", mount_point);
		return false;
	}
	strip_own_leaf(full);
	if (keeper_copy(directory, size, full))
		return true;
	console_log("the path of our cgroup is longer than %zu bytes", size - 1);
	return false;
}

/* Beside v1 hierarchies if there are any, never over them. */
static void mount_own(void)
{
	const char *target = mount_points[0];
	struct statfs fs;

	if (statfs(target, &fs) == 0 && fs.f_type == TMPFS_MAGIC)
		target = mount_points[1];
	(void)mkdir(target, 0755); /* it exists, or the mount will fail */
	if (mount("cgroup2", target, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 && !keeper.container)
		console_log("cannot mount cgroup v2: %s", strerror(errno));
}

static bool make_leaf(const char *root, const char *leaf, char *path, size_t size)
{
	struct stat st;

	if (snprintf(path, size, "%s%s%s", root, leaf[0] ? "/" : "", leaf) >= (int)size)
		return false;
	/*
	 * Users cannot list it, because a process that lists a directory can hold its lock for
	 * ever. stat(2) finds an existing one without the lock of the directory above, which users
	 * can list: after a re-execution services run.
	 */
	if (stat(path, &st) < 0)
		return mkdir(path, 0711) == 0;
	if (st.st_mode & 0066)
		(void)chmod(path, 0711); /* made by an earlier version; chmod of a directory that is not ours fails */
	return true;
}

/*
 * Every service has a limit of processes, so this controller is always needed. Enabling it is cheap
 * before there are leaves. That works only in the root of all cgroups, because any other one
 * contains us.
 */
static bool count_processes(const char *directory, const char *root)
{
	char path[PATH_BYTES];
	const char *const groups[] = { directory, root };
	bool is_enabled = keeper.is_pid1;

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && is_enabled; i++)
		is_enabled = snprintf(path, sizeof(path), "%s/cgroup.subtree_control", groups[i]) < (int)sizeof(path) &&
			     keeper_write_file(path, "+pids"); /* fails if the controller belongs to v1 or is not delegated to us */
	return is_enabled;
}

/*
 * May @directory delegate one of the controllers that settings of services need
 * (model/resource-def.c)?
 */
static bool may_delegate_any(const char *directory)
{
	static const char *const ours[] = { "cpu", "cpuset", "io", "memory", "pids" };
	char path[PATH_BYTES];
	char text[256];
	const char *list = text;

	(void)snprintf(path, sizeof(path), "%s/cgroup.controllers", directory); /* the buffer is twice as large as needed */
	if (keeper_read_file(path, text, sizeof(text)) <= 0)
		return false;
	for (size_t length; (length = strcspn(list, " \n")) > 0; list += length + (list[length] == ' '))
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			if (strlen(ours[i]) == length && memcmp(list, ours[i], length) == 0)
				return true;
	return false;
}

/*
 * Moving waits for an RCU grace period of ten to thirty milliseconds (cgroup_attach_lock() in the
 * kernel), so PID 1 moves only where controllers can be enabled. The root of all cgroups may have
 * processes; it is the one without cgroup.type (kernel.org, admin-guide/cgroup-v2).
 */
static bool is_in_the_way(const char *directory)
{
	char path[PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s/cgroup.type", directory); /* the buffer is twice as large as needed */
	return access(path, F_OK) == 0 && may_delegate_any(directory);
}

/*
 * May processes be started in cgroups below @directory? The kernel checks this in their common
 * ancestor.
 */
static bool may_fill_groups(const char *directory)
{
	char path[PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory); /* the buffer is twice as large as needed */
	return access(path, W_OK) == 0;
}

static bool move_to_leaf(const char *root)
{
	char path[PATH_BYTES];

	if (!make_leaf(root, KEEPER_LEAF, path, sizeof(path)) || strlen(path) + sizeof("/cgroup.procs") > sizeof(path))
		return false;
	(void)strcat(path, "/cgroup.procs"); /* its length was checked above */
	console_end(); /* its writer would stay in the old cgroup, which then could not enable controllers; the next line starts a new one */
	if (keeper_write_file(path, "0"))
		return true;
	if (!keeper.container && !keeper.user_mode)
		console_log("cannot enter %s: %s", path, strerror(errno));
	return false;
}

static void use_own(void)
{
	char directory[PROTOCOL_NAME_BYTES - 8];
	char root[PROTOCOL_NAME_BYTES];
	char path[PATH_BYTES];
	const char *mount_point = find_mount();
	bool is_counted;

	if (!mount_point || !find_own_directory(mount_point, directory, sizeof(directory)))
		return;
	if (!make_leaf(directory, ROOT, root, sizeof(root)))
		return;
	is_counted = count_processes(directory, root);
	if (!make_leaf(root, MANAGER_LEAF, path, sizeof(path)))
		return;
	if (is_in_the_way(directory) ? !move_to_leaf(root) : !may_fill_groups(directory))
		return;
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), root);
	/*
	 * This keeps the path in the kernel's cache, so that no look-up waits for the lock of a
	 * directory above.
	 */
	pinned_fd = open(root, O_PATH | O_CLOEXEC);
	if (!is_counted)
		(void)count_processes(directory, root); /* on failure services have no such limit */
}

void cgroup_setup(void)
{
	if (!find_mount() && keeper.is_pid1)
		mount_own();
	use_own();
	if (keeper.is_pid1 && !keeper.cgroup_root[0] && !keeper.has_reexeced)
		console_log("there are no cgroups for services: only the main process of each is known and stopped");
}

int cgroup_open_manager(void)
{
	char path[PATH_BYTES];

	if (!keeper.cgroup_root[0])
		return -1;
	(void)snprintf(path, sizeof(path), "%s/%s", keeper.cgroup_root, MANAGER_LEAF); /* the buffer is twice as large as needed */
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
