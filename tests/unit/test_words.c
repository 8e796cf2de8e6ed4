/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib.h>

#include "tests/lib/suite.h"
#include "words/words.h"

static const struct {
	const char *text;
	const char *words; /* each followed by "," */
} lines[] = {
	{ "", "" },
	{ "  \t ", "" },
	{ "a", "a," },
	{ " a  b\tc ", "a,b,c," },
	{ "'a b' \"c d\"", "a b,c d," },
	{ "a'b'\"c\"d", "abcd," },
	{ "'' \"\"", ",," },
	{ "'a\\b' \"a\\b\" \"\\\"\\\\\"", "a\\b,a\\b,\"\\," },
	{ "a\\ b \\'", "a b,'," },
	{ "$HOME *.c #x ;y |z", "$HOME,*.c,#x,;y,|z," },
};

START_TEST(words_are_split_as_a_shell_splits_them)
{
	const char *problem = NULL;
	auto_words char **words = words_split(lines[_i].text, &problem);
	g_autoptr(GString) joined = g_string_new(NULL);

	ck_assert_ptr_nonnull(words);
	for (char **word = words; *word; word++)
		g_string_append_printf(joined, "%s,", *word);
	ck_assert_str_eq(joined->str, lines[_i].words);
}
END_TEST

static const struct {
	const char *text;
	const char *problem;
} unclosed[] = {
	{ "'a", "a ' is not closed" },
	{ "b \"a", "a \" is not closed" },
	{ "\"a\\", "a \" is not closed" },
	{ "a\\", "a \\ ends the line" },
};

START_TEST(an_unclosed_quote_is_a_problem)
{
	const char *problem = NULL;

	ck_assert_ptr_null(words_split(unclosed[_i].text, &problem));
	ck_assert_str_eq(problem, unclosed[_i].problem);
}
END_TEST

START_TEST(a_command_has_at_most_512_words)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const char *problem = NULL;
	char **words;

	for (int i = 0; i < WORDS_MAX; i++)
		g_string_append(text, "a ");
	words = words_split(text->str, &problem);
	ck_assert_uint_eq(g_strv_length(words), WORDS_MAX);
	words_free(words);
	g_string_append(text, "a");
	ck_assert_ptr_null(words_split(text->str, &problem));
	ck_assert_str_eq(problem, "there are more than 512 tokens");
}
END_TEST

START_TEST(yes_and_no_have_four_forms)
{
	bool value = false;

	ck_assert(words_parse_bool("yes", &value) && value);
	ck_assert(words_parse_bool("false", &value) && !value);
	ck_assert(words_parse_bool("on", &value) && value);
	ck_assert(words_parse_bool("0", &value) && !value);
	ck_assert(!words_parse_bool("Yes", &value));
	ck_assert(!words_parse_bool("", &value));
}
END_TEST

START_TEST(the_nearest_word_is_what_was_probably_meant)
{
	static const char *const words[] = { "dbus", "network-manager", "ssh", "nmbd", "a", NULL };

	ck_assert_str_eq(words_nearest("dbsu", words), "dbus");
	ck_assert_str_eq(words_nearest("DBUS", words), "dbus");
	ck_assert_str_eq(words_nearest("netwrok-manager", words), "network-manager");
	ck_assert_str_eq(words_nearest("sh", words), "ssh");
	ck_assert_str_eq(words_nearest("A", words), "a");
	ck_assert_ptr_null(words_nearest("b", words));
	ck_assert_ptr_null(words_nearest("postfix", words));
	ck_assert_ptr_null(words_nearest("nscd", words));
	ck_assert_ptr_null(words_nearest("", words));
	ck_assert_ptr_null(words_nearest("x", NULL));
}
END_TEST

START_TEST(long_words_are_nobodys_typing_mistake)
{
	g_autofree char *longer = g_strnfill(100000, 'x');
	g_autofree char *same = g_strnfill(100000, 'x');
	const char *words[] = { same, NULL };

	ck_assert_ptr_null(words_nearest(longer, words));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("words");

	suite_add_loop(suite, "words", words_are_split_as_a_shell_splits_them, G_N_ELEMENTS(lines));
	suite_add_loop(suite, "words", an_unclosed_quote_is_a_problem, G_N_ELEMENTS(unclosed));
	ADD_CASE(suite, "words", a_command_has_at_most_512_words, yes_and_no_have_four_forms,
		 the_nearest_word_is_what_was_probably_meant, long_words_are_nobodys_typing_mistake);
	return suite;
}
