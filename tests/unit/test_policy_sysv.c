/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * "svcctl import --sysv": the links of SysV and lines of inittab as policy.
 */
#include "config.h"

#include <check.h>

#include "base/diag.h"
#include "tests/lib/edit-world.h"
#include "tests/lib/suite.h"

static const char *const sysv_file = SVCD_SYSCONFDIR "/policy.d/" POLICY_EDIT_SYSV_FILE;

static uint64_t import_links(const Tree *tree)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();

	ck_assert(policy_import_sysv(change, diags, NULL));
	ck_assert_uint_eq(diag_list_length(diags), 0);
	return edit_apply(change);
}

START_TEST(the_links_of_sysv_become_policy_and_twice_is_once)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(Change) again = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();

	tree_write(tree, VENDOR "network-manager.svc",
		   PLAIN "[Conditions]\nProvides=NetworkManager\n");
	tree_link_script(tree, "2", "S01ssh");
	tree_link_script(tree, "2", "S02cron");
	tree_link_script(tree, "2", "S02NetworkManager");
	tree_link_script(tree, "2", "S03home-made");
	tree_link_script(tree, "3", "K01cron");
	tree_link_script(tree, "3", "S01home-made");
	tree_link_script(tree, "S", "S01ssh");
	tree_link_script(tree, "6", "S01ssh");
	tree_write(tree, "/etc/rc2.d/README", "not a link");
	ck_assert(policy_import_sysv(change, diags, NULL));
	ck_assert_uint_eq(edit_apply(change), 1);
	edit_expect_file(tree, SVCD_SYSCONFDIR "/policy.d/" POLICY_EDIT_SYSV_FILE,
			 "# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from "
			 "/etc/inittab; may be edited by hand.\n"
			 "# A further import replaces this file.\n"
			 "\n[runlevel S]\nActivate=ssh\n"
			 "\n[runlevel 2]\nActivate=ssh\nActivate=network-manager\nActivate=cron\n"
			 "\n[runlevel 3]\nActivate=-cron\n"
			 "\n# Scripts that no service matches, left out:\n#   home-made\n");
	ck_assert_uint_eq(diag_list_length(diags), 1);
	ck_assert_str_eq(diag_list_get(diags, 0)->text,
			 "no service matches the script \"home-made\"; it is left out");
	ck_assert(policy_import_sysv(again, diags, NULL));
	ck_assert(change_is_empty(again));
}
END_TEST

START_TEST(a_script_that_is_named_after_its_shell_is_the_service_without)
{
	g_autoptr(Tree) tree = edit_machine();

	tree_write(tree, VENDOR "hwclock.svc", PLAIN "[Conditions]\nProvides=clock\n");
	tree_write(tree, VENDOR "own.sh.svc", PLAIN);
	tree_write(tree, VENDOR "own.svc", PLAIN);
	tree_link_script(tree, "S", "S01hwclock.sh");
	tree_link_script(tree, "S", "S02own.sh");
	tree_link_script(tree, "2", "S02clock.sh");
	ck_assert_uint_eq(import_links(tree), 1);
	edit_expect_file(tree, sysv_file,
			 "# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from "
			 "/etc/inittab; may be edited by hand.\n"
			 "# A further import replaces this file.\n"
			 "\n[runlevel S]\nActivate=hwclock\nActivate=own.sh\n"
			 "\n[runlevel 2]\nActivate=hwclock\n");
}
END_TEST

/*
 * The vendor wants cron, ssh, udev and hwclock; runlevel 3 includes runlevel 2. Links: cron and
 * hwclock are off everywhere, ssh is on in 2 and off in 3.
 */
