/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "policy-edit/ini-edit.h"
#include "tests/lib/suite.h"

#define HEAD INI_EDIT_HEAD

static GBytes *bytes_of(const char *text)
{
	return text ? g_bytes_new(text, strlen(text)) : NULL;
}

static void expect_text(GBytes *bytes, const char *expected)
{
	g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));

	ck_assert_str_eq(text, expected);
}

static const struct Edit {
	const char *before;
	const char *section;
	const char *key;
	const char *value; /* NULL: removed */
	const char *after;
	/* clang-format off */
} edits[] = {
	/* A new file names its author. */
	{ NULL, "service ssh", "Activation", "never", HEAD "\n[service ssh]\nActivation=never\n" },
	{ "", "service ssh", "Activation", "never", HEAD "\n[service ssh]\nActivation=never\n" },
	/* A new section goes to the end, after an empty line. */
	{ "[service a]\nReason=x\n", "service b", "Reason", "y",
	  "[service a]\nReason=x\n\n[service b]\nReason=y\n" },
	{ "# mine\n", "defaults", "Runlevel", "3", "# mine\n\n[defaults]\nRunlevel=3\n" },
	/* A new key goes after the last key of its section, before the comment of the next one. */
	{ "[a]\nA=1\n\n# about b\n[b]\nB=1\n", "a", "C", "2", "[a]\nA=1\nC=2\n\n# about b\n[b]\nB=1\n" },
	{ "[a]\nA=1\n  2\n  3\n\n[b]\n", "a", "C", "2", "[a]\nA=1\n  2\n  3\nC=2\n\n[b]\n" },
	{ "[a]\n# why\n\n[b]\n", "a", "C", "2", "[a]\n# why\nC=2\n\n[b]\n" },
	{ "[a]\n", "a", "C", "2", "[a]\nC=2\n" },
	/* An existing key is replaced in place, all its lines by one. */
	{ "[a]\nX=1\nA=1\nY=1\n", "a", "A", "2", "[a]\nX=1\nA=2\nY=1\n" },
	{ "[a]\nA=1\nX=1\nA=2\n# why\nA=3\n", "a", "A", "9", "[a]\nA=9\nX=1\n# why\n" },
	{ "[a]\nA=1\n\tmore\n# between\n   still\nX=1\n", "a", "A", "9", "[a]\nA=9\n# between\nX=1\n" },
	{ "[a]\nA=1\n[b]\nA=1\n[a]\nA=2\n", "a", "A", "9", "[a]\nA=9\n[b]\nA=1\n[a]\n" },
	{ "[service  a]\nA=1\n", "service a", "A", "2", "[service  a]\nA=2\n" },
	{ "[ a ]\nA = 1\n", "a", "A", "2", "[ a ]\nA=2\n" },
	{ "[a]\nA=1\n", "a", "A", "", "[a]\nA=\n" },
	{ "[a]\nA=1\n", "a", "A", "  x ; y # z  ", "[a]\nA=x ; y # z\n" },
	/* Removing the last key also removes its section and the empty line above. */
	{ "# mine\n\n[a]\nA=1\n", "a", "A", NULL, "# mine\n" },
	{ "[a]\nA=1\n\n[b]\nB=1\n\n[c]\nC=1\n", "b", "B", NULL, "[a]\nA=1\n\n[c]\nC=1\n" },
	{ "[a]\nA=1\n\n[b]\nB=1\n", "a", "A", NULL, "[b]\nB=1\n" },
	{ "[a]\nA=1\nB=1\nA=2\n", "a", "A", NULL, "[a]\nB=1\n" },
	{ "[a]\nA=1\n  2\n[b]\nB=1\n", "a", "A", NULL, "[b]\nB=1\n" },
	{ "[a]\nA=1\n[b]\nB=1\n[a]\nA=2\n", "a", "A", NULL, "[b]\nB=1\n" },
	/* But a section with a comment stays. */
	{ "[a]\n# office rule 12\nA=1\n", "a", "A", NULL, "[a]\n# office rule 12\n" },
	{ "[a]\nA=1\n# office rule 12\n", "a", "A", NULL, "[a]\n# office rule 12\n" },
	{ "[a]\nA=1\n\n# about b\n[b]\n", "a", "A", NULL, "# about b\n[b]\n" },
	/* Removing a missing key changes nothing. */
	{ "[a]\nA=1\n", "a", "B", NULL, "[a]\nA=1\n" },
	{ "[a]\nA=1\n", "b", "A", NULL, "[a]\nA=1\n" },
	{ "[a]\n\n[b]\nB=1\n", "a", "A", NULL, "[a]\n\n[b]\nB=1\n" },
};
/* clang-format on */

