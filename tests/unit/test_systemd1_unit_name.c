/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of systemd's units, their object paths and their cgroups.
 */
#include "config.h"

#include <glib.h>

#include "svc-systemd1/unit-name.h"
#include "tests/lib/suite.h"

static const struct {
	const char *name;
	UnitKind kind;
} names[] = {
	{ "session-3.scope", UNIT_SCOPE },
	{ "session-c1.scope", UNIT_SCOPE },
	{ "user-1000.slice", UNIT_USER_SLICE },
	{ "user@1000.service", UNIT_USER_MANAGER },
	{ "user@0.service", UNIT_USER_MANAGER },
	{ "user-runtime-dir@1000.service", UNIT_RUNTIME_DIR },
	{ "autovt@tty3.service", UNIT_GETTY },
	{ "poweroff.target", UNIT_MACHINE_END },
	{ "suspend-then-hibernate.target", UNIT_SLEEP },
	{ "", UNIT_OTHER },
	{ ".scope", UNIT_OTHER },
	{ "a/../b.scope", UNIT_OTHER },
	{ "a b.scope", UNIT_OTHER },
	{ "user@.service", UNIT_OTHER },
	{ "user@alice.service", UNIT_OTHER },
	{ "user@01.service", UNIT_OTHER },
	{ "user@4294967295.service", UNIT_OTHER },
	{ "user@99999999999.service", UNIT_OTHER },
	{ "user-1000-1.slice", UNIT_OTHER },
	{ "autovt@tty.service", UNIT_OTHER },
	{ "autovt@ttyS0.service", UNIT_OTHER },
	{ "kexec.target", UNIT_OTHER },
	{ "ssh.service", UNIT_OTHER },
};

START_TEST(the_name_shows_the_kind)
{
	ck_assert_int_eq(unit_name_kind(names[_i].name), names[_i].kind);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_no_unit)
{
	g_autofree char *dots = g_strnfill(UNIT_NAME_MAX, 'a');
	g_autofree char *name = g_strconcat(dots, ".scope", NULL);

	ck_assert_int_eq(unit_name_kind(name), UNIT_OTHER);
}
END_TEST

START_TEST(the_user_is_part_of_the_name)
{
	uint32_t uid = 0;

	ck_assert(unit_name_uid("user-runtime-dir@1000.service", &uid));
	ck_assert_uint_eq(uid, 1000);
	ck_assert(unit_name_uid("user-60578.slice", &uid));
	ck_assert_uint_eq(uid, 60578);
	ck_assert(!unit_name_uid("session-3.scope", &uid));
}
END_TEST

START_TEST(an_object_path_is_the_escaped_name)
{
	g_autofree char *path = unit_name_to_object("session-c1.scope");
	g_autofree char *digit = unit_name_to_object("1.scope");
	g_autofree char *name = unit_name_from_object(path);

	ck_assert_str_eq(path, "/org/freedesktop/systemd1/unit/session_2dc1_2escope");
	ck_assert_str_eq(digit, "/org/freedesktop/systemd1/unit/_31_2escope");
	ck_assert_str_eq(name, "session-c1.scope");
}
END_TEST

START_TEST(an_object_path_that_is_no_unit_has_no_name)
{
	ck_assert_ptr_null(unit_name_from_object("/org/freedesktop/systemd1"));
	ck_assert_ptr_null(unit_name_from_object("/org/freedesktop/systemd1/unit/"));
	ck_assert_ptr_null(unit_name_from_object("/org/freedesktop/systemd1/unit/_00"));
	ck_assert_ptr_null(unit_name_from_object("/org/freedesktop/systemd1/unit/_2f"));
}
END_TEST

START_TEST(cgroups_are_below_user_slice)
{
	g_autofree char *scope = unit_name_cgroup("session-3.scope", 1000);
	g_autofree char *slice = unit_name_cgroup("user-1000.slice", 1000);

	ck_assert_str_eq(scope, "user.slice/user-1000.slice/session-3.scope");
	ck_assert_str_eq(slice, "user.slice/user-1000.slice");
}
END_TEST

START_TEST(the_instance_is_the_terminal_or_the_verb)
{
	g_autofree char *terminal = unit_name_instance("autovt@tty3.service");
	g_autofree char *verb = unit_name_instance("hybrid-sleep.target");

	ck_assert_str_eq(terminal, "tty3");
	ck_assert_str_eq(verb, "hybrid-sleep");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("systemd1_unit_name");

	suite_add_loop(suite, "kinds", the_name_shows_the_kind, G_N_ELEMENTS(names));
	ADD_CASE(suite, "names", a_name_that_is_too_long_is_no_unit, the_user_is_part_of_the_name,
		 an_object_path_is_the_escaped_name, an_object_path_that_is_no_unit_has_no_name,
		 cgroups_are_below_user_slice, the_instance_is_the_terminal_or_the_verb);
	return suite;
}
