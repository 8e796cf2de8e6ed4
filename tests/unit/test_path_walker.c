/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The path walker on a real file system: it sees each event on the way to a path.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "providers/path-walker.h"
#include "tests/lib/deadline.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

static char *root;
static PathWalker *walker;
static Level level;
static char *why;
static uint64_t watched; /* the ID of the last watch */
static uint64_t looking; /* 0: none */
static unsigned n_reports;
static char *far; /* a mount point, or NULL */
static MountPointKind kind;

static void on_begin(void *data, uint64_t id)
{
	looking = id;
}

static void on_rest(void *data)
{
	looking = 0;
}

static void on_found(void *data, uint64_t id, const PathFinding *finding)
{
	ck_assert_uint_eq(id, looking);
	if (id != watched)
		return;
	level = finding->level;
	g_free(why);
	why = g_strdup(finding->why);
	n_reports++;
}

static MountPointKind on_kind(void *data, const char *place)
{
	return g_strcmp0(place, far) == 0 ? kind : MOUNT_NONE;
}

static void set_up(void)
{
	const PathWalkerOps ops = {
		.kind = on_kind, .begin = on_begin, .rest = on_rest, .found = on_found
	};

	root = scratch_new();
	walker = path_walker_new(&ops, NULL);
	level = LEVEL_UNKNOWN;
	n_reports = 0;
	kind = MOUNT_NONE;
	far = g_build_filename(root, "far", NULL);
}

static void tear_down(void)
{
	path_walker_free(walker);
	g_clear_pointer(&root, scratch_free);
	g_clear_pointer(&why, g_free);
	g_clear_pointer(&far, g_free);
}

static char *in_root(const char *name)
{
	return g_build_filename(root, name, NULL);
}

static void watch_for(const char *test, const char *name, PathReports reports)
{
	g_autofree char *path = in_root(name);
	g_autofree char *argument = g_strconcat(test, path, NULL);

	path_walker_add(walker, ++watched, argument, reports);
	ck_assert_uint_eq(looking, 0);
}

static void watch(const char *test, const char *name)
{
	watch_for(test, name, PATH_REPORT_CHANGES);
}

static void write_file(const char *name, const char *text, int mode)
{
	g_autofree char *path = in_root(name);

	ck_assert(g_file_set_contents(path, text, -1, NULL));
	ck_assert_int_eq(chmod(path, (mode_t)mode), 0);
}

static void make_directory(const char *name)
{
	g_autofree char *path = in_root(name);

	ck_assert_int_eq(g_mkdir_with_parents(path, 0755), 0);
}

static void move(const char *from, const char *to)
{
	g_autofree char *old = in_root(from);
	g_autofree char *new = in_root(to);

	ck_assert_int_eq(g_rename(old, new), 0);
}

static void point_link(const char *name, const char *target)
{
	g_autofree char *path = in_root(name);

	(void)unlink(path);
	ck_assert_int_eq(symlink(target, path), 0);
}

#define TURN_UNTIL(condition)                                                           \
	do {                                                                            \
		const int64_t end = loop_now() + DEADLINE_US;                           \
		while (!(condition)) {                                                  \
			ck_assert_msg(loop_now() < end, "not in time: %s", #condition); \
			g_main_context_iteration(NULL, FALSE);                          \
		}                                                                       \
	} while (0)

static void expect_level(Level expected)
{
	const int64_t end = loop_now() + DEADLINE_US;

	while (level != expected && loop_now() < end)
		g_main_context_iteration(NULL, FALSE);
	ck_assert_msg(level == expected, "it is %s (%s), not %s", level_name(level), why,
		      level_name(expected));
}

START_TEST(present_level_is_reported_at_once)
{
	write_file("there", "x", 0644);

	watch("", "there");

	ck_assert_int_eq(level, LEVEL_TRUE);
	ck_assert_uint_eq(n_reports, 1);
}
END_TEST

START_TEST(a_file_appears_and_goes)
{
	g_autofree char *path = in_root("file");

	watch("", "file");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "it does not exist");

	write_file("file", "x", 0644);
	expect_level(LEVEL_TRUE);

	ck_assert_int_eq(unlink(path), 0);
	expect_level(LEVEL_FALSE);
}
END_TEST

