/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup: see cgroup.h.
 */
#include "config.h"

#include "svc-session/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#define TOP "/sys/fs/cgroup"
#define USER_SLICE "user.slice"
#define USER_RUNTIME "/run/user"

/* Another process may remove an empty slice while this one makes a group in it. */
enum { MAKE_ATTEMPTS = 100, REMOVE_ATTEMPTS = 100, PAUSE_MS = 10 };

typedef void (*NameFunc)(const char *directory, const char *name, void *data);

static void free_path(char **path)
{
	free(*path);
}

/* A local path that is freed at the end of its block. */
#define auto_path __attribute__((cleanup(free_path)))

/* "first/second" */
static char *join(const char *first, const char *second)
{
	const size_t size = strlen(first) + 1 + strlen(second) + 1;
	char *path = malloc(size);

	if (!path)
		abort(); /* only this job is lost */
	(void)snprintf(path, size, "%s/%s", first, second);
	return path;
}

/* The slice that contains the unit. */
static char *parent_of(const char *path)
{
	char *parent = join(TOP, path);

	*strrchr(parent, '/') = '\0';
	return parent;
}

static bool complain(const char *what, const char *path)
{
	(void)fprintf(stderr, "svc-session: %s %s: %s\n", what, path, strerror(errno));
	return false;
}

static void pause_ms(long ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000L };

	(void)nanosleep(&pause, NULL); /* a shorter pause does no harm */
}

bool cgroup_is_available(void)
{
	struct statfs fs;

	if (statfs(TOP, &fs) == 0 && (unsigned long)fs.f_type == CGROUP2_SUPER_MAGIC)
		return true;
	(void)fprintf(stderr, "svc-session: " TOP " is not cgroup v2, which sessions need\n");
	return false;
}

bool cgroup_write(const char *path, const char *file, const char *text)
{
	auto_path char *directory = join(TOP, path);
	auto_path char *name = join(directory, file);
	const int fd = open(name, O_WRONLY | O_CLOEXEC);
	const ssize_t length = (ssize_t)strlen(text);
	bool is_written;

	if (fd < 0)
		return false;
	is_written = write(fd, text, (size_t)length) == length;
	(void)close(fd);
	return is_written;
}

/* --- making --- */

/* A machine without one of them runs sessions without it, as systemd does. */
static void enable_controllers(const char *path)
{
	static const char *const controllers[] = { "+cpu", "+memory", "+pids" };

	for (size_t i = 0; i < sizeof(controllers) / sizeof(controllers[0]); i++)
		(void)cgroup_write(path, "cgroup.subtree_control", controllers[i]);
}

static bool make_once(const char *path)
{
	auto_path char *full = join(TOP, path);
	char *slash;

	for (slash = strchr(full + strlen(TOP) + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(full, 0711) < 0 && errno != EEXIST)
			return false;
		if (!slash)
			return true;
		*slash = '/';
	}
}

bool cgroup_make(const char *path)
{
	(void)make_once(USER_SLICE);
	enable_controllers(".");
	enable_controllers(USER_SLICE);
	for (int i = 0; i < MAKE_ATTEMPTS; i++) {
		if (make_once(path))
			return true;
		if (errno != ENOENT)
			break;
	}
	return complain("cannot make the cgroup", path);
}

bool cgroup_delegate(const char *path, uid_t uid)
{
	static const char *const files[] = { ".", "cgroup.procs", "cgroup.subtree_control",
					     "cgroup.threads" };
	auto_path char *full = join(TOP, path);
	auto_path char *slice = parent_of(path);

	enable_controllers(slice + strlen(TOP) + 1);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		auto_path char *name = join(full, files[i]);

		if (chown(name, uid, (gid_t)-1) < 0)
			return complain("cannot delegate", name);
	}
	return chmod(full, 0755) == 0 || complain("cannot delegate", full);
}

bool cgroup_add_process(const char *path, pid_t pid)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%d", pid);
	return cgroup_write(path, "cgroup.procs", text) ||
	       complain("cannot move the process to", path);
}

/* --- waiting --- */

