/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open jobs of svc-systemd1, which a restart must not lose.
 */
#include "config.h"

#include <glib.h>

#include "svc-systemd1/job.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

static char *directory;
static char *file;
static GString *lost;

static void on_lost(uint32_t id, const char *unit)
{
	g_string_append_printf(lost, "%u %s;", id, unit);
}

/* As a new process does. */
static void recover(void)
{
	g_string_truncate(lost, 0);
	job_forget_all();
	job_recover(file, on_lost);
}

static void set_up(void)
{
	directory = scratch_new();
	file = g_build_filename(directory, "jobs", NULL);
	lost = g_string_new(NULL);
	recover();
}

static void tear_down(void)
{
	job_forget_all();
	g_string_free(lost, TRUE);
	g_free(file);
	scratch_free(directory);
}

START_TEST(a_job_exists_until_it_ends)
{
	const uint32_t id = job_new("session-1.scope");

	ck_assert(job_exists(id));
	job_end(id);
	ck_assert(!job_exists(id));
}
END_TEST

START_TEST(open_jobs_are_reported_after_a_restart)
{
	(void)job_new("session-1.scope");
	job_end(job_new("user@1000.service"));
	(void)job_new("session-2.scope");

	recover();
	ck_assert_str_eq(lost->str, "1 session-1.scope;3 session-2.scope;");
	ck_assert(!job_exists(1));
}
END_TEST

START_TEST(they_are_reported_once)
{
	(void)job_new("session-1.scope");

	recover();
	recover();
	ck_assert_str_eq(lost->str, "");
}
END_TEST

START_TEST(a_number_is_not_used_again)
{
	const uint32_t before = job_new("session-1.scope");

	recover();
	ck_assert_uint_gt(job_new("session-2.scope"), before);
}
END_TEST

START_TEST(a_damaged_file_loses_only_its_lines)
{
	ck_assert(g_file_set_contents(file, "7\nx\n5\n6 a.scope\n9 b.scope\n", -1, NULL));

	recover();
	ck_assert_str_eq(lost->str, "6 a.scope;");
	ck_assert_uint_eq(job_new("c.scope"), 8);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("systemd1_job");

	ADD_CASE_AROUND(suite, "jobs", set_up, tear_down, a_job_exists_until_it_ends,
			open_jobs_are_reported_after_a_restart, they_are_reported_once,
			a_number_is_not_used_again, a_damaged_file_loses_only_its_lines);
	return suite;
}