START_TEST(a_path_appears_below_directories_that_did_not_exist)
{
	watch("", "a/b/c/file");
	ck_assert_int_eq(level, LEVEL_FALSE);

	make_directory("a/b/c");
	write_file("a/b/c/file", "x", 0644);
	expect_level(LEVEL_TRUE);

	move("a", "elsewhere");
	expect_level(LEVEL_FALSE);

	move("elsewhere", "a");
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(a_directory_is_replaced_by_another_with_the_same_name)
{
	make_directory("current");
	make_directory("next");
	write_file("current/file", "x", 0644);
	watch("", "current/file");
	ck_assert_int_eq(level, LEVEL_TRUE);

	move("current", "old");
	move("next", "current");
	expect_level(LEVEL_FALSE);

	write_file("current/file", "x", 0644);
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(links_are_followed_and_watched)
{
	make_directory("real");
	point_link("by-link", "real");
	watch("", "by-link/name");
	ck_assert_int_eq(level, LEVEL_FALSE);

	point_link("real/name", "target");
	write_file("real/target", "x", 0644);
	expect_level(LEVEL_TRUE);

	move("real/target", "real/other");
	expect_level(LEVEL_FALSE);

	point_link("real/name", "other");
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(a_link_to_itself_is_no_path)
{
	point_link("loop", "loop");

	watch("", "loop");

	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "there are too many links or directories on the way to it");
}
END_TEST

START_TEST(executable_means_a_file_with_an_x_bit)
{
	g_autofree char *path = in_root("program");

	write_file("program", "#!/bin/sh\n", 0644);
	watch("exec:", "program");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "it is not executable");

	ck_assert_int_eq(chmod(path, 0755), 0);
	expect_level(LEVEL_TRUE);
}
END_TEST

static void expect_why(const char *expected)
{
	TURN_UNTIL(g_strcmp0(why, expected) == 0);
}

START_TEST(program_that_is_being_written_is_neither_there_nor_absent)
{
	g_autofree char *path = in_root("program");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
	watch("exec:", "program");
	ck_assert_int_eq(level, LEVEL_UNKNOWN);
	ck_assert_str_eq(why, "it is being written");

	fd_close(&fd);
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(empty_file_is_no_program)
{
	g_autofree char *path = in_root("program");
	int fd;

	write_file("program", "", 0755);
	watch("exec:", "program");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "it is empty");

	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(write(fd, "#!/bin/sh\n", 10), 10);
	fd_close(&fd);
	expect_level(LEVEL_TRUE);
}
END_TEST

/* At first the file contains only the first bytes of this test's program, and later all of it. */
START_TEST(program_that_was_cut_short_is_none)
{
	const size_t lengths[] = { 10, 100, 5000 };
	g_autofree char *path = in_root("program");
	g_autofree char *content = NULL;
	size_t length;

	ck_assert(g_file_get_contents("/proc/self/exe", &content, &length, NULL));
	watch("exec:", "program");
	for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
		g_autofree char *part = g_memdup2(content, lengths[i]);

		ck_assert(g_file_set_contents_full(path, part, (gssize)lengths[i],
						   G_FILE_SET_CONTENTS_CONSISTENT, 0755, NULL));
		expect_why("it is not complete");
		ck_assert_int_eq(level, LEVEL_FALSE);
		ck_assert_int_eq(unlink(path), 0);
		expect_why("it does not exist");
	}
	ck_assert(g_file_set_contents_full(path, content, (gssize)length,
					   G_FILE_SET_CONTENTS_CONSISTENT, 0755, NULL));
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(a_directory_is_required)
{
	write_file("place", "x", 0644);
	watch("dir:", "place");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "it is not a directory");
}
END_TEST

