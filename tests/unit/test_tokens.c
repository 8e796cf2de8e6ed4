/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib.h>

#include "tests/lib/suite.h"
#include "tokens/tokens.h"

static const struct {
	const char *text;
	const char *tokens; /* each followed by "," */
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

START_TEST(tokens_are_split_as_in_a_shell)
{
	const char *problem = NULL;
	auto_tokens char **tokens = tokens_split(lines[_i].text, &problem);
	g_autoptr(GString) joined = g_string_new(NULL);

	ck_assert_ptr_nonnull(tokens);
	for (char **token = tokens; *token; token++)
		g_string_append_printf(joined, "%s,", *token);
	ck_assert_str_eq(joined->str, lines[_i].tokens);
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

	ck_assert_ptr_null(tokens_split(unclosed[_i].text, &problem));
	ck_assert_str_eq(problem, unclosed[_i].problem);
}
END_TEST

START_TEST(a_command_has_at_most_512_arguments)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const char *problem = NULL;
	char **tokens;

	for (int i = 0; i < TOKENS_MAX; i++)
		g_string_append(text, "a ");
	tokens = tokens_split(text->str, &problem);
	ck_assert_uint_eq(g_strv_length(tokens), TOKENS_MAX);
	tokens_free(tokens);
	g_string_append(text, "a");
	ck_assert_ptr_null(tokens_split(text->str, &problem));
	ck_assert_str_eq(problem, "there are more than 512 tokens");
}
END_TEST

START_TEST(yes_and_no_have_four_forms)
{
	bool value = false;

	ck_assert(token_parse_bool("yes", &value) && value);
	ck_assert(token_parse_bool("false", &value) && !value);
	ck_assert(token_parse_bool("on", &value) && value);
	ck_assert(token_parse_bool("0", &value) && !value);
	ck_assert(!token_parse_bool("Yes", &value));
	ck_assert(!token_parse_bool("", &value));
}
END_TEST

START_TEST(the_nearest_token_is_suggested)
{
	static const char *const tokens[] = { "dbus", "network-manager", "ssh", "nmbd", "a", NULL };

	ck_assert_str_eq(token_nearest("dbsu", tokens), "dbus");
	ck_assert_str_eq(token_nearest("DBUS", tokens), "dbus");
	ck_assert_str_eq(token_nearest("netwrok-manager", tokens), "network-manager");
	ck_assert_str_eq(token_nearest("sh", tokens), "ssh");
	ck_assert_str_eq(token_nearest("A", tokens), "a");
	ck_assert_ptr_null(token_nearest("b", tokens));
	ck_assert_ptr_null(token_nearest("postfix", tokens));
	ck_assert_ptr_null(token_nearest("nscd", tokens));
	ck_assert_ptr_null(token_nearest("", tokens));
	ck_assert_ptr_null(token_nearest("x", NULL));
}
END_TEST

START_TEST(overlong_tokens_get_no_suggestion)
{
	g_autofree char *longer = g_strnfill(100000, 'x');
	g_autofree char *same = g_strnfill(100000, 'x');
	const char *tokens[] = { same, NULL };

	ck_assert_ptr_null(token_nearest(longer, tokens));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("tokens");

	suite_add_loop(suite, "words", tokens_are_split_as_in_a_shell, G_N_ELEMENTS(lines));
	suite_add_loop(suite, "words", an_unclosed_quote_is_a_problem, G_N_ELEMENTS(unclosed));
	ADD_CASE(suite, "words", a_command_has_at_most_512_arguments, yes_and_no_have_four_forms,
		 the_nearest_token_is_suggested, overlong_tokens_get_no_suggestion);
	return suite;
}
