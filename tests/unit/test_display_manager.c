/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "svc-generate/display-manager.h"
#include "tests/lib/suite.h"

#define FILE_NAME "links-display-manager.policy"

START_TEST(the_chosen_one_is_left_alone)
{
	g_autoptr(Output) output = output_new();

	display_manager_generate("/usr/sbin/gdm3\n", output);
	ck_assert(strstr(output_file(output, FILE_NAME, "")->str, "[service gdm3]") == NULL);
}
END_TEST

START_TEST(the_others_are_left_to_an_admins_start)
{
	g_autoptr(Output) output = output_new();

	display_manager_generate("/usr/sbin/lightdm\n", output);
	ck_assert(g_str_has_suffix(output_file(output, FILE_NAME, "")->str,
				   "\n[service gdm3]\nActivation=manual\n"
				   "Reason=/etc/X11/default-display-manager says /usr/sbin/lightdm\n"
				   "\n[service sddm]\nActivation=manual\n"
				   "Reason=/etc/X11/default-display-manager says /usr/sbin/lightdm\n"));
}
END_TEST

static const char *const empty_choices[] = { "", "\n", "gdm3", "/usr/sbin/x\n[service y]\nActivation=never\n" };

START_TEST(a_file_that_names_no_program_chooses_nobody)
{
	g_autoptr(Output) output = output_new();

	display_manager_generate(empty_choices[_i], output);
	ck_assert(!output_has(output, FILE_NAME));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("display-manager");

	suite_add_loop(suite, "policy", a_file_that_names_no_program_chooses_nobody, G_N_ELEMENTS(empty_choices));
	ADD_CASE(suite, "policy", the_chosen_one_is_left_alone, the_others_are_left_to_an_admins_start);
	return suite;
}