START_TEST(nonempty_file_and_directory)
{
	g_autofree char *path = in_root("file");

	write_file("file", "", 0644);
	watch("nonempty:", "file");
	ck_assert_int_eq(level, LEVEL_FALSE);
	g_autofree char *command = g_strdup_printf("echo x >>'%s'", path);
	ck_assert_int_eq(system(command), 0);
	expect_level(LEVEL_TRUE);
	path_walker_remove(walker, watched);

	make_directory("directory");
	watch("nonempty:", "directory");
	ck_assert_int_eq(level, LEVEL_FALSE);
	write_file("directory/entry", "", 0644);
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(only_changes_are_reported)
{
	watch("", "file");
	n_reports = 0;

	write_file("unrelated", "x", 0644);
	write_file("file", "x", 0644);
	expect_level(LEVEL_TRUE);

	ck_assert_uint_eq(n_reports, 1);
}
END_TEST

START_TEST(each_look_is_reported_on_request)
{
	g_autofree char *path = in_root("file");

	write_file("file", "", 0644);
	watch_for("", "file", PATH_REPORT_LOOKS);
	ck_assert_uint_eq(n_reports, 1);

	ck_assert_int_eq(chmod(path, 0600), 0);
	TURN_UNTIL(n_reports == 2);
	ck_assert_int_eq(level, LEVEL_TRUE);
}
END_TEST

/* Each link leads through the previous one, twice. */
START_TEST(a_maze_of_links_ends_somewhere)
{
	point_link("maze0", ".");
	for (unsigned i = 1; i < 30; i++) {
		g_autofree char *name = g_strdup_printf("maze%u", i);
		g_autofree char *target = g_strdup_printf("maze%u/maze%u", i - 1, i - 1);

		point_link(name, target);
	}
	watch("", "maze29/file");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "there are too many links or directories on the way to it");
}
END_TEST

