/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Safe path: which links are followed. Other users cannot exchange a component of the path. The
 * tests of owners need root.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "paths/safe-path.h"
#include "tests/lib/suite.h"
#include "tests/lib/swapper.h"
#include "tests/lib/tree.h"

#define ROUNDS 4000

static Tree *tree;

static void set_up(void)
{
	tree = tree_new();
	tree_write(tree, "/root/text", "text");
	tree_mkdir(tree, "/others");
	tree_mkdir(tree, "/sticky");
}

static void tear_down(void)
{
	g_clear_pointer(&tree, tree_free);
}

static void own(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(lchown(whole, uid, gid), 0);
	if (mode)
		ck_assert_int_eq(chmod(whole, mode), 0);
}

static int try_open(const char *path, bool of_root)
{
	g_autofree char *whole = tree_path(tree, path);
	int fd = of_root ? safe_open_of_root(whole, O_RDONLY) : safe_open(whole, O_RDONLY, 0);
	const int error = fd < 0 ? errno : 0;

	if (fd >= 0)
		(void)close(fd); /* only the open was tested */
	return error;
}

START_TEST(links_of_root_are_followed)
{
	tree_symlink(tree, "root/text", "/relative");
	tree_symlink(tree, "../root", "/others/up");
	tree_symlink(tree, "relative", "/twice");
	tree_symlink(tree, "root", "/sticky/../directory");
	own("/sticky", 0, 0, 01777);
	tree_symlink(tree, "../root/text", "/sticky/link");

	ck_assert_int_eq(try_open("/relative", false), 0);
	ck_assert_int_eq(try_open("/others/up/text", false), 0);
	ck_assert_int_eq(try_open("/twice", true), 0);
	ck_assert_int_eq(try_open("/directory/../directory/./text", true), 0);
	ck_assert_int_eq(try_open("/sticky/link", true), 0);
}
END_TEST

START_TEST(links_that_others_can_put_there_are_not)
{
	tree_symlink(tree, "../root/text", "/others/link");
	tree_symlink(tree, "../root", "/others/directory");
	tree_mkdir(tree, "/others/below");
	tree_symlink(tree, "../../root/text", "/others/below/link");
	tree_symlink(tree, "../root/text", "/sticky/link");

	own("/others", SWAPPER_UID, SWAPPER_UID, 0755);
	ck_assert_int_eq(try_open("/others/link", false), ELOOP);
	ck_assert_int_eq(try_open("/others/directory/text", false), ELOOP);
	ck_assert_int_eq(try_open("/others/below/link", false), ELOOP);
	own("/others", 0, SWAPPER_UID, 0775);
	ck_assert_int_eq(try_open("/others/link", false), ELOOP);
	own("/others", 0, 0, 0777);
	ck_assert_int_eq(try_open("/others/link", false), ELOOP);
	own("/others", 0, 0, 0755);
	ck_assert_int_eq(try_open("/others/link", false), 0);

	own("/sticky", 0, 0, 01777);
	own("/sticky/link", SWAPPER_UID, SWAPPER_UID, 0);
	ck_assert_int_eq(try_open("/sticky/link", false), ELOOP);
}
END_TEST

START_TEST(a_link_of_root_may_lead_to_other_owners_except_for_an_action_as_root)
{
	tree_write(tree, "/others/text", "text");
	tree_symlink(tree, "others/text", "/link");
	tree_symlink(tree, "others", "/directory");
	own("/others", SWAPPER_UID, SWAPPER_UID, 0755);

	ck_assert_int_eq(try_open("/link", false), 0);
	ck_assert_int_eq(try_open("/link", true), ELOOP);
	ck_assert_int_eq(try_open("/directory/text", true), ELOOP);
	ck_assert_int_eq(try_open("/others/text", true), 0); /* not a link: not checked here */
}
END_TEST

START_TEST(a_failure_to_open_has_the_error_of_open)
{
	g_autofree char *long_name = g_strnfill(300, 'x');
	g_autofree char *long_path = g_strconcat("/link/../", long_name, NULL);

	tree_symlink(tree, "nowhere", "/dangling");
	tree_symlink(tree, "loop", "/loop");
	tree_symlink(tree, "root", "/link");

	ck_assert_int_eq(try_open("/missing", false), ENOENT);
	ck_assert_int_eq(try_open("/dangling", false), ENOENT);
	ck_assert_int_eq(try_open("/loop", false), ELOOP);
	ck_assert_int_eq(try_open("/link/text/x", false), ENOTDIR);
	ck_assert_int_eq(try_open(long_path, false), ENAMETOOLONG);
	ck_assert_int_ge(safe_open("/proc/self/fd/0", O_RDONLY, 0), 0);
}
END_TEST

