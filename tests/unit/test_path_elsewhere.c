/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths behind mounts that may not answer: the manager asks nobody there, and knows what it is told.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "providers/path-test.h"
#include "providers/path.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#define DEADLINE_US (20 * G_USEC_PER_SEC)

static char *root;
static Provider *provider;
static char *far; /* the mount point */
static MountKind kind;
static GString *told;    /* the last report of each, "KEY LEVEL WHY", with "ROOT" for the directory */
static GString *list;    /* what the process was given, with | for NUL */
static int said_to_us;   /* our end of what it says; -1: none runs */
static uint64_t n_begun;
static bool can_begin;

static void on_report(void *data, const char *key, Level level, const char *why)
{
	g_autofree char *text = g_strdup_printf("%s %s %s", key, level_name(level), why);

	(void)data;
	g_string_assign(told, text);
	(void)g_string_replace(told, root, "ROOT", 0);
}

static MountKind on_kind(void *data, const char *place)
{
	(void)data;
	return strcmp(place, far) == 0 ? kind : MOUNT_NONE;
}

static uint64_t on_start(void *data, int input, int output)
{
	char bytes[1000];
	ssize_t n = read(input, bytes, sizeof bytes);

	(void)data;
	if (!can_begin)
		return 0;
	ck_assert_int_eq(said_to_us, -1); /* never two */
	ck_assert_int_gt(n, 0);
	for (ssize_t i = 0; i < n; i++)
		bytes[i] = bytes[i] ? bytes[i] : '|';
	g_string_truncate(list, 0);
	g_string_append_len(list, bytes, n);
	(void)g_string_replace(list, root, "ROOT", 0);
	said_to_us = fcntl(output, F_DUPFD_CLOEXEC, 0);
	return ++n_begun;
}

static void set_up(void)
{
	const ProviderSink sink = { on_report, NULL };
	const PathOptions options = { .kind = on_kind, .elsewhere = { .start = on_start } };

	root = scratch_new();
	far = g_build_filename(root, "far", NULL);
	kind = MOUNT_ELSEWHERE;
	told = g_string_new(NULL);
	list = g_string_new(NULL);
	said_to_us = -1;
	n_begun = 0;
	can_begin = true;
	provider = path_provider_new(&sink, &options, NULL);
}

static void tear_down(void)
{
	provider->free(provider);
	fd_close(&said_to_us);
	(void)g_string_free(told, TRUE);
	(void)g_string_free(list, TRUE);
	g_clear_pointer(&far, g_free);
	g_clear_pointer(&root, scratch_free);
}

static const char *key_of(const char *test, const char *name)
{
	g_autofree char *text = g_strconcat("path:", test, root, "/", name, NULL);

	return g_intern_string(text);
}

static void watch(const char *test, const char *name)
{
	provider->subscribe(provider, key_of(test, name));
}