START_TEST(one_key_changes_and_all_else_stays_as_it_is)
{
	const struct Edit *edit = &edits[_i];
	g_autoptr(GBytes) text = bytes_of(edit->before);
	g_autoptr(GError) error = NULL;

	ck_assert_msg(ini_edit_set("x.policy", &text, edit->section, edit->key, edit->value,
				   &error),
		      "%s", error ? error->message : "");
	expect_text(text, edit->after);
}
END_TEST

static const struct Hostile {
	const char *bytes;
	gsize length;
	const char *expected;
} hostile[] = {
#define HOSTILE(text, expected)                 \
	{                                       \
		text, sizeof text - 1, expected \
	}
	HOSTILE("[a]\r\nA=1\r\n",
		"x.policy:1: the line contains a carriage return; save the file with Unix line "
		"ends (LF, "
		"not CR LF); nothing was changed in x.policy, correct that line first"),
	HOSTILE("[a]\nA=1",
		"x.policy: there is no newline at the end; add one; nothing was changed"),
	HOSTILE("[a]\nA=\0001\n",
		"x.policy:2: the line contains a NUL byte; a service or policy file is text; "
		"nothing was "
		"changed in x.policy, correct that line first"),
	HOSTILE("[a]\nA=\xff\n",
		"x.policy:2: the line is not UTF-8: byte 0xff; nothing was changed in x.policy, "
		"correct "
		"that line first"),
	HOSTILE("\xef\xbb\xbf[a]\n",
		"x.policy:1: the file begins with a byte order mark; save it as UTF-8 without one; "
		"nothing was changed in x.policy, correct that line first"),
	HOSTILE("[a\nA=1\n",
		"x.policy:1: a section is written [Name], alone on its line; nothing was changed "
		"in "
		"x.policy, correct that line first"),
	HOSTILE("A=1\n", "x.policy:1: A= comes before the first [Section]; nothing was changed in "
			 "x.policy, correct "
			 "that line first"),
	HOSTILE("[a]\nwhat is this\n",
		"x.policy:2: this is neither a [Section] nor Key=value nor a # comment; nothing "
		"was changed in x.policy, correct that line first"),
};

START_TEST(a_file_that_cannot_be_read_as_it_is_meant_is_refused_and_left_alone)
{
	g_autoptr(GBytes) before = g_bytes_new(hostile[_i].bytes, hostile[_i].length);
	g_autoptr(GBytes) text = g_bytes_ref(before);
	g_autoptr(GError) error = NULL;

	ck_assert(!ini_edit_set("x.policy", &text, "a", "A", "2", &error));
	ck_assert_str_eq(error->message, hostile[_i].expected);
	ck_assert_ptr_eq(text, before);
	g_clear_error(&error);
	ck_assert(!ini_edit_remove_section("x.policy", &text, "a", &error));
	ck_assert_str_eq(error->message, hostile[_i].expected);
	ck_assert_ptr_eq(text, before);
}
END_TEST

static const struct Argument {
	const char *section;
	const char *key;
	const char *value;
	const char *expected;
} arguments[] = {
	{ "a", "A", "1\n[b]", "the value may not contain the byte 0x0a" },
	{ "a", "A", "1\r", NULL }, /* blanks are stripped */
	{ "a", "A", "1\r2", "the value may not contain the byte 0x0d" },
	{ "a", "A", "\xc3", "the value is not UTF-8" },
	{ "a", "A=B", "1", "\"A=B\" is not the name of a key" },
	{ "a", "", "1", "\"\" is not the name of a key" },
	{ "a]\n[b", "A", "1", "the name of the section may not contain the byte 0x5d" },
	{ "", "A", "1", "no section is named" },
	{ "a", "A23456789012345678901234567890123456789012345678x", "1",
	  "x.policy:5: the name of a key has at most 48 bytes; nothing was changed in x.policy, "
	  "correct that line first" },
};

START_TEST(an_argument_cannot_add_other_lines)
{
	g_autoptr(GBytes) text = NULL;
	g_autoptr(GError) error = NULL;
	const bool fine = ini_edit_set("x.policy", &text, arguments[_i].section, arguments[_i].key,
				       arguments[_i].value, &error);

	ck_assert(fine == !arguments[_i].expected);
	if (!fine) {
		ck_assert_str_eq(error->message, arguments[_i].expected);
		ck_assert_ptr_null(text);
	}
}
END_TEST

