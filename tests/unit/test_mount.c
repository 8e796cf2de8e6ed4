/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounts: the mount points below which files may have changed.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loop/loop.h"
#include "providers/mount.h"
#include "tests/lib/deadline.h"
#include "tests/lib/suite.h"

static GHashTable *seen; /* points reported since the last check */

static Level reported;

static void on_report(void *data, const char *key, Level level, const char *why)
{
	reported = level;
}

static void on_changed(void *data, GHashTable *points)
{
	GHashTableIter iter;
	gpointer point;

	ck_assert_ptr_nonnull(points);
	g_hash_table_iter_init(&iter, points);
	while (g_hash_table_iter_next(&iter, &point, NULL))
		g_hash_table_add(seen, g_strdup(point));
}

/* Runs the loop until @point is reported. Returns: whether the root was reported, too. */
static bool is_root_reported_by(const char *point)
{
	const int64_t end_us = g_get_monotonic_time() + DEADLINE_US;
	bool is_reported;

	while (!g_hash_table_contains(seen, point)) {
		ck_assert_int_lt(g_get_monotonic_time(), end_us);
		g_main_context_iteration(NULL, FALSE);
	}
	is_reported = g_hash_table_contains(seen, "/");
	g_hash_table_remove_all(seen);
	return is_reported;
}

static void remount_root(unsigned long flags)
{
	ck_assert_int_eq(mount("none", "/", NULL, MS_REMOUNT | MS_BIND | flags, NULL), 0);
}

START_TEST(a_root_that_becomes_writable_is_what_it_was)
{
	const ProviderSink sink = { on_report, NULL };
	Provider *mounts;

	if (unshare(CLONE_NEWNS) < 0)
		return; /* only root may unshare mounts */
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	remount_root(MS_RDONLY);
	seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	mounts = mount_provider_new(&sink, open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC),
				    on_changed, NULL);

	remount_root(0);
	ck_assert_int_eq(mount("none", "/tmp", "tmpfs", 0, NULL), 0);
	ck_assert(!is_root_reported_by("/tmp"));

	remount_root(MS_NOEXEC);
	ck_assert(is_root_reported_by("/"));

	ck_assert_int_eq(mount("none", "/tmp", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
	ck_assert(!is_root_reported_by("/tmp"));

	/* One mount on top of the other. */
	ck_assert_int_eq(mount("none", "/", "tmpfs", 0, NULL), 0);
	ck_assert(is_root_reported_by("/"));

	mounts->free(mounts);
	g_hash_table_unref(seen);
}
END_TEST

static void run_until_level(Level level)
{
	const int64_t end_us = g_get_monotonic_time() + DEADLINE_US;

	while (reported != level) {
		ck_assert_int_lt(g_get_monotonic_time(), end_us);
		g_main_context_iteration(NULL, FALSE);
	}
}

/* Like a machine where /proc hangs, or without free descriptors. */
START_TEST(the_table_is_read_again_without_opening_it)
{
	const ProviderSink sink = { on_report, NULL };
	struct rlimit all;
	struct rlimit none;
	int next;
	Provider *mounts;

	if (unshare(CLONE_NEWNS) < 0)
		return; /* only root may unshare mounts */
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	mounts = mount_provider_new(&sink, open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), NULL,
				    NULL);
	mounts->subscribe(mounts, "mounted:/mnt");
	ck_assert_int_eq(reported, LEVEL_FALSE);

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	next = dup(STDIN_FILENO);
	none = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = all.rlim_max };
	(void)close(next);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(mount("none", "/mnt", "tmpfs", 0, NULL), 0);
	run_until_level(LEVEL_TRUE);
	ck_assert_int_eq(umount("/mnt"), 0);
	run_until_level(LEVEL_FALSE);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);

	mounts->free(mounts);
}
END_TEST

/* As in a chroot, or if the file system of the root was detached. */
START_TEST(an_empty_table_has_no_mount_point)
{
	const ProviderSink sink = { on_report, NULL };
	Provider *mounts = mount_provider_new(&sink, memfd_create("mountinfo", MFD_CLOEXEC), NULL, NULL);

	mounts->subscribe(mounts, "mounted:/mnt");
	ck_assert_int_eq(reported, LEVEL_FALSE);
	mounts->free(mounts);
}
END_TEST

/*
 * A table of a machine with its root on NFS. The last line for a mount point describes its topmost
 * mount.
 */
START_TEST(the_root_and_usr_are_local_whatever_they_are)
{
	static const char table[] = "1 0 0:1 / / rw - nfs4 server:/root rw\n"
				    "2 1 0:2 / /usr rw - nfs4 server:/usr rw\n"
				    "3 1 0:3 / /srv rw - ext4 /dev/sda1 rw\n"
				    "4 3 0:4 / /srv rw - nfs4 server:/srv rw\n"
				    "5 1 0:5 / /home rw - fuse.sshfs host:/home rw\n"
				    "6 1 0:6 / /var rw - ext4 /dev/sda2 rw\n"
				    "7 1 0:7 / /net rw - autofs /etc/auto.net rw\n";
	const ProviderSink sink = { on_report, NULL };
	const int fd = memfd_create("mountinfo", MFD_CLOEXEC);
	Provider *mounts;

	ck_assert_int_eq(write(fd, table, strlen(table)), strlen(table));
	mounts = mount_provider_new(&sink, fd, NULL, NULL);

	ck_assert_int_eq(mount_provider_kind(mounts, "/"), MOUNT_LOCAL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/usr"), MOUNT_LOCAL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/srv"), MOUNT_REMOTE);
	ck_assert_int_eq(mount_provider_kind(mounts, "/home"), MOUNT_REMOTE);
	ck_assert_int_eq(mount_provider_kind(mounts, "/var"), MOUNT_LOCAL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/net"), MOUNT_AUTOMATIC);
	ck_assert_int_eq(mount_provider_kind(mounts, "/usr/lib"), MOUNT_NONE);
	mounts->free(mounts);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("mount");

	ADD_CASE(suite, "mount", a_root_that_becomes_writable_is_what_it_was,
		 the_table_is_read_again_without_opening_it,
		 an_empty_table_has_no_mount_point, the_root_and_usr_are_local_whatever_they_are);
	return suite;
}
