/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "tests/lib/suite.h"

static const char *const awkward[] = { "",  " ",  "a b",   "'", "\"", "\\", "a\"b'c\\d e",
				       "|", "\t", "plain", "#x" };

START_TEST(joined_text_splits_into_the_same_tokens)
{
	const char *tokens[G_N_ELEMENTS(awkward) + 1] = { NULL };
	g_autofree char *joined = NULL;
	g_auto(GStrv) again = NULL;
	char *problem = NULL;

	memcpy(tokens, awkward, sizeof awkward);
	joined = text_join_tokens(tokens);
	again = text_split_tokens(joined, &problem);
	ck_assert_ptr_nonnull(again);
	ck_assert(g_strv_equal((const char *const *)again, tokens));
}
END_TEST

START_TEST(percent_i_is_the_instance_and_t_the_runtime_directory)
{
	g_autofree char *problem = NULL;
	g_autofree char *expanded =
		text_expand("/dev/%i %% %i %t/%i %%t", "tty1", "/run", &problem);

	ck_assert_str_eq(expanded, "/dev/tty1 % tty1 /run/tty1 %t");
	ck_assert_ptr_null(text_expand("100%", "x", "/run", &problem));
	ck_assert_str_eq(problem, "only %i and %t are replaced; write %% for a percent sign");
	g_clear_pointer(&problem, g_free);
	ck_assert_ptr_null(text_expand("%i", NULL, "/run", &problem));
	ck_assert_str_eq(problem, "%i is replaced only in a template (NAME@.svc)");
}
END_TEST

static const struct {
	const char *text;
	int64_t us; /* -1: refused */
	/* clang-format off */
} durations[] = {
	{ "0", 0 },           { "5", 5000000 },     { "5s", 5000000 },       { "1.5s", 1500000 },
	{ "200ms", 200000 },  { "7us", 7 },         { "2min", 120000000 },   { "2m", 120000000 },
	{ "1h", 3600000000 }, { "1d", 86400000000 }, { "1h 30min", 5400000000 }, { "1h30min", 5400000000 },
	{ " 5s ", 5000000 },  { "", -1 },           { " ", -1 },             { "infinity", -1 },
	{ "-1s", -1 },        { "5 s", -1 },        { "5x", -1 },            { "s", -1 },
	{ "1,5s", -1 },       { "99999d", -1 },     { "0x10", -1 },          { "1e300", -1 },
};
/* clang-format on */

START_TEST(durations_are_numbers_with_units)
{
	int64_t us = -2;
	const bool fine = text_parse_duration(durations[_i].text, &us);

	ck_assert_msg(fine == (durations[_i].us >= 0), "\"%s\"", durations[_i].text);
	if (fine)
		ck_assert_int_eq(us, durations[_i].us);
	else
		ck_assert_int_eq(us, -2);
}
END_TEST

static const struct {
	int64_t us;
	const char *text;
} shown_durations[] = {
	{ 0, "0 ms" },
	{ 812000, "812 ms" },
	{ 6400000, "6.4 s" },
	{ 130000000, "2 min 10 s" },
	{ 3 * 3600000000 + 240000000, "3 h 4 min" },
	{ 2 * 86400000000 + 3600000000, "2 d 1 h" },
};

START_TEST(durations_are_shown_in_two_units)
{
	g_autofree char *text = text_format_duration(shown_durations[_i].us);

	ck_assert_str_eq(text, shown_durations[_i].text);
}
END_TEST

static const struct {
	int64_t us;
	const char *text;
} shown_ages[] = {
	{ -1, "just now" },
	{ 999999, "just now" },
	{ 1000000, "1.0 s ago" },
	{ 130000000, "2 min 10 s ago" },
};

START_TEST(an_age_of_less_than_a_second_is_just_now)
{
	g_autofree char *text = text_format_ago(shown_ages[_i].us);

	ck_assert_str_eq(text, shown_ages[_i].text);
}
END_TEST

