/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own cgroups: the cgroup v2 directory of svcd, and the leaves of PID 1 and the manager.
 *
 * The kernel enables controllers only in a cgroup without processes of its own. So the manager has
 * a leaf, svcd/.manager. PID 1 enters the leaf svcd/.keeper if it would otherwise be such a
 * process.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/keeper.h"

#define ROOT "svcd"
#define KEEPER_LEAF ".keeper"
#define MANAGER_LEAF ".manager"
#define PATH_BYTES (2 * PROTOCOL_NAME_BYTES) /* for a file in a cgroup: room for two names */

static int pinned_fd = -1; /* a descriptor of keeper.cgroup_root */

/* The usual mount point, and the mount point beside v1 hierarchies. */
static const char *const mount_points[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

static bool is_on(const char *path, unsigned int magic)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && (unsigned int)fs.f_type == magic;
}

static const char *find_mount(void)
{
	for (size_t i = 0; i < N_ELEMENTS(mount_points); i++)
		if (is_on(mount_points[i], CGROUP2_SUPER_MAGIC))
			return mount_points[i];
	return NULL;
}

/* Reads our cgroup from the line "0::/path" (cgroups(7)); "" for the root. */
static bool read_own_path(char *path, size_t size)
{
	char text[8192]; /* each v1 hierarchy has a line, before ours */
	char *line;

	if (keeper_read_file("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return false;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	line = line ? strchr(line, '/') : NULL;
	if (!line)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return keeper_copy(path, size, strcmp(line, "/") == 0 ? "" : line);
}

/*
 * Is this our cgroup? A mount from outside our cgroup namespace has other directories with the same
 * names.
 */
static bool contains_us(const char *directory)
{
	char path[4096 + 64 + 16];
	char buffer[4096];
	long pid = 0;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory); /* it fits */
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
	(void)close(fd); /* it was only read */
	return pid == -1;
}

/* Returns: false on failure, after logging an unexpected reason. */
static bool find_own_directory(const char *mount_point, char *directory, size_t size)
{
	static const char leaf[] = "/" ROOT "/" KEEPER_LEAF;
	char path[4096];
	char full[4096 + 64];
	size_t length;

	if (!read_own_path(path, sizeof(path)))
		return false;
	length = (size_t)snprintf(full, sizeof(full), "%s%s", mount_point, path); /* it fits */
	if (!contains_us(full)) {
		if (!keeper.user_mode)
			console_log("%s does not belong to the cgroup namespace of svcd",
				    mount_point);
		return false;
	}
	/*
	 * An earlier image, whose tables are lost, moved us into the leaf. The services are beside
	 * the leaf.
	 */
	if (length >= strlen(leaf) && strcmp(full + length - strlen(leaf), leaf) == 0)
		full[length - strlen(leaf)] = '\0';
	if (keeper_copy(directory, size, full))
		return true;
	console_log("the path of the cgroup of svcd is longer than %zu bytes", size - 1);
	return false;
}

/* Mounts cgroup v2: beside v1 hierarchies if there are any, never over them. */
static void mount_own(void)
{
	const char *target = mount_points[is_on(mount_points[0], TMPFS_MAGIC)];

	(void)mkdir(target, 0755); /* it exists, or the mount will fail */
	if (mount("cgroup2", target, "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 &&
	    !keeper.container)
		console_log("cannot mount cgroup v2: %s", strerror(errno));
}

/* Makes the directory @path/@name in @made, which has PATH_BYTES. */
static bool make_directory(const char *path, const char *name, char *made)
{
	struct stat st;

	(void)snprintf(made, PATH_BYTES, "%s/%s", path, name); /* it fits */
	/*
	 * Users must not be able to list the directory, because a process that lists a directory
	 * can hold its lock for ever. stat(2) finds an existing directory without the lock of the
	 * directory above, which users can list. After a re-execution the directory exists, and
	 * users' processes may run already.
	 */
	if (stat(made, &st) < 0)
		return mkdir(made, 0711) == 0;
	if (st.st_mode & 0066)
		/* made by an earlier version; chmod of a directory that is not ours fails */
		(void)chmod(made, 0711);
	return true;
}

/*
 * Every service has a process limit, so this controller is always needed. Enabling it is cheap
 * before there are leaves. So early it works only if our cgroup is the root of all cgroups, because
 * any other cgroup that contains us has processes of its own. It fails if the controller belongs to
 * v1 or is not delegated to us.
 */
static bool count_processes(const char *directory, const char *root)
{
	char path[PATH_BYTES];
	char below[PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s/cgroup.subtree_control", directory); /* they fit */
	(void)snprintf(below, sizeof(below), "%s/cgroup.subtree_control", root);
	return keeper.is_pid1 && keeper_write_at(AT_FDCWD, path, "+pids") == 0 &&
	       keeper_write_at(AT_FDCWD, below, "+pids") == 0;
}

/*
 * Must PID 1 leave? Moving waits for an RCU grace period of ten to thirty milliseconds
 * (cgroup_attach_lock() in the kernel), so PID 1 moves only where controllers can be enabled. The
 * root of all cgroups may have processes; it is the one without cgroup.type (kernel.org,
 * admin-guide/cgroup-v2).
 */
static bool is_obstacle(const char *directory)
{
	char path[PATH_BYTES];
	char controllers[256];

	(void)snprintf(path, sizeof(path), "%s/cgroup.type", directory); /* they fit */
	if (access(path, F_OK) < 0)
		return false;
	(void)snprintf(path, sizeof(path), "%s/cgroup.controllers", directory);
	return keeper_read_file(path, controllers, sizeof(controllers)) > 0 &&
	       controllers[0] != '\n';
}

/*
 * May processes be started in cgroups below @directory? The kernel checks this in the common
 * ancestor of our cgroup and the new cgroup.
 */
static bool may_fill_groups(const char *directory)
{
	char path[PATH_BYTES];

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory); /* it fits */
	return access(path, W_OK) == 0;
}

static bool move_to_leaf(const char *root)
{
	char directory[PATH_BYTES];
	char path[PATH_BYTES + 16];
	int error;

	if (!make_directory(root, KEEPER_LEAF, directory))
		return false;
	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory); /* it fits */
	/*
	 * the console's writer would stay in the old cgroup, which then could not enable
	 * controllers; the next line for the console starts a new writer
	 */
	console_end();
	error = keeper_write_at(AT_FDCWD, path, "0");
	if (error && !keeper.container && !keeper.user_mode)
		console_log("cannot enter %s: %s", path, strerror(error));
	return error == 0;
}

static void use_own(void)
{
	char directory[PROTOCOL_NAME_BYTES - sizeof("/" ROOT)];
	char root[PATH_BYTES];
	char manager[PATH_BYTES];
	const char *mount_point = find_mount();
	bool is_counted;

	if (!mount_point || !find_own_directory(mount_point, directory, sizeof(directory)) ||
	    !make_directory(directory, ROOT, root))
		return;
	is_counted = count_processes(directory, root);
	if (!make_directory(root, MANAGER_LEAF, manager))
		return;
	if (is_obstacle(directory) ? !move_to_leaf(root) : !may_fill_groups(directory))
		return;
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), root);
	/* Keeps the path in the cache: no look-up waits for the lock of a directory above. */
	pinned_fd = open(root, O_PATH | O_CLOEXEC);
	if (!is_counted)
		(void)count_processes(directory, root); /* on failure services have no such limit */
}

void cgroup_setup(void)
{
	if (!find_mount() && keeper.is_pid1)
		mount_own();
	use_own();
	if (keeper.is_pid1 && !keeper.cgroup_root[0])
		console_log("there are no cgroups for services: only the main process of each is "
			    "known and stopped");
}

int cgroup_open_manager(void)
{
	char path[PATH_BYTES];

	if (!keeper.cgroup_root[0])
		return -1;
	(void)snprintf(path, sizeof(path), "%s/" MANAGER_LEAF, keeper.cgroup_root); /* it fits */
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