static long now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_populated(int events)
{
	char text[256];
	const ssize_t n = pread(events, text, sizeof text - 1, 0);

	if (n < 0)
		return false; /* it has been removed */
	text[n] = '\0';
	return strstr(text, "populated 1") != NULL;
}

bool cgroup_wait_empty(const char *path, int timeout_ms)
{
	const long end_ms = now_ms() + timeout_ms;
	auto_path char *directory = join(TOP, path);
	auto_path char *name = join(directory, "cgroup.events");
	struct pollfd events = { .fd = open(name, O_RDONLY | O_CLOEXEC), .events = POLLPRI };
	bool is_empty;

	if (events.fd < 0)
		return true;
	while (!(is_empty = !is_populated(events.fd)) && (timeout_ms < 0 || now_ms() < end_ms))
		(void)poll(&events, 1, timeout_ms < 0 ? -1 : (int)(end_ms - now_ms()) + 1);
	(void)close(events.fd);
	return is_empty;
}

/* --- walking --- */

/* Names that begin with a dot are left out. */
static void foreach_name(const char *directory, NameFunc function, void *data)
{
	DIR *stream = opendir(directory);
	struct dirent *entry;

	while (stream && (entry = readdir(stream)) != NULL)
		if (entry->d_type == DT_DIR && *entry->d_name != '.')
			function(directory, entry->d_name, data);
	if (stream)
		(void)closedir(stream);
}

static void remove_tree(const char *directory, const char *name, void *data)
{
	auto_path char *full = join(directory, name);

	foreach_name(full, remove_tree, data);
	/* the kernel may still count a process that has just ended */
	for (int i = 0; rmdir(full) < 0 && errno == EBUSY && i < REMOVE_ATTEMPTS; i++)
		pause_ms(PAUSE_MS);
}

void cgroup_remove(const char *path)
{
	auto_path char *slice = parent_of(path);

	remove_tree(TOP, path, NULL);
	(void)rmdir(slice); /* fails while other units of the user exist */
}

typedef struct Visit {
	void (*function)(pid_t pid, int number);
	int number;
	bool is_deep;
} Visit;

static void visit(const char *directory, const char *name, void *data)
{
	const Visit *call = data;
	auto_path char *full = join(directory, name);
	auto_path char *file = join(full, "cgroup.procs");
	FILE *pids = fopen(file, "re");
	int pid;

	while (pids && fscanf(pids, "%d", &pid) == 1)
		if (pid > 0)
			call->function(pid, call->number);
	if (pids)
		(void)fclose(pids);
	if (call->is_deep)
		foreach_name(full, visit, data);
}

void cgroup_foreach_process(const char *path, bool is_deep, void (*function)(pid_t pid, int number),
			    int number)
{
	Visit call = { .function = function, .number = number, .is_deep = is_deep };

	visit(TOP, path, &call);
}

/* --- the list --- */

static void print_unit(const char *directory, const char *name, void *data)
{
	const unsigned *uid = data;
	const char *suffix = strrchr(name, '.');

	(void)directory;
	if (suffix && (strcmp(suffix, ".scope") == 0 || strncmp(name, "user@", 5) == 0))
		(void)printf("%u %s\n", *uid, name);
}

static void print_slice(const char *directory, const char *name, void *data)
{
	auto_path char *full = join(directory, name);
	unsigned uid;

	(void)data;
	if (sscanf(name, "user-%u.slice", &uid) == 1)
		foreach_name(full, print_unit, &uid);
}

/* An ended session leaves no directory here: systemd-user-runtime-dir removes it. */
static void print_runtime_dir(const char *directory, const char *name, void *data)
{
	char *end;
	const unsigned long uid = strtoul(name, &end, 10);

	(void)directory;
	(void)data;
	if (!*end)
		(void)printf("%lu user-runtime-dir@%lu.service\n", uid, uid);
}

void cgroup_list_units(void)
{
	foreach_name(TOP "/" USER_SLICE, print_slice, NULL);
	foreach_name(USER_RUNTIME, print_runtime_dir, NULL);
}