static const struct {
	const char *text;
	bool fine;
	uint64_t bytes;
} sizes[] = {
	{ "0", true, 0 },
	{ "4096", true, 4096 },
	{ "64K", true, 65536 },
	{ "1M", true, 1048576 },
	{ "2G", true, UINT64_C(2147483648) },
	{ "1T", true, UINT64_C(1099511627776) },
	{ "infinity", true, UINT64_MAX },
	{ "18446744073709551615", true, UINT64_MAX },
	{ "18446744073709551616", false, 0 },
	{ "17179869184G", false, 0 },
	{ "", false, 0 },
	{ "K", false, 0 },
	{ "-1", false, 0 },
	{ "1.5K", false, 0 },
	{ "1k", false, 0 },
	{ "1 K", false, 0 },
};

START_TEST(sizes_are_numbers_with_a_letter)
{
	uint64_t bytes = 7;

	ck_assert_msg(text_parse_size(sizes[_i].text, &bytes) == sizes[_i].fine, "\"%s\"",
		      sizes[_i].text);
	ck_assert_uint_eq(bytes, sizes[_i].fine ? sizes[_i].bytes : 7);
}
END_TEST

START_TEST(numbers_are_taken_whole_or_not_at_all)
{
	uint64_t u = 0;
	int64_t i = 0;

	ck_assert(text_parse_uint("4000000000", 10, UINT32_MAX, &u) && u == 4000000000u);
	ck_assert(text_parse_uint("0755", 8, 07777, &u) && u == 0755);
	ck_assert(!text_parse_uint("4294967296", 10, UINT32_MAX, &u));
	ck_assert(!text_parse_uint("-1", 10, UINT64_MAX, &u));
	ck_assert(!text_parse_uint("+1", 10, UINT64_MAX, &u));
	ck_assert(!text_parse_uint(" 1", 10, UINT64_MAX, &u));
	ck_assert(!text_parse_uint("1x", 10, UINT64_MAX, &u));
	ck_assert(!text_parse_uint("", 10, UINT64_MAX, &u));
	ck_assert(!text_parse_uint("99999999999999999999", 10, UINT64_MAX, &u));
	ck_assert(text_parse_int("-20", -20, 19, &i) && i == -20);
	ck_assert(!text_parse_int("-21", -20, 19, &i));
	ck_assert(!text_parse_int("20", -20, 19, &i));
	ck_assert(!text_parse_int("-", -20, 19, &i));
	ck_assert(!text_parse_int("--1", -20, 19, &i));
}
END_TEST

START_TEST(a_number_in_base_36_is_read_back)
{
	static const struct {
		uint64_t value;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 35, "z" },
		{ 36, "10" },
		{ INT64_MAX, "1y2p0ij32e8e7" },
	};
	const char *end;
	int64_t i;

	for (size_t n = 0; n < G_N_ELEMENTS(rows); n++) {
		char digits[TEXT_BASE36_BYTES];

		ck_assert_str_eq(text_base36(digits, rows[n].value), rows[n].text);
		ck_assert(text_parse_base36(rows[n].text, &i, &end) &&
			  i == (int64_t)rows[n].value && *end == '\0');
	}
	ck_assert(text_parse_base36("z@1", &i, &end) && i == 35 && *end == '@');
	ck_assert(!text_parse_base36("", &i, &end));
	ck_assert(!text_parse_base36("-1", &i, &end));
	ck_assert(!text_parse_base36("1y2p0ij32e8e8", &i, &end));
}
END_TEST