#define TURN_UNTIL(condition)                                                                      \
	do {                                                                                       \
		const int64_t end = loop_now() + DEADLINE_US;                                      \
		while (!(condition)) {                                                             \
			ck_assert_msg(loop_now() < end, "not in time: %s; told: %s", #condition, told->str); \
			g_main_context_iteration(NULL, FALSE);                                     \
		}                                                                                  \
	} while (0)

static void say(const char *text)
{
	ck_assert(fd_write_all(said_to_us, text, strlen(text)));
}

static void expect(const char *text)
{
	TURN_UNTIL(strcmp(told->str, text) == 0);
}

static bool is_let_go(void)
{
	struct pollfd output = { .fd = said_to_us };

	return poll(&output, 1, 0) == 1;
}

static void end(void)
{
	fd_close(&said_to_us);
	path_provider_look_ended(provider, n_begun);
}

START_TEST(what_is_behind_the_mount_is_asked_for_and_told)
{
	watch("", "far/a/b");
	expect("path:ROOT/far/a/b unknown the file system at ROOT/far is asked");
	TURN_UNTIL(n_begun == 1);
	ck_assert_str_eq(list->str, "ROOT/far/a/b|");

	say("0 0\n\n");
	expect("path:ROOT/far/a/b true it is there");
	say("0 1\n\n");
	expect("path:ROOT/far/a/b false it does not exist");
	say("0 6\n\n");
	expect("path:ROOT/far/a/b unknown it cannot be looked at just now");
}
END_TEST

START_TEST(links_lead_there_too)
{
	g_autofree char *link = g_build_filename(root, "link", NULL);
	g_autofree char *place = g_build_filename(root, "near", NULL);

	ck_assert_int_eq(mkdir(place, 0755), 0);
	ck_assert_int_eq(symlink("near/../far", link), 0);
	watch("dir:", "link/a");
	TURN_UNTIL(n_begun == 1);
	ck_assert_str_eq(list->str, "dir:ROOT/link/a|");
}
END_TEST

START_TEST(one_that_says_nothing_makes_it_unknown_until_it_does)
{
	watch("", "far/a");
	TURN_UNTIL(n_begun == 1);
	say("0 0\n\n");
	expect("path:ROOT/far/a true it is there");

	expect("path:ROOT/far/a unknown the file system at ROOT/far does not answer"); /* after a while */
	watch("", "far/a");
	expect("path:ROOT/far/a unknown the file system at ROOT/far does not answer");

	say("\n");
	expect("path:ROOT/far/a true it is there");
}
END_TEST

START_TEST(another_list_waits_for_the_end_of_the_first)
{
	watch("", "far/a");
	TURN_UNTIL(n_begun == 1);
	say("0 0\n\n");
	expect("path:ROOT/far/a true it is there");

	watch("", "far/b");
	expect("path:ROOT/far/b unknown the file system at ROOT/far is asked");
	TURN_UNTIL(is_let_go());
	ck_assert_uint_eq(n_begun, 1);

	end();
	TURN_UNTIL(n_begun == 2);
	ck_assert_uint_eq(list->len, strlen("ROOT/far/a|ROOT/far/b|"));
	watch("", "far/a");
	expect("path:ROOT/far/a true it is there");
}
END_TEST

START_TEST(when_nobody_asks_any_longer_nobody_looks)
{
	watch("", "far/a");
	TURN_UNTIL(n_begun == 1);

	provider->unsubscribe(provider, key_of("", "far/a"));
	TURN_UNTIL(is_let_go());
	end();
	while (g_main_context_iteration(NULL, FALSE))
		continue;
	ck_assert_uint_eq(n_begun, 1);
}
END_TEST

START_TEST(where_nobody_can_look_that_is_said)
{
	can_begin = false;
	watch("", "far/a");
	expect("path:ROOT/far/a unknown the file system at ROOT/far cannot be asked");
}
END_TEST

START_TEST(an_automount_is_left_alone)
{
	kind = MOUNT_AUTOMATIC;
	watch("", "far/a");
	expect("path:ROOT/far/a unknown nothing is mounted at ROOT/far yet, and a look would change that");
	while (g_main_context_iteration(NULL, FALSE))
		continue;
	ck_assert_uint_eq(n_begun, 0);
}
END_TEST

START_TEST(when_it_is_unmounted_the_path_is_what_is_below)
{
	g_autofree char *file = g_build_filename(far, "a", NULL);
	g_autoptr(GHashTable) points = g_hash_table_new(g_str_hash, g_str_equal);

	watch("", "far/a");
	TURN_UNTIL(n_begun == 1);
	say("0 0\n\n");
	expect("path:ROOT/far/a true it is there");

	kind = MOUNT_NONE;
	g_hash_table_add(points, far);
	path_provider_look_below(provider, points);
	expect("path:ROOT/far/a false it does not exist");
	ck_assert_int_eq(mkdir(far, 0755), 0);
	ck_assert(g_file_set_contents(file, "", 0, NULL));
	expect("path:ROOT/far/a true it is there");
	TURN_UNTIL(is_let_go());
}
END_TEST

START_TEST(nonsense_is_passed_over)
{
	watch("", "far/a");
	TURN_UNTIL(n_begun == 1);

	say("svc-look: x\n7 0\n0 99\n0\n-1 0\n99999999999999999999 0\n0 0\n\n");
	expect("path:ROOT/far/a true it is there");
}
END_TEST

START_TEST(what_is_mounted_on_top_counts)
{
	static const char table[] = "1 0 8:1 / / rw - nfs server:/ rw\n"
				    "2 1 0:9 / /home rw,nosuid - nfs4 server:/home rw\n"
				    "3 1 0:10 / /auto rw shared:3 - autofs map rw\n"
				    "4 1 0:11 / /net rw - autofs map rw\n"
				    "5 4 0:12 / /net rw - fuse.sshfs me@there:\\040-\\040 rw\n"
				    "6 1 0:13 / /over rw - cifs //server/x rw\n"
				    "7 6 0:14 / /over rw - tmpfs tmpfs rw\n"
				    "8 1 0:15 / /my\\040disk rw - fuseblk /dev/sda1 rw\n";
	const ProviderSink sink = { on_report, NULL };
	g_autofree char *file = g_build_filename(root, "mountinfo", NULL);
	Provider *mounts;

	ck_assert(g_file_set_contents(file, table, -1, NULL));
	mounts = mount_provider_new(&sink, file, NULL, NULL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/"), MOUNT_LOCAL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/home"), MOUNT_ELSEWHERE);
	ck_assert_int_eq(mount_provider_kind(mounts, "/home/me"), MOUNT_NONE);
	ck_assert_int_eq(mount_provider_kind(mounts, "/auto"), MOUNT_AUTOMATIC);
	ck_assert_int_eq(mount_provider_kind(mounts, "/net"), MOUNT_ELSEWHERE);
	ck_assert_int_eq(mount_provider_kind(mounts, "/over"), MOUNT_LOCAL);
	ck_assert_int_eq(mount_provider_kind(mounts, "/my disk"), MOUNT_ELSEWHERE);
	mounts->free(mounts);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("path-elsewhere");

	ADD_CASE_AROUND(suite, "elsewhere", set_up, tear_down, what_is_behind_the_mount_is_asked_for_and_told,
			links_lead_there_too, one_that_says_nothing_makes_it_unknown_until_it_does,
			another_list_waits_for_the_end_of_the_first, when_nobody_asks_any_longer_nobody_looks,
			where_nobody_can_look_that_is_said, an_automount_is_left_alone,
			when_it_is_unmounted_the_path_is_what_is_below, nonsense_is_passed_over, what_is_mounted_on_top_counts);
	return suite;
}