START_TEST(a_file_does_not_grow_beyond_what_is_read)
{
	g_autoptr(GString) full = g_string_new("[a]\n");
	g_autoptr(GBytes) text = NULL;
	g_autoptr(GError) error = NULL;

	while (full->len < LIMIT_FILE_BYTES)
		g_string_append_c(full, full->len % 100 == 0 || full->len == LIMIT_FILE_BYTES - 1 ?
						'\n' :
						'#');
	text = g_bytes_new(full->str, full->len);
	ck_assert(!ini_edit_set("x.policy", &text, "a", "A", "1", &error));
	ck_assert_str_eq(error->message,
			 "x.policy would become longer than 262144 bytes; nothing was changed");
	g_clear_error(&error);
	g_bytes_unref(text);
	g_string_append(full, "#\n");
	text = g_bytes_new(full->str, full->len);
	ck_assert(!ini_edit_set("x.policy", &text, "a", "A", "1", &error));
	ck_assert_str_eq(error->message,
			 "x.policy is longer than 262144 bytes; nothing was changed");
}
END_TEST

START_TEST(removing_a_section_removes_its_comments_and_nothing_else)
{
	g_autoptr(GBytes) text = bytes_of(
		"# mine\n\n[a]\n# why\nA=1\n# still a\n\n# about b\n[b]\nB=1\n\n[a]\nA=2\n");

	ck_assert(ini_edit_remove_section("x.policy", &text, "a", NULL));
	expect_text(text, "# mine\n\n# about b\n[b]\nB=1\n");
}
END_TEST

/* Text such as a person would write, different each time. */
static char *random_text(GRand *rand)
{
	static const char *const lines[] = { "# a comment\n",
					     "\n",
					     "[s1]\nK=v\n",
					     "[s2]\n# in it\nL=1\n  2\n",
					     "\n[s3]\nK=1\nK=2\n",
					     "[s4]\nM=x\n\n# below\n",
					     "\n\n" };
	GString *text = g_string_new(NULL);

	for (int n = g_rand_int_range(rand, 1, 12); n > 0; n--)
		g_string_append(text, lines[g_rand_int_range(rand, 0, G_N_ELEMENTS(lines))]);
	return g_string_free(text, FALSE);
}

START_TEST(removing_a_new_setting_restores_the_former_bytes)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)_i);
	g_autofree char *before = random_text(rand);
	g_autoptr(GBytes) text = bytes_of(before);
	static const char *const sections[] = { "s1", "s2", "new" };

	ck_assert(ini_edit_set("x", &text, sections[_i % 3], "Fresh", "1", NULL));
	ck_assert_uint_gt(g_bytes_get_size(text), strlen(before));
	ck_assert(ini_edit_set("x", &text, sections[_i % 3], "Fresh", NULL, NULL));
	expect_text(text, before);
}
END_TEST

START_TEST(edits_of_different_services_commute)
{
	static const char before[] =
		"[service a]\nK=1\n\n[service b]\nK=1\n# why\n\n[service c]\nK=1\n";
	static const char *const orders[] = { "abc", "acb", "bac", "bca", "cab", "cba" };
	g_autoptr(GBytes) text = bytes_of(before);

	for (const char *p = orders[_i]; *p; p++) {
		g_autofree char *section = g_strdup_printf("service %c", *p);

		ck_assert(ini_edit_set("x", &text, section, "K", *p == 'b' ? NULL : "2", NULL));
		ck_assert(ini_edit_set("x", &text, section, "L", "3", NULL));
	}
	expect_text(text,
		    "[service a]\nK=2\nL=3\n\n[service b]\n# why\nL=3\n\n[service c]\nK=2\nL=3\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("ini-edit");

	suite_add_loop(suite, "ini-edit", one_key_changes_and_all_else_stays_as_it_is,
		       G_N_ELEMENTS(edits));
	suite_add_loop(suite, "ini-edit",
		       a_file_that_cannot_be_read_as_it_is_meant_is_refused_and_left_alone,
		       G_N_ELEMENTS(hostile));
	suite_add_loop(suite, "ini-edit", an_argument_cannot_add_other_lines,
		       G_N_ELEMENTS(arguments));
	suite_add_loop(suite, "ini-edit", removing_a_new_setting_restores_the_former_bytes, 300);
	suite_add_loop(suite, "ini-edit", edits_of_different_services_commute, 6);
	ADD_CASE(suite, "ini-edit", a_file_does_not_grow_beyond_what_is_read,
		 removing_a_section_removes_its_comments_and_nothing_else);
	return suite;
}