START_TEST(names_survive_the_way_through_a_bus_path)
{
	static const char *const names[] = { "ssh", "getty@tty1", "a-b_c.d", "", "_", "\xc3\xa4" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *element = text_escape_bus_path(names[i]);
		g_autofree char *name = text_unescape_bus_path(element);

		ck_assert_uint_eq(strspn(element, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_"),
				  strlen(element));
		ck_assert_str_eq(name, names[i]);
	}
	ck_assert_ptr_null(text_unescape_bus_path("a_4"));
	ck_assert_ptr_null(text_unescape_bus_path("a_zz"));
}
END_TEST

START_TEST(what_could_upset_a_terminal_is_escaped)
{
	g_autofree char *text = text_escape_terminal("a\tb\n\x1b[31m\xff\xc3\xa4\xc2\x9b\x7f");

	ck_assert_str_eq(text, "a b\\x0a\\x1b[31m\\xff\xc3\xa4\\x9b\\x7f");
}
END_TEST

/* Such characters could make a line look like another one. */
START_TEST(characters_that_turn_text_around_are_shown_as_such)
{
	g_autofree char *text = text_escape_terminal(
		"a\u202egpj.exe\u2066b\u2069\u200f\u061c\u2028\u200b\ufeff\U000e0041");
	g_autofree char *tokens = text_escape_terminal(
		"\u05e9\u05dc\u05d5\u05dd \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2026");

	ck_assert_str_eq(
		text, "a\\u202egpj.exe\\u2066b\\u2069\\u200f\\u061c\\u2028\\u200b\\ufeff\\ue0041");
	ck_assert_str_eq(
		tokens,
		"\u05e9\u05dc\u05d5\u05dd \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u2026");
}
END_TEST

/* A terminal obeys U+009B, also inside the JSON output about a service. */
START_TEST(in_json_they_are_escaped_as_json_has_it)
{
	g_autofree char *json = text_escape_json("{\"a\": \"\xc2\x9b"
						 "31m \u202e \u2069 \u00e4 \U000e0041 \x7f \\n\"}");

	ck_assert_str_eq(
		json, "{\"a\": \"\\u009b31m \\u202e \\u2069 \u00e4 \\udb40\\udc41 \\u007f \\n\"}");
}
END_TEST

START_TEST(signals_have_names_and_numbers)
{
	int number = 0;

	ck_assert(text_parse_signal("HUP", &number) && number == SIGHUP);
	ck_assert(text_parse_signal("SIGTERM", &number) && number == SIGTERM);
	ck_assert(text_parse_signal("9", &number) && number == SIGKILL);
	ck_assert(text_parse_signal("RTMIN+3", &number) && number == SIGRTMIN + 3);
	ck_assert(text_parse_signal("SIGRTMIN+3", &number) && number == SIGRTMIN + 3);
	ck_assert(!text_parse_signal("0", &number));
	ck_assert(!text_parse_signal("hup", &number));
	ck_assert(!text_parse_signal("RTMIN+99", &number));
	ck_assert(!text_parse_signal("", &number));
	ck_assert_str_eq(text_signal_name(SIGKILL), "KILL");
	ck_assert_str_eq(text_signal_name(SIGRTMIN + 1), "a real-time signal");
	ck_assert_str_eq(text_signal_name(0), "an unknown signal");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("text");

	ADD_CASE(suite, "words", joined_text_splits_into_the_same_tokens,
		 percent_i_is_the_instance_and_t_the_runtime_directory);
	suite_add_loop(suite, "numbers", durations_are_numbers_with_units, G_N_ELEMENTS(durations));
	suite_add_loop(suite, "numbers", durations_are_shown_in_two_units,
		       G_N_ELEMENTS(shown_durations));
	suite_add_loop(suite, "numbers", an_age_of_less_than_a_second_is_just_now,
		       G_N_ELEMENTS(shown_ages));
	suite_add_loop(suite, "numbers", sizes_are_numbers_with_a_letter, G_N_ELEMENTS(sizes));
	ADD_CASE(suite, "numbers", numbers_are_taken_whole_or_not_at_all,
		 a_number_in_base_36_is_read_back);
	ADD_CASE(suite, "names", names_survive_the_way_through_a_bus_path,
		 what_could_upset_a_terminal_is_escaped,
		 characters_that_turn_text_around_are_shown_as_such,
		 in_json_they_are_escaped_as_json_has_it, signals_have_names_and_numbers);
	return suite;
}
