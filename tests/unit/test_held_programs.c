/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "model/held-programs.h"
#include "model/service-parse.h"
#include "tests/lib/suite.h"

static HeldPrograms *parse(const char *text, DiagList *diags)
{
	return held_programs_parse(text, strlen(text), "/held", diags);
}

/*
 * A service with these lines. The returned text has its terms, one per line, with the When= terms
 * first and the While= terms after them.
 */
static char *terms_with(const char *held_text, const char *lines)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(HeldPrograms) held = parse(held_text, diags);
	g_autoptr(ServiceSet) set = service_set_new();
	g_autofree char *text = g_strdup_printf("[Service]\n%s", lines);
	const SourceText source = { .file = "/x.svc", .text = text, .length = strlen(text) };
	ServiceDef *def = service_parse("x", &source, 1, diags);
	GString *terms = g_string_new(NULL);

	ck_assert_uint_eq(diag_list_length(diags), 0);
	service_set_add(set, def);
	held_programs_apply(held, set);
	for (guint i = 0; i < def->when->len; i++)
		g_string_append_printf(terms, "When=%s\n",
				       ((const Term *)g_ptr_array_index(def->when, i))->text);
	for (guint i = 0; i < def->while_terms->len; i++)
		g_string_append_printf(
			terms, "While=%s\n",
			((const Term *)g_ptr_array_index(def->while_terms, i))->text);
	return g_string_free(terms, FALSE);
}

static const struct {
	const char *held;
	const char *lines;
	const char *terms;
	/* clang-format off */
} services[] = {
	{ "hold /bin/a because", "Exec=/bin/a\n", "When=installed:/bin/a\n" },
	{ "stop /bin/a because", "Exec=/bin/a\n", "While=installed:/bin/a\n" },
	{ "hold /bin/b because", "Exec=/bin/a\n", "" },
	{ "hold /bin/a because", "Exec=/bin/a\n[Conditions]\nWhen=path:exec:/bin/a\n",
	  "When=path:exec:/bin/a\nWhen=installed:/bin/a\n" },
	/*
	 * Each program that the service needs must be free; of several alternatives, one must be
	 * free.
	 */
	{ "hold /bin/b because", "Exec=/bin/a\n[Conditions]\nWhen=path:exec:/bin/b\n",
	  "When=path:exec:/bin/b\nWhen=installed:/bin/b\n" },
	{ "hold /bin/b because", "Exec=/bin/a\n[Conditions]\nWhen=path:exec:/bin/b | path:exec:/bin/c\n",
	  "When=path:exec:/bin/b | path:exec:/bin/c\n" },
	{ "hold /bin/b because\nstop /bin/c because", "Exec=/bin/a\n[Conditions]\nWhen=path:exec:/bin/b | path:exec:/bin/c\n",
	  "When=path:exec:/bin/b | path:exec:/bin/c\nWhen=installed:/bin/b | installed:/bin/c\n" },
	{ "hold /bin/b because", "Exec=/bin/a\n[Conditions]\nWhen=!path:exec:/bin/b\n", "When=!path:exec:/bin/b\n" },
	{ "hold /bin/b because", "Exec=/bin/a\n[Conditions]\nWhen=path:exec:/bin/b | kernel:b\n",
	  "When=path:exec:/bin/b | kernel:b\n" },
	/* While packages change, only programs that existed before are free. */
	{ "changing\nfree /bin/a", "Exec=/bin/a\n", "" },
	{ "changing\nfree /bin/b", "Exec=/bin/a\n", "When=installed:/bin/a\n" },
	{ "changing\nfree /usr/local/", "Exec=/usr/local/bin/a\n", "" },
	{ "changing\nfree /bin/a\nstop /bin/a because", "Exec=/bin/a\n", "While=installed:/bin/a\n" },
	/* A group runs no program. */
	{ "changing\nhold /bin/b because", "Type=group\n[Conditions]\nWhen=path:exec:/bin/b\n",
	  "When=path:exec:/bin/b\nWhen=installed:/bin/b\n" },
};
/* clang-format on */

START_TEST(a_service_with_a_held_program_has_a_term_for_it)
{
	g_autofree char *terms = terms_with(services[_i].held, services[_i].lines);

	ck_assert_str_eq(terms, services[_i].terms);
}
END_TEST

START_TEST(the_reason_is_the_package_managers)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(HeldPrograms) held = parse(
		"# a comment\n\nhold /bin/a package a is not configured yet\nstop /bin/b\n", diags);
	const char *why;

	ck_assert_int_eq(held_programs_find(held, "/bin/a", &why), PROGRAM_NO_START);
	ck_assert_str_eq(why, "package a is not configured yet");
	ck_assert_int_eq(held_programs_find(held, "/bin/b", &why), PROGRAM_STOP);
	ck_assert_str_eq(why, "its package is not configured");
	ck_assert_int_eq(held_programs_find(held, "/bin/c", &why), PROGRAM_FREE);
	ck_assert_ptr_null(why);
	ck_assert_int_eq(held_programs_find(NULL, "/bin/a", &why), PROGRAM_FREE);
	ck_assert_uint_eq(diag_list_length(diags), 0);
}
END_TEST

static const char *const bad[] = { "hold",       "hold a",       "keep /bin/a",
				   "changing x", "hold  /bin/a", "\xff" };

START_TEST(a_malformed_line_is_reported_and_left_out)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autofree char *text = g_strconcat(bad[_i], "\nhold /bin/z because\n", NULL);
	g_autoptr(HeldPrograms) held = parse(text, diags);
	const char *why;

	ck_assert_uint_eq(diag_list_length(diags), 1);
	ck_assert_uint_eq(diag_list_get(diags, 0)->origin.line, 1);
	ck_assert_int_eq(held_programs_find(held, "/bin/a", &why), PROGRAM_FREE);
	ck_assert_int_eq(held_programs_find(held, "/bin/z", &why), PROGRAM_NO_START);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("held programs");

	suite_add_loop(suite, "services", a_service_with_a_held_program_has_a_term_for_it,
		       G_N_ELEMENTS(services));
	suite_add_loop(suite, "lines", a_malformed_line_is_reported_and_left_out,
		       G_N_ELEMENTS(bad));
	ADD_CASE(suite, "reasons", the_reason_is_the_package_managers);
	return suite;
}
