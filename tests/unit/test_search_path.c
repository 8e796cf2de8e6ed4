/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "config/search-path.h"
#include "tests/lib/suite.h"

static void expect_services(LoaderOptions options, const char *expected)
{
	g_auto(GStrv) paths = search_path_services(&options);
	g_autofree char *text = g_strjoinv(" ", paths);

	ck_assert_str_eq(text, expected);
}

static void expect_policies(LoaderOptions options, const char *expected)
{
	g_autoptr(GPtrArray) directories = search_path_policies(&options);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < directories->len; i++) {
		const PolicyDirectory *directory = g_ptr_array_index(directories, i);

		g_string_append_printf(text, "%s (%s) ", directory->path,
				       policy_layer_name(directory->layer));
	}
	ck_assert_str_eq(text->str, expected);
}

START_TEST(services_are_looked_for_from_generated_to_until_reboot)
{
	expect_services((LoaderOptions){ 0 },
			"/run/svcd/generated " SVCD_LIBDIR "/services.d " SVCD_SYSCONFDIR
			"/services.d /run/svcd/services.d");
	expect_services((LoaderOptions){ .root = "/mnt/" },
			"/mnt/run/svcd/generated /mnt" SVCD_LIBDIR
			"/services.d /mnt" SVCD_SYSCONFDIR "/services.d /mnt/run/svcd/services.d");
	expect_services((LoaderOptions){ .without_local_files = true }, SVCD_LIBDIR "/services.d");
}
END_TEST

START_TEST(policies_come_in_ascending_layers)
{
	expect_policies((LoaderOptions){ 0 },
			"/run/svcd/generated (vendor) " SVCD_LIBDIR "/policy.d (vendor) "
			"/run/svcd/generated/rc-links (rc links) " SVCD_SYSCONFDIR
			"/policy.d (admin) /run/svcd/policy.d (until reboot) ");
	expect_policies((LoaderOptions){ .without_local_files = true },
			SVCD_LIBDIR "/policy.d (vendor) ");
}
END_TEST

START_TEST(a_user_has_separate_directories)
{
	g_setenv("XDG_CONFIG_HOME", "/home/u/.config", TRUE);
	g_setenv("XDG_RUNTIME_DIR", "/run/user/7", TRUE);
	expect_services((LoaderOptions){ .user_mode = true },
			SVCD_LIBDIR "/user-services.d " SVCD_SYSCONFDIR
				    "/user-services.d /home/u/.config/svcd/services.d "
				    "/run/user/7/svcd/services.d");
	expect_policies((LoaderOptions){ .user_mode = true },
			SVCD_LIBDIR "/user-policy.d (vendor) " SVCD_SYSCONFDIR
				    "/user-policy.d (vendor) /home/u/.config/svcd/policy.d (admin) "
				    "/run/user/7/svcd/policy.d (until reboot) ");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("search-path");

	ADD_CASE(suite, "search-path", services_are_looked_for_from_generated_to_until_reboot,
		 policies_come_in_ascending_layers, a_user_has_separate_directories);
	return suite;
}
