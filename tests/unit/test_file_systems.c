/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The end of file systems: which are unmounted, and in which order. The linker (--wrap) replaces
 * the system calls with functions that only record them.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "finale/file-systems.h"
#include "tests/lib/suite.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_umount2(const char *target, int flags);
int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data);
int __wrap_swapoff(const char *path);
void __wrap_sync(void);

static const char *mounts;
static const char *swaps;
static const char *busy; /* cannot be unmounted or detached at first */
static char done[1024];

static void write_down(const char *what, const char *name)
{
	size_t length = strlen(done);

	(void)snprintf(done + length, sizeof(done) - length, "%s%s%s\n", what, name[0] ? " " : "",
		       name);
}

static int file_with(const char *text)
{
	int fd = memfd_create("table", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
	const char *text = strcmp(path, "/proc/self/mounts") == 0 ? mounts : swaps;
	va_list more;
	int mode;

	if (strcmp(path, "/proc/self/mounts") == 0 || strcmp(path, "/proc/swaps") == 0) {
		errno = ENOENT;
		return text ? file_with(text) : -1;
	}
	va_start(more, flags);
	mode = va_arg(more, int);
	va_end(more);
	return __real_open(path, flags, mode);
}

int __wrap_umount2(const char *target, int flags)
{
	ck_assert_int_eq(flags, UMOUNT_NOFOLLOW);
	if (busy && strcmp(target, busy) == 0) {
		busy = NULL;
		errno = EBUSY;
		return -1;
	}
	write_down("umount", target);
	return 0;
}

int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data)
{
	ck_assert(!source && !type && !data);
	ck_assert_uint_eq(flags, MS_REMOUNT | MS_RDONLY);
	write_down("read-only", target);
	errno = EBUSY;
	return strcmp(target, "/usr") == 0 ? -1 : 0;
}

int __wrap_swapoff(const char *path)
{
	write_down("swapoff", path);
	errno = ENOMEM;
	return busy && strcmp(path, busy) == 0 ? -1 : 0;
}

void __wrap_sync(void)
{
	write_down("sync", "");
}

START_TEST(file_systems_with_data_are_unmounted_last_first_and_the_rest_is_made_read_only)
{
	mounts = "/dev/vda1 / ext4 rw 0 0\n"
		 "proc /proc proc rw 0 0\n"
		 "/dev/vda2 /usr ext4 rw 0 0\n"
		 "/dev/vdb /srv ext4 rw 0 0\n"
		 "tmpfs /run tmpfs rw 0 0\n"
		 "/dev/vdc /srv/with\\040blank\\011tab xfs rw 0 0\n"
		 "a that line is none\n"
		 "broken\n";
	swaps = "Filename Type Size Used Priority\n/dev/vdd1\tpartition\t1\t0\t-2\n/swap\\040file "
		"file 1 0 -3\n";
	busy = "/srv";

	file_systems_end();

	ck_assert_str_eq(done, "sync\nswapoff /dev/vdd1\nswapoff /swap file\n"
			       "umount that\numount /srv/with blank\ttab\numount /srv\n"
			       "read-only /usr\nread-only /\nsync\n");
}
END_TEST

START_TEST(without_a_table_the_root_is_made_read_only)
{
	file_systems_end();

	ck_assert_str_eq(done, "sync\nread-only /\nsync\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("file systems");

	ADD_CASE(suite, "end",
		 file_systems_with_data_are_unmounted_last_first_and_the_rest_is_made_read_only,
		 without_a_table_the_root_is_made_read_only);
	return suite;
}
