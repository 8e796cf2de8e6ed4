/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB scripts beside svcd's own services, which replace them.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "lsb-compat/lsb.h"
#include "lsb-compat/own-jobs.h"
#include "tests/lib/lsb-world.h"
#include "tests/lib/suite.h"

START_TEST(a_service_with_a_file_of_its_own_takes_the_place_of_the_script)
{
	static const char *const natives[] = { "hostname", "hostname", "bus",  "dbus", "dbus",
					       "dbus",     "netd",     "netd", NULL };
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "hostname.sh", "Provides: hostname\nRequired-Start: user\nDefault-Start: S");
	script(w, "bus", "Provides: bus messagebus");
	script(w, "user", "Required-Start: messagebus hostname netd\nRequired-Stop: netd");
	script(w, "first",
	       "Provides: first netd\nX-Start-Before: hostname\nX-Stop-After: netd\n"
	       "Default-Start: S");
	read_scripts_beside(w, natives, "");

	expect_names(w, "first.svc rc-links/init-scripts.policy user.svc");
	expect_value(w, "user", "After", "dbus first hostname netd");
	expect_value(w, "user", "StopBefore", "first netd");
	expect_value(w, "first", "Before", "hostname");
	expect_value(w, "first", "StopAfter", "netd");
	/* The additional name "netd" belongs to another service. */
	expect_value(w, "first", "Provides", "");
	ck_assert_ptr_nonnull(
		strstr(text_of(w, LSB_POLICY_FILE), "[service dbus]\nActivation=boot\n"));
}
END_TEST

START_TEST(order_leads_on_through_scripts_that_are_not_run)
{
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "networking", "Default-Start: S");
	script(w, "umountnfs.sh", "Provides: umountnfs\nShould-Stop: $network\nDefault-Start:");
	script(w, "sendsigs", "Required-Stop: umountnfs\nDefault-Start:");
	script(w, "halt", "");
	script(w, "daemon", "Required-Stop: $remote_fs");
	read_scripts(w, "");

	expect_names(w, "daemon.svc networking.svc rc-links/init-scripts.policy");
	expect_value(w, "daemon", "StopBefore", "$remote_fs networking");
	ck_assert_ptr_null(strstr(text_of(w, LSB_POLICY_FILE), "halt"));
}
END_TEST

START_TEST(scripts_of_the_early_boot_run_unless_a_service_of_ours_does_their_work)
{
	static const char *const natives[] = { "checkroot", "checkroot", "checkroot.sh",
					       "checkroot", NULL };
	g_autoptr(LsbWorld) w = lsb_world_new();

	script(w, "checkroot.sh", "Provides: checkroot\nDefault-Start: S");
	script(w, "mountall.sh", "Provides: mountall\nRequired-Start: checkroot\nDefault-Start: S");
	script(w, "lvm2", "X-Start-Before: mountall\nDefault-Start: S");
	script(w, "user", "Required-Start: mountall\nRequired-Stop: mountall");

	read_scripts(w, "");
	expect_names(w,
		     "checkroot.svc lvm2.svc mountall.svc rc-links/init-scripts.policy user.svc");
	expect_value(w, "user", "After", "mountall");

	read_scripts_beside(w, natives, "");
	expect_names(w, "lvm2.svc rc-links/init-scripts.policy user.svc");
	expect_value(w, "user", "After", "$local_fs checkroot lvm2");
	expect_value(w, "user", "StopBefore", "$local_fs");
	expect_value(w, "lvm2", "Before", "");
}
END_TEST

static char *in_quotes(const char *token)
{
	return token ? g_strdup_printf("`%s`", token) : g_strdup("");
}

START_TEST(every_own_job_is_in_the_docs)
{
	g_autofree char *page = NULL;
	const LsbOwnJob *job;
	size_t n = 0;

	ck_assert(g_file_get_contents(LSB_README, &page, NULL, NULL));
	for (; (job = lsb_own_job_at(n)) != NULL; n++) {
		g_autofree char *native = in_quotes(job->native);
		g_autofree char *stands_for = in_quotes(job->stands_for);
		g_autofree char *row = g_strdup_printf("\n| `%s` | %s | %s | %s |\n", job->file,
						       native, stands_for, job->reason);

		ck_assert_ptr_eq(lsb_own_job_find(job->file), job);
		ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_ptr_null(lsb_own_job_find("cron"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("lsb-natives");

	ADD_CASE(suite, "natives", a_service_with_a_file_of_its_own_takes_the_place_of_the_script,
		 order_leads_on_through_scripts_that_are_not_run,
		 scripts_of_the_early_boot_run_unless_a_service_of_ours_does_their_work);
	ADD_CASE(suite, "docs", every_own_job_is_in_the_docs);
	return suite;
}
