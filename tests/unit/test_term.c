/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "model/term.h"
#include "tests/lib/suite.h"

static Term *parse(const char *text)
{
	char *problem = NULL;
	Term *term = term_parse(text, NULL, origin_new("x.svc", 3), &problem);

	ck_assert_msg(term != NULL, "%s", problem);
	return term;
}

START_TEST(a_term_is_conditions_joined_with_bars)
{
	g_autoptr(Term) term = parse("path:/a | !service:b | \"path:/with blank\"");

	ck_assert_uint_eq(term_length(term), 3);
	ck_assert_str_eq(term_literal(term, 0)->key, "path:/a");
	ck_assert(!term_literal(term, 0)->negated);
	ck_assert_str_eq(term_literal(term, 1)->key, "service:b");
	ck_assert(term_literal(term, 1)->negated);
	ck_assert_str_eq(term_literal(term, 2)->key, "path:/with blank");
	ck_assert_str_eq(term->text, "path:/a | !service:b | \"path:/with blank\"");
	ck_assert_uint_eq(term->origin.line, 3);
}
END_TEST

START_TEST(a_condition_of_several_words_goes_on_to_the_next_bar)
{
	g_autoptr(Term)
		term = parse("!udev:SUBSYSTEM=block \"ID_MODEL=My Disk\" | \"udev:A=b C=d\" | "
			     "dbus-property:org.a.B / org.a.B.State >= 70 | label:X");

	ck_assert_uint_eq(term_length(term), 4);
	ck_assert(term_literal(term, 0)->negated);
	ck_assert_str_eq(term_literal(term, 0)->key, "udev:\"ID_MODEL=My Disk\" SUBSYSTEM=block");
	ck_assert_str_eq(term_literal(term, 1)->key, "udev:A=b C=d");
	ck_assert_str_eq(term_literal(term, 2)->key, "dbus-property:org.a.B / org.a.B.State >= 70");
	ck_assert_str_eq(term_literal(term, 3)->key, "label:X");
}
END_TEST

START_TEST(a_due_condition_gets_the_service_of_its_file)
{
	g_autofree char *problem = NULL;
	g_autoptr(Term) term = term_parse("due:Mon..Fri *-*-* 06,18:00 | !due:00/4:00 | due:other/daily",
					  "own@x", origin_new("x.svc", 3), &problem);

	ck_assert_msg(term != NULL, "%s", problem);
	ck_assert_uint_eq(term_length(term), 3);
	ck_assert_str_eq(term_literal(term, 0)->key, "due:own@x/Mon..Fri *-*-* 06,18:00");
	ck_assert_str_eq(term_literal(term, 1)->key, "due:own@x/00/4:00");
	ck_assert(term_literal(term, 1)->negated);
	ck_assert_str_eq(term_literal(term, 2)->key, "due:other/daily");
}
END_TEST

static const struct {
	const char *text;
	const char *problem;
	/* clang-format off */
} bad[] = {
	{ "", "a condition is missing" },
	{ "|", "write \"|\" between two conditions" },
	{ "| path:/a", "write \"|\" between two conditions" },
	{ "path:/a |", "write \"|\" between two conditions" },
	{ "path:/a | | path:/b", "write \"|\" between two conditions" },
	{ "path:/a|path:/b", "write blanks around \"|\": path:/a|path:/b" },
	{ "path:/a path:/b", "\"path:/b\" follows without \"|\"; write conditions that must all be true on separate lines" },
	{ "path:/a && path:/b", "\"&&\" follows without \"|\"; write conditions that must all be true on separate lines" },
	{ "label:My Disk", "\"Disk\" follows without \"|\"; a name with blanks needs quotes: \"label:My Disk\"" },
	{ "! path:/a", "write \"!\" directly in front of a condition" },
	{ "!!path:/a", "one \"!\" is enough: !!path:/a" },
	{ "\"path:/a", "a \" is not closed" },
	{ "path:/a | servic:b", "no provider \"servic\"; did you mean \"service:b\"?" },
};
/* clang-format on */

