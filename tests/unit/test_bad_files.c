/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each file in tests/data/bad-services and bad-policies, compared with its expected diagnostics.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>

#include "model/policy.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the files in @directory with that @suffix, without the suffix, sorted. */
static GPtrArray *list_files(const char *directory, const char *suffix)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	ck_assert_ptr_nonnull(dir);
	while ((name = g_dir_read_name(dir)) != NULL) {
		if (g_str_has_suffix(name, suffix))
			g_ptr_array_add(names, g_strndup(name, strlen(name) - strlen(suffix)));
	}
	g_ptr_array_sort(names, compare_names);
	return names;
}

static char *read_file(const char *directory, const char *name, const char *suffix,
		       gsize *ret_length)
{
	g_autofree char *base = g_strconcat(name, suffix, NULL);
	g_autofree char *path = g_build_filename(directory, base, NULL);
	char *text = NULL;

	ck_assert_msg(g_file_get_contents(path, &text, ret_length, NULL), "%s cannot be read",
		      path);
	return text;
}

static void compare(const char *directory, const char *name, DiagList *diags)
{
	g_autofree char *expected = read_file(directory, name, ".expected", NULL);
	g_autofree char *text = NULL;

	diag_list_sort(diags);
	text = diags_text(diags);
	ck_assert_msg(strcmp(text, expected) == 0, "%s: said:\n%sexpected:\n%s", name, text,
		      expected);
	ck_assert_uint_gt(diag_list_count_errors(diags), 0);
}

START_TEST(every_bad_service_file_gives_the_expected_message_and_is_excluded)
{
	static const char directory[] = TEST_DATA "/bad-services";
	g_autoptr(GPtrArray) names = list_files(directory, ".svc");

	ck_assert_uint_ge(names->len, 20);
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *base = g_strconcat(name, ".svc", NULL);
		g_autoptr(DiagList) diags = diag_list_new();
		g_autoptr(ServiceDef) def = NULL;
		gsize length;
		g_autofree char *text = read_file(directory, name, ".svc", &length);
		const SourceText source = { .file = base, .text = text, .length = length };

		def = service_parse(name, &source, 1, diags);
		compare(directory, name, diags);
		ck_assert_ptr_nonnull(def->problem);
		ck_assert(g_str_has_prefix(def->problem, base));
	}
}
END_TEST

START_TEST(every_bad_policy_file_gives_the_expected_message_and_leaves_no_trace)
{
	static const char directory[] = TEST_DATA "/bad-policies";
	g_autoptr(GPtrArray) names = list_files(directory, ".policy");

	ck_assert_uint_ge(names->len, 8);
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *base = g_strconcat(name, ".policy", NULL);
		g_autoptr(DiagList) diags = diag_list_new();
		g_autoptr(Policy) policy = policy_new();
		g_autoptr(GPtrArray) named = NULL;
		gsize length;
		g_autofree char *text = read_file(directory, name, ".policy", &length);

		ck_assert(!policy_parse(policy, POLICY_LAYER_ADMIN, base, text, length, diags));
		compare(directory, name, diags);
		named = policy_named_services(policy);
		ck_assert_uint_eq(named->len, 0);
		ck_assert_str_eq(policy_runlevel_title(policy, "5"), "5");
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bad files");

	ADD_CASE(suite, "bad files",
		 every_bad_service_file_gives_the_expected_message_and_is_excluded,
		 every_bad_policy_file_gives_the_expected_message_and_leaves_no_trace);
	return suite;
}
