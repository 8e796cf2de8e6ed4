/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "config/bundle.h"
#include "tests/lib/suite.h"

#define DAMAGED "the contents of the files arrived damaged, or from another version"

static int make_memfd(void)
{
	const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static void expect_entry(const Bundle *bundle, const char *path, BundleKind kind, bool is_secret,
			 const char *data, gsize length)
{
	const BundleEntry *entry = bundle_find(bundle, path);

	ck_assert_ptr_nonnull(entry);
	ck_assert_int_eq(entry->kind, kind);
	ck_assert(entry->is_secret == is_secret);
	ck_assert_uint_eq(g_bytes_get_size(entry->bytes), length);
	ck_assert(length == 0 || memcmp(g_bytes_get_data(entry->bytes, NULL), data, length) == 0);
}

START_TEST(what_is_written_is_read_again_byte_for_byte)
{
	g_autoptr(Bundle) bundle = bundle_new();
	g_autoptr(Bundle) again = NULL;
	auto_fd int fd = make_memfd();

	bundle_add(bundle, BUNDLE_FILE, true, "/etc/a b\nc", "F 0 1 1\n\0\n", 10);
	bundle_add(bundle, BUNDLE_LIST, false, "/etc", "x\0y\0", 4);
	bundle_add(bundle, BUNDLE_LIST, false, "/empty", "", 0);
	bundle_add(bundle, BUNDLE_NO_FILE, false, "/etc/d", "why", 3);
	bundle_add(bundle, BUNDLE_NO_LIST, true, "/root", "why not", 7);
	ck_assert(bundle_write(bundle, fd, NULL));
	again = bundle_read(fd, NULL);

	ck_assert_ptr_nonnull(again);
	ck_assert(!bundle_is_open(again));
	ck_assert_int_eq(bundle_began_us(again), bundle_began_us(bundle));
	expect_entry(again, "/etc/a b\nc", BUNDLE_FILE, true, "F 0 1 1\n\0\n", 10);
	expect_entry(again, "/etc", BUNDLE_LIST, false, "x\0y\0", 4);
	expect_entry(again, "/empty", BUNDLE_LIST, false, NULL, 0);
	expect_entry(again, "/etc/d", BUNDLE_NO_FILE, false, "why", 3);
	expect_entry(again, "/root", BUNDLE_NO_LIST, true, "why not", 7);
	ck_assert_ptr_null(bundle_find(again, "/etc/a"));
}
END_TEST

START_TEST(a_written_bundle_cannot_be_changed)
{
	g_autoptr(Bundle) bundle = bundle_new();
	auto_fd int fd = make_memfd();

	ck_assert(bundle_write(bundle, fd, NULL));

	ck_assert_int_eq(ftruncate(fd, 1), -1);
	ck_assert_int_eq(pwrite(fd, "x", 1, 0), -1);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
}
END_TEST

START_TEST(an_unfinished_bundle_is_refused_and_names_the_file_being_read)
{
	g_autoptr(Bundle) bundle = bundle_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *path = NULL;
	auto_fd int fd = make_memfd();

	bundle_set_progress(bundle, fd);
	bundle_begin(bundle, "/etc/svcd/services.d/a-long-name.svc");
	bundle_begin(bundle, "/etc/svcd/pol\033icy.d");

	ck_assert_ptr_null(bundle_read(fd, &error));
	ck_assert_str_eq(error->message,
			 "svc-generate has not handed over the contents of the files");
	path = bundle_being_read(fd);
	ck_assert_str_eq(path, "/etc/svcd/pol\\x1bicy.d");
	ck_assert(bundle_write(bundle, fd, NULL));
	ck_assert_ptr_null(bundle_being_read(fd));
}
END_TEST

START_TEST(a_directory_is_forgotten_with_all_below_it)
{
	g_autoptr(Bundle) bundle = bundle_new();

	bundle_add(bundle, BUNDLE_LIST, false, "/run/made", "", 0);
	bundle_add(bundle, BUNDLE_FILE, false, "/run/made/a.svc", "", 0);
	bundle_add(bundle, BUNDLE_FILE, false, "/run/made-up", "", 0);
	bundle_forget(bundle, "/run/made");

	ck_assert_ptr_null(bundle_find(bundle, "/run/made"));
	ck_assert_ptr_null(bundle_find(bundle, "/run/made/a.svc"));
	ck_assert_ptr_nonnull(bundle_find(bundle, "/run/made-up"));
}
END_TEST

static const char *const damaged[] = {
	"",
	"reading /etc/x",
	"svcd-files 2 5 0\n",
	"svcd-files 1 5\n",
	"svcd-files 1 -5 0\n",
	"svcd-files 1 5 0\nmore",
	"svcd-files 1 5 1\n",
	"svcd-files 1 5 1\nF 0 2 1\n/a\nx",
	"svcd-files 1 5 1\nF 0 2 1\n/a\nxy\n",
	"svcd-files 1 5 1\nF 0 2 9\n/a\nx\n",
	"svcd-files 1 5 1\nF 0 1 1\na\nx\n",
	"svcd-files 1 5 1\nF 0 0 1\n\nx\n",
	"svcd-files 1 5 1\nF 2 2 1\n/a\nx\n",
	"svcd-files 1 5 1\nX 0 2 1\n/a\nx\n",
	"svcd-files 1 5 1\nF 0 18446744073709551615 1\n/a\nx\n",
	"svcd-files 1 5 1\nL 0 2 1\n/a\nx\n", /* a name without its NUL */
	"svcd-files 1 5 9999999999\nF 0 2 1\n/a\nx\n",
};

START_TEST(a_damaged_bundle_is_refused)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(damaged[_i], strlen(damaged[_i]));
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(bundle_parse(bytes, &error));
	ck_assert_str_eq(error->message, DAMAGED);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bundle");
	TCase *loop = tcase_create("damage");

	ADD_CASE(suite, "bundle", what_is_written_is_read_again_byte_for_byte,
		 a_written_bundle_cannot_be_changed,
		 an_unfinished_bundle_is_refused_and_names_the_file_being_read,
		 a_directory_is_forgotten_with_all_below_it);
	tcase_add_loop_test(loop, a_damaged_bundle_is_refused, 0, G_N_ELEMENTS(damaged));
	suite_add_tcase(suite, loop);
	return suite;
}