START_TEST(a_link_with_many_names_counts_them_all)
{
	g_autoptr(GString) target = g_string_new(".");

	for (unsigned i = 0; i < 130; i++)
		g_string_append(target, "/.");
	point_link("once", target->str);
	point_link("twice", "once/once");
	watch("", "once");
	ck_assert_int_eq(level, LEVEL_TRUE);
	watch("", "twice");
	ck_assert_int_eq(level, LEVEL_FALSE);
	ck_assert_str_eq(why, "there are too many links or directories on the way to it");

	point_link("twice", "once");
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(a_walk_ends_at_a_mount_that_may_not_answer)
{
	g_autoptr(GHashTable) points = g_hash_table_new(g_str_hash, g_str_equal);
	g_autofree char *expected =
		g_strdup_printf("it is on a network or FUSE file system; use mounted:%s", far);

	kind = MOUNT_REMOTE;
	make_directory("near");
	point_link("link", "near/../far");
	watch("dir:", "link/a");
	ck_assert_str_eq(why, expected);
	ck_assert_int_eq(level, LEVEL_UNKNOWN);

	kind = MOUNT_NONE;
	g_hash_table_add(points, far);
	path_walker_look_below(walker, points);
	ck_assert_int_eq(level, LEVEL_FALSE);
	make_directory("far/a");
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(an_automount_is_left_alone)
{
	g_autofree char *expected =
		g_strdup_printf("nothing is mounted at %s yet, and a check would mount it", far);

	kind = MOUNT_AUTOMATIC;
	watch("", "far/a");
	ck_assert_int_eq(level, LEVEL_UNKNOWN);
	ck_assert_str_eq(why, expected);
}
END_TEST

START_TEST(nothing_is_reported_after_unsubscribing)
{
	watch("", "file");
	path_walker_remove(walker, watched);
	n_reports = 0;

	write_file("file", "x", 0644);
	while (g_main_context_iteration(NULL, FALSE))
		;

	ck_assert_uint_eq(n_reports, 0);
}
END_TEST

START_TEST(everything_is_looked_at_again_when_asked)
{
	watch("", "file");
	path_walker_look_below(walker, NULL);
	ck_assert_uint_eq(n_reports, 1);
}
END_TEST

/* The watch of the first path includes the directory, but has not read the latest events. */
START_TEST(second_path_sees_a_directory_that_has_just_been_replaced)
{
	g_autofree char *file = in_root("new");

	make_directory("bin.old");
	point_link("bin", "bin.old");
	watch("", "bin/one");
	ck_assert_int_eq(level, LEVEL_FALSE);
	make_directory("bin.new");
	write_file("bin.new/two", "", 0644);
	point_link("bin", "bin.new");

	watch("", "bin/two");

	expect_level(LEVEL_TRUE);
	move("bin.new/two", "new");
	expect_level(LEVEL_FALSE);
	ck_assert_int_eq(unlink(file), 0);
}
END_TEST

START_TEST(way_is_forgotten_with_the_last_path_on_it)
{
	make_directory("bin");
	for (unsigned i = 0; i < 3; i++) {
		watch("", "bin/one");
		path_walker_remove(walker, watched);
	}
	watch("", "bin/one");
	write_file("bin/one", "", 0644);
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(a_user_sees_when_a_directory_may_be_entered)
{
	g_autofree char *closed = in_root("closed");

	make_directory("closed");
	write_file("closed/file", "", 0644);
	ck_assert_int_eq(chmod(root, 0755), 0);
	ck_assert_int_eq(chmod(closed, 0700), 0);
	ck_assert_int_eq(seteuid(65534), 0);
	watch("", "closed/file");
	expect_level(LEVEL_FALSE);

	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(closed, 0755), 0);
	ck_assert_int_eq(seteuid(65534), 0);

	expect_level(LEVEL_TRUE);
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* The result does not depend on an event before the change, such as that of "beside". */
START_TEST(way_is_forgotten_when_a_link_on_it_leads_elsewhere)
{
	make_directory("first");
	make_directory("second");
	write_file("second/file", "", 0644);
	point_link("link", "first");
	watch("", "link/other");
	expect_level(LEVEL_FALSE);
	for (unsigned i = 0; i < 3; i++) {
		write_file("beside", "", 0644);
		watch("", "link/file");
		expect_level(i % 2 ? LEVEL_TRUE : LEVEL_FALSE);
		point_link("link", i % 2 ? "first" : "second");
		expect_level(i % 2 ? LEVEL_FALSE : LEVEL_TRUE);
	}
	point_link("link", "second");
	expect_level(LEVEL_TRUE);
}
END_TEST

START_TEST(any_number_of_paths_may_share_a_directory)
{
	make_directory("bin");
	for (unsigned i = 0; i < 200; i++) {
		g_autofree char *dots = g_strnfill(i, '/');
		g_autofree char *name = g_strdup_printf("bin/.%s/one", dots);

		watch("", name);
	}
	write_file("bin/one", "", 0644);
	expect_level(LEVEL_TRUE);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("path-walker");

	ADD_CASE_AROUND(suite, "path", set_up, tear_down, present_level_is_reported_at_once,
			a_file_appears_and_goes,
			a_path_appears_below_directories_that_did_not_exist,
			a_directory_is_replaced_by_another_with_the_same_name,
			links_are_followed_and_watched, a_link_to_itself_is_no_path,
			executable_means_a_file_with_an_x_bit,
			program_that_is_being_written_is_neither_there_nor_absent,
			empty_file_is_no_program, program_that_was_cut_short_is_none,
			a_directory_is_required, nonempty_file_and_directory,
			only_changes_are_reported, each_look_is_reported_on_request,
			nothing_is_reported_after_unsubscribing,
			everything_is_looked_at_again_when_asked,
			second_path_sees_a_directory_that_has_just_been_replaced,
			way_is_forgotten_with_the_last_path_on_it,
			any_number_of_paths_may_share_a_directory,
			a_user_sees_when_a_directory_may_be_entered,
			way_is_forgotten_when_a_link_on_it_leads_elsewhere,
			a_maze_of_links_ends_somewhere, a_link_with_many_names_counts_them_all,
			a_walk_ends_at_a_mount_that_may_not_answer, an_automount_is_left_alone);
	return suite;
}