START_TEST(an_invalid_term_is_reported)
{
	g_autofree char *problem = NULL;

	ck_assert_ptr_null(term_parse(bad[_i].text, NULL, origin_new("x.svc", 1), &problem));
	ck_assert_str_eq(problem, bad[_i].problem);
}
END_TEST

START_TEST(a_term_has_at_most_64_alternatives)
{
	g_autoptr(GString) text = g_string_new("flag:x");
	g_autofree char *problem = NULL;
	Term *term;

	for (int i = 1; i < LIMIT_TERM_ALTERNATIVES; i++)
		g_string_append(text, " | flag:x");
	term = parse(text->str);
	ck_assert_uint_eq(term_length(term), LIMIT_TERM_ALTERNATIVES);
	term_free(term);

	g_string_append(text, " | flag:x");
	ck_assert_ptr_null(term_parse(text->str, NULL, origin_new("x.svc", 1), &problem));
	ck_assert_str_eq(problem, "a term has at most 64 alternatives");
}
END_TEST

/* flag:t, flag:f and flag:u have those levels. */
static Level level_of(const char *key, void *data)
{
	const char *name = key_argument(key);

	return *name == 't' ? LEVEL_TRUE : *name == 'f' ? LEVEL_FALSE : LEVEL_UNKNOWN;
}

static const struct {
	const char *text;
	Level level;
	/* clang-format off */
} truths[] = {
	{ "flag:t", LEVEL_TRUE },           { "flag:f", LEVEL_FALSE },          { "flag:u", LEVEL_UNKNOWN },
	{ "!flag:t", LEVEL_FALSE },         { "!flag:f", LEVEL_TRUE },          { "!flag:u", LEVEL_UNKNOWN },
	{ "flag:t | flag:u", LEVEL_TRUE },  { "flag:u | flag:t", LEVEL_TRUE },  { "flag:f | flag:u", LEVEL_UNKNOWN },
	{ "flag:f | !flag:t", LEVEL_FALSE }, { "flag:f | !flag:f", LEVEL_TRUE },
};
/* clang-format on */

START_TEST(true_wins_over_unknown_and_unknown_over_false)
{
	g_autoptr(Term) term = parse(truths[_i].text);

	ck_assert_int_eq(term_evaluate(term, level_of, NULL), truths[_i].level);
}
END_TEST

START_TEST(only_a_single_plain_service_is_a_need)
{
	g_autoptr(Term) plain = parse("service:b");
	g_autoptr(Term) negated = parse("!service:b");
	g_autoptr(Term) either = parse("service:b | service:c");
	g_autoptr(Term) other = parse("active:b");

	ck_assert_str_eq(term_need(plain), "b");
	ck_assert_ptr_null(term_need(negated));
	ck_assert_ptr_null(term_need(either));
	ck_assert_ptr_null(term_need(other));
}
END_TEST

START_TEST(a_copy_and_a_shorthand_are_terms_like_others)
{
	g_autoptr(Term) term = parse("flag:f | !flag:t");
	g_autoptr(Term) copy = term_copy(term);
	g_autoptr(Term)
		after = term_new_single(KEY_SETTLED, "dbus", "dbus", origin_new("x.svc", 9));

	ck_assert_str_eq(copy->text, term->text);
	ck_assert_uint_eq(term_length(copy), 2);
	ck_assert(term_literal(copy, 1)->negated);
	ck_assert_ptr_eq(term_literal(after, 0)->key, g_intern_string("settled:dbus"));
	ck_assert_uint_eq(after->origin.line, 9);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("term");

	suite_add_loop(suite, "term", an_invalid_term_is_reported, G_N_ELEMENTS(bad));
	suite_add_loop(suite, "term", true_wins_over_unknown_and_unknown_over_false,
		       G_N_ELEMENTS(truths));
	ADD_CASE(suite, "term", a_term_is_conditions_joined_with_bars,
		 a_condition_of_several_words_goes_on_to_the_next_bar,
		 a_due_condition_gets_the_service_of_its_file,
		 a_term_has_at_most_64_alternatives, only_a_single_plain_service_is_a_need,
		 a_copy_and_a_shorthand_are_terms_like_others);
	return suite;
}
