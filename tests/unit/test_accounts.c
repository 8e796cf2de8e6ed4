/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <unistd.h>

#include "config/accounts.h"
#include "tests/lib/suite.h"

static char *passwd;
static char *group;
static AccountFiles files;

static char *write_file(const char *text)
{
	char *path = NULL;
	const int fd = g_file_open_tmp("accounts-XXXXXX", &path, NULL);

	ck_assert_int_ge(fd, 0);
	(void)close(fd);
	ck_assert(g_file_set_contents(path, text, -1, NULL));
	return path;
}

static void setup(void)
{
	passwd = write_file(
		"root:x:0:0:root:/root:/bin/sh\n# no line\nbad:x:y:z:\nwww:x:33:34::/var/www:\n"
		"www:x:99:99::/:\n");
	group = write_file("root:x:0:\nadm:x:4:syslog\n");
	files = (AccountFiles){ .passwd = passwd, .group = group };
}

static void teardown(void)
{
	(void)unlink(passwd);
	(void)unlink(group);
	g_free(passwd);
	g_free(group);
}

static const struct {
	const char *user;
	const char *group;
	unsigned uid;
	unsigned gid;
	const char *problem; /* prefix of the message; NULL: no message */
} cases[] = {
	{ NULL, NULL, 7, 8, NULL },
	{ "www", NULL, 33, 34, NULL },
	{ "www", "adm", 33, 4, NULL },
	{ "33", NULL, 33, 34, NULL },
	{ "1234", NULL, 1234, 8, NULL },
	{ "1234", "4321", 1234, 4321, NULL },
	{ NULL, "adm", 7, 4, NULL },
	{ "nobody", NULL, 7, 8, "there is no user \"nobody\" in " },
	{ "bad", NULL, 7, 8, "there is no user \"bad\" in " },
	{ "www", "wheel", 7, 8, "there is no group \"wheel\" in " },
};

START_TEST(names_and_numbers_are_found_or_reported)
{
	g_autoptr(GError) error = NULL;
	uid_t uid = 7;
	gid_t gid = 8;
	const bool found =
		accounts_find(&files, cases[_i].user, cases[_i].group, &uid, &gid, &error);

	ck_assert(found == !cases[_i].problem);
	ck_assert_uint_eq(uid, cases[_i].uid);
	ck_assert_uint_eq(gid, cases[_i].gid);
	if (found)
		return;
	ck_assert(g_str_has_prefix(error->message, cases[_i].problem));
	ck_assert(g_str_has_suffix(error->message,
				   "; other name services are not used here; write a number"));
}
END_TEST

START_TEST(without_the_files_only_numbers_are_known)
{
	const AccountFiles none = { .passwd = "/nowhere/passwd", .group = "/nowhere/group" };
	g_autoptr(GError) error = NULL;
	uid_t uid = 0;
	gid_t gid = 0;

	ck_assert(accounts_find(&none, "5", "6", &uid, &gid, &error));
	ck_assert_uint_eq(uid, 5);
	ck_assert(!accounts_find(&none, "www", NULL, &uid, &gid, &error));
	ck_assert_ptr_nonnull(strstr(error->message, "/nowhere/passwd"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("accounts");

	ADD_CASE_AROUND(suite, "all", setup, teardown, without_the_files_only_numbers_are_known);
	ADD_LOOP_AROUND(suite, "all", setup, teardown, names_and_numbers_are_found_or_reported,
			G_N_ELEMENTS(cases));
	return suite;
}