START_TEST(what_the_links_keep_off_is_taken_out_of_what_the_vendor_wants)
{
	g_autoptr(Tree) tree = edit_machine();

	tree_write(tree, VENDOR "hwclock.svc", PLAIN);
	tree_write(tree, VENDOR "udev.svc", PLAIN);
	tree_write(tree, VENDOR "web.svc", PLAIN);
	tree_write(
		tree, SVCD_LIBDIR "/policy.d/50-svcd.policy",
		"[runlevel S]\nActivate=udev hwclock\n[runlevel 2]\nActivate=cron ssh\n[runlevel "
		"3]\nInclude=2\n");
	tree_link_script(tree, "1", "K01ssh");
	tree_link_script(tree, "2", "K01cron");
	tree_link_script(tree, "2", "S01ssh");
	tree_link_script(tree, "2", "K01web");
	tree_link_script(tree, "S", "K01hwclock.sh");
	tree_link_script(tree, "6", "K01udev");
	ck_assert_uint_eq(import_links(tree), 1);
	edit_expect_file(tree, sysv_file,
			 "# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from "
			 "/etc/inittab; may be edited by hand.\n"
			 "# A further import replaces this file.\n"
			 "\n[runlevel S]\nActivate=-hwclock\n"
			 "\n[runlevel 2]\nActivate=ssh\nActivate=-cron\nActivate=-web\n"
			 "\n[runlevel 3]\nActivate=-ssh\n");
	ck_assert_uint_eq(import_links(tree), 0);
}
END_TEST

START_TEST(what_was_made_of_inittab_is_imported_too)
{
	g_autoptr(Tree) tree = edit_machine();

	tree_write(tree, "/run/svcd/generated/rc-links/inittab.policy",
		   "# Made by svc-generate from /etc/inittab; changes are lost.\n\n# line 1\n"
		   "[defaults]\nRunlevel=3\n");
	ck_assert_uint_eq(import_links(tree), 1);
	edit_expect_file(
		tree, sysv_file,
		"# Made by \"svcctl import --sysv\" from the links in /etc/rcN.d and from "
		"/etc/inittab; may be edited by hand.\n"
		"# A further import replaces this file.\n"
		"\n# From the lines of /etc/inittab:\n\n# line 1\n[defaults]\nRunlevel=3\n");
	ck_assert_uint_eq(import_links(tree), 0);
}
END_TEST

START_TEST(without_links_there_is_nothing_to_import)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GError) error = NULL;

	ck_assert(!policy_import_sysv(change, diags, &error));
	edit_expect_error(
		tree, &error,
		"no link in /etc/rcN.d and no line of /etc/inittab starts anything; there is "
		"nothing to import");
}
END_TEST

START_TEST(an_import_is_offered_until_the_admin_has_a_policy)
{
	g_autoptr(Tree) tree = edit_machine();
	g_autoptr(Change) decline = change_new(tree->root, false);

	ck_assert(!policy_sysv_is_offered(tree->root));
	tree_link_script(tree, "0", "K01ssh");
	tree_link_script(tree, "6", "S01ssh");
	ck_assert(!policy_sysv_is_offered(tree->root));
	tree_link_script(tree, "2", "S01ssh");
	ck_assert(policy_sysv_is_offered(tree->root));
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/README", "no policy");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/.old.policy", "no policy");
	ck_assert(policy_sysv_is_offered(tree->root));

	ck_assert_uint_eq(import_links(tree), 1);
	ck_assert(!policy_sysv_is_offered(tree->root));
	ck_assert_uint_eq(edit_undo(tree, 0), 2);
	ck_assert(policy_sysv_is_offered(tree->root));

	ck_assert(policy_decline_sysv(decline, NULL));
	ck_assert_uint_eq(edit_apply(decline), 3);
	ck_assert(!policy_sysv_is_offered(tree->root));
	ck_assert_uint_eq(edit_undo(tree, 0), 4);
	ck_assert_uint_eq(edit_set(tree, "cron", "Activation", "never"), 5);
	ck_assert(!policy_sysv_is_offered(tree->root));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy-sysv");

	ADD_CASE(suite, "import", the_links_of_sysv_become_policy_and_twice_is_once,
		 a_script_that_is_named_after_its_shell_is_the_service_without,
		 what_the_links_keep_off_is_taken_out_of_what_the_vendor_wants,
		 what_was_made_of_inittab_is_imported_too, without_links_there_is_nothing_to_import,
		 an_import_is_offered_until_the_admin_has_a_policy);
	return suite;
}
