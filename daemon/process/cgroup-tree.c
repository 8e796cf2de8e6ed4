/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroup tree: walks a control group and all groups below it. */
#include "config.h"

#include "process/cgroup-tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/fd.h"

/* cgroup.procs with LIMIT_CGROUP_PIDS lines of the longest pid. */
#define PROCS_BYTES (LIMIT_CGROUP_PIDS * 12)

size_t cgroup_file_read(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t n;

	do {
		n = pread(fd, text + length, size - 1 - length, (off_t)length);
		length += n > 0 ? (size_t)n : 0;
	} while (n > 0 && length < size - 1);
	text[length] = '\0';
	return length;
}

/* --- walking --- */

/* Calls @visit for each group below @fd, then for @fd itself. */
static void walk(int fd, unsigned depth,
		 void (*visit)(int fd, int parent_fd, const char *name, void *data), void *data)
{
	/* Opens a second descriptor, because closedir(3) closes the descriptor of a DIR. */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own < 0 ? NULL : fdopendir(own);
	struct dirent *entry;

	if (!dir) {
		if (own >= 0)
			(void)close(own);
		return;
	}
	while ((entry = readdir(dir))) {
		auto_fd int child = -1;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		child = openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child < 0)
			continue;
		if (depth < LIMIT_CGROUP_DEPTH)
			walk(child, depth + 1, visit, data);
		visit(child, fd, entry->d_name, data);
	}
	(void)closedir(dir);
}

void cgroup_pids_read(int fd, GArray *pids)
{
	auto_fd int procs = openat(fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	g_autofree char *text = g_malloc(PROCS_BYTES);
	char *at = text;
	char *end;

	/* EOPNOTSUPP: a threaded group. The group above it lists its processes. */
	if (procs < 0 || cgroup_file_read(procs, text, PROCS_BYTES) == 0)
		return;
	for (;;) {
		long pid = strtol(at, &end, 10);
		pid_t value = (pid_t)pid;

		if (end == at || pids->len >= LIMIT_CGROUP_PIDS)
			return;
		at = end;
		if (pid > 0) /* 0: a process of another PID namespace */
			g_array_append_val(pids, value);
	}
}

static void add_pids(int fd, int parent_fd, const char *name, void *data)
{
	(void)parent_fd;
	(void)name;
	cgroup_pids_read(fd, data);
}

static void remove_group(int fd, int parent_fd, const char *name, void *data)
{
	(void)fd;
	(void)data;
	(void)unlinkat(parent_fd, name, AT_REMOVEDIR); /* a populated group stays */
}

GArray *cgroup_tree_pids(const char *path)
{
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return pids;
	walk(fd, 0, add_pids, pids);
	cgroup_pids_read(fd, pids);
	return pids;
}

void cgroup_tree_clear(const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		walk(fd, 0, remove_group, NULL);
}

bool pids_contain(const GArray *pids, pid_t pid)
{
	for (guint i = 0; i < pids->len; i++) {
		if (g_array_index(pids, pid_t, i) == pid)
			return true;
	}
	return false;
}

/*
 * The kernel may reuse a listed pid before the signal is sent. So pidfds are opened, the list is
 * read again, and only processes that are still listed are signalled. A pidfd always refers to the
 * same process.
 */
void pids_signal(GArray *(*list)(const void *group), const void *group, int signo, pid_t except)
{
	g_autoptr(GArray) before = list(group);

	for (guint first = 0; first < before->len; first += 64) {
		g_autoptr(GArray) now = NULL;
		int fds[64];
		guint n = MIN(before->len - first, G_N_ELEMENTS(fds));

		for (guint i = 0; i < n; i++)
			fds[i] = pidfd_open(g_array_index(before, pid_t, first + i), 0);
		now = list(group);
		for (guint i = 0; i < n; i++) {
			pid_t pid = g_array_index(before, pid_t, first + i);

			if (fds[i] < 0)
				continue;
			if (pid != except && pids_contain(now, pid))
				/* ESRCH: the process is gone, as wanted */
				(void)pidfd_send_signal(fds[i], signo, NULL, 0);
			fd_close(&fds[i]);
		}
	}
}
