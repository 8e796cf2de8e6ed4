/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File systems: unmounts the file systems in /proc/self/mounts, from the last line to the first,
 * several times.
 *
 * The manager has unmounted, in order, the file systems of its services. The remaining file systems
 * are the root, busy ones, and those that were mounted by hand.
 */
#include "config.h"

#include "finale/file-systems.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <unistd.h>

#include "finale/console-line.h"

#define TABLE_BYTES (256 * 1024)
#define MAX_MOUNTS 4096
#define PASSES 4 /* a mount may keep another one busy */

static char table[TABLE_BYTES];

struct Mount {
	char *target;
	const char *type;
};

static struct Mount mounts[MAX_MOUNTS];

/* These types hold no data to save, and PID 1 needs some of them to the end. */
static const char *const kernel_types[] = {
	"proc",        "sysfs",      "devtmpfs",   "devpts",  "tmpfs",    "ramfs",
	"cgroup",      "cgroup2",    "securityfs", "debugfs", "tracefs",  "pstore",
	"bpf",         "mqueue",     "hugetlbfs",  "autofs",  "configfs", "efivarfs",
	"binfmt_misc", "rpc_pipefs", "rootfs",     "fusectl", "nsfs",     "selinuxfs",
};

static bool read_table(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while (used < sizeof(table) - 1 &&
	       (n = read(fd, table + used, sizeof(table) - 1 - used)) > 0)
		used += (size_t)n;
	(void)close(fd); /* it was only read */
	table[used] = '\0';
	return used > 0;
}

/*
 * The kernel writes blanks, tabs, newlines and backslashes in a path as \ and three octal digits
 * (proc(5)).
 */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 +
				       (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

/* Cuts the lines of "device target type …" apart in place. Returns: the number of lines. */
static size_t parse_mounts(void)
{
	char *rest = NULL;
	size_t n = 0;

	for (char *line = strtok_r(table, "\n", &rest); line && n < MAX_MOUNTS;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *tokens = NULL;

		(void)strtok_r(line, " ", &tokens);
		mounts[n].target = strtok_r(NULL, " ", &tokens);
		mounts[n].type = strtok_r(NULL, " ", &tokens);
		if (mounts[n].target && mounts[n].type)
			unescape(mounts[n++].target);
	}
	return n;
}

static bool holds_data(const struct Mount *m)
{
	for (size_t i = 0; i < sizeof(kernel_types) / sizeof(kernel_types[0]); i++)
		if (strcmp(m->type, kernel_types[i]) == 0)
			return false;
	return true;
}

/* Returns: the number of unmounted file systems. */
static size_t unmount_pass(size_t n_mounts)
{
	size_t n_done = 0;

	for (size_t i = n_mounts; i-- > 0;) {
		struct Mount *m = &mounts[i];

		if (!m->target || !holds_data(m) || strcmp(m->target, "/") == 0 ||
		    strcmp(m->target, "/usr") == 0)
			continue;
		if (umount2(m->target, UMOUNT_NOFOLLOW) < 0)
			continue;
		m->target = NULL;
		n_done++;
	}
	return n_done;
}

static void make_read_only(size_t n_mounts)
{
	for (size_t i = n_mounts; i-- > 0;) {
		const struct Mount *m = &mounts[i];

		if (!m->target || !holds_data(m))
			continue;
		if (mount(NULL, m->target, NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0 &&
		    errno != EROFS)
			console_line_print("cannot make %s read-only: %s", m->target,
					   strerror(errno));
	}
}

static void end_swap(void)
{
	char *rest = NULL;

	if (!read_table("/proc/swaps"))
		return;
	(void)strtok_r(table, "\n", &rest); /* the heading */
	for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, " \t")] = '\0';
		unescape(line);
		if (swapoff(line) < 0)
			console_line_print("cannot switch off swap %s: %s", line, strerror(errno));
	}
}

void file_systems_end(void)
{
	size_t n;

	console_line_print("unmounting file systems");
	sync();
	end_swap();
	if (!read_table("/proc/self/mounts")) {
		console_line_print(
			"cannot read /proc/self/mounts: only the root is made read-only");
		/* a failure has no remedy */
		(void)mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
		sync();
		return;
	}
	n = parse_mounts();
	for (int pass = 0; pass < PASSES && unmount_pass(n) > 0; pass++)
		;
	make_read_only(n);
	sync();
}