START_TEST(a_created_parent_reports_which_users_may_replace_it)
{
	g_autofree char *ours = tree_path(tree, "/root/a/b/name");
	g_autofree char *theirs = tree_path(tree, "/others/a/name");
	SafeParent parent;
	struct stat st;

	ck_assert(!safe_open_parent(ours, 0, &parent));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert(safe_open_parent(ours, 0711, &parent));
	ck_assert_str_eq(parent.name, "name");
	ck_assert(!parent.is_foreign);
	ck_assert_int_eq(fstat(parent.fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0711);
	ck_assert_int_eq(close(parent.fd), 0);

	own("/others", SWAPPER_UID, 4, 0755);
	ck_assert(safe_open_parent(theirs, 0755, &parent));
	ck_assert(parent.is_foreign);
	ck_assert_uint_eq(parent.uid, SWAPPER_UID);
	ck_assert_uint_eq(parent.gid, 4);
	ck_assert_int_eq(close(parent.fd), 0);

	own("/others", 0, 4, 0775);
	ck_assert(safe_open_parent(theirs, 0, &parent));
	ck_assert(parent.is_foreign && parent.uid == 65534 && parent.gid == 4);
	ck_assert_int_eq(close(parent.fd), 0);
}
END_TEST

static void give_up(unsigned capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	ck_assert_int_eq(syscall(SYS_capget, &header, data), 0);
	data[0].effective &= ~(1u << capability);
	ck_assert_int_eq(syscall(SYS_capset, &header, data), 0);
}

START_TEST(no_files_are_created_for_users_the_process_may_not_become)
{
	g_autofree char *ours = tree_path(tree, "/root/a/name");
	g_autofree char *theirs = tree_path(tree, "/others/a/name");
	SafeParent parent;

	own("/others", SWAPPER_UID, 4, 0755);
	give_up(CAP_SETUID);
	ck_assert(!safe_open_parent(theirs, 0755, &parent));
	ck_assert_int_eq(errno, EPERM);
	ck_assert(safe_open_parent(ours, 0755, &parent));
	ck_assert_int_eq(close(parent.fd), 0);
}
END_TEST

/* The content as a new string; "" if refused. */
static char *read_safely(const char *path, bool of_root)
{
	auto_fd int fd = of_root ? safe_open_of_root(path, O_RDONLY) : safe_open(path, O_RDONLY, 0);
	char text[16] = "";

	ck_assert(fd >= 0 || errno == ELOOP || errno == ENOENT);
	ck_assert(fd < 0 || read(fd, text, sizeof text - 1) > 0);
	return g_strdup(text);
}

START_TEST(a_replaced_path_component_is_not_followed)
{
	Swapper *swapper = swapper_new(tree);
	g_autofree char *text = swapper_path(swapper, "text");
	g_autofree char *fresh = swapper_path(swapper, "made/x/name");
	unsigned n_read = 0;
	SafeParent parent;

	for (unsigned i = 0; i < ROUNDS; i++) {
		g_autofree char *found = read_safely(text, i % 2);

		ck_assert_str_ne(found, "secret");
		n_read += *found != '\0';
		if (safe_open_parent(fresh, 0755, &parent)) {
			(void)unlinkat(parent.fd, "../x", AT_REMOVEDIR);
			ck_assert_int_eq(close(parent.fd), 0);
		}
	}
	swapper_end(swapper);

	ck_assert_uint_gt(n_read, 0);
	ck_assert_uint_lt(n_read, ROUNDS);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("safe path");

	ADD_CASE_AROUND(suite, "links", set_up, tear_down, links_of_root_are_followed,
			a_failure_to_open_has_the_error_of_open);
	if (geteuid() == 0) /* files can get another owner */
		ADD_CASE_AROUND(
			suite, "others", set_up, tear_down, links_that_others_can_put_there_are_not,
			a_link_of_root_may_lead_to_other_owners_except_for_an_action_as_root,
			a_created_parent_reports_which_users_may_replace_it,
			no_files_are_created_for_users_the_process_may_not_become,
			a_replaced_path_component_is_not_followed);
	return suite;
}
