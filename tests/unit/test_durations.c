/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations: the expectation from earlier boots, and the file.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "boot/durations.h"
#include "tests/lib/suite.h"

/* One more boot, with this duration for "a". */
static void learn_a(Durations *durations, int64_t start_us, int64_t tail_us)
{
	durations_learn(durations, "a", (Duration){ start_us, tail_us });
	durations_learn_boot(durations, start_us + tail_us, 0);
}

static void expect_text(const Durations *durations, const char *expected)
{
	g_autofree char *text = durations_format(durations);

	ck_assert_str_eq(text, expected);
}

/* --- expectation --- */

static const struct {
	int64_t starts[8]; /* 0 ends the list */
	int64_t expected;
} medians[] = {
	{ { 100 }, 100 },
	{ { 100, 200 }, 150 },
	{ { 100, 200, 120 }, 120 },
	{ { 100, 100, 9000, 100, 100 }, 100 }, /* one outlier is ignored */
	{ { 100, 100, 9000, 8000, 100 }, 100 }, /* two are ignored */
	{ { 100, 100, 9000, 9000, 9000 }, 9000 }, /* three equal ones are accepted */
	{ { 1, 1, 1, 100, 200, 300, 400, 500 }, 300 }, /* only the last five are kept */
};

START_TEST(the_median_of_the_last_boots_is_expected)
{
	g_autoptr(Durations) durations = durations_new();

	for (unsigned i = 0; i < G_N_ELEMENTS(medians[_i].starts) && medians[_i].starts[i]; i++)
		learn_a(durations, medians[_i].starts[i], 7);

	ck_assert_int_eq(durations_expect(durations, "a").start_us, medians[_i].expected);
	ck_assert_int_eq(durations_expect(durations, "a").tail_us, 7);
}
END_TEST

START_TEST(an_unknown_service_is_expected_to_take_the_median)
{
	g_autoptr(Durations) durations = durations_new();

	ck_assert(!durations_know_anything(durations));
	ck_assert_int_eq(durations_expect(durations, "new").start_us, 0);

	durations_learn(durations, "quick", (Duration){ 10, 500 });
	durations_learn(durations, "middling", (Duration){ 50, 400 });
	durations_learn(durations, "slow", (Duration){ 7000, 0 });
	durations_learn_boot(durations, 7000, 0);

	ck_assert(durations_know_anything(durations));
	ck_assert_int_eq(durations_expect(durations, "new").start_us, 50);
	ck_assert_int_eq(durations_expect(durations, "new").tail_us, 0);
}
END_TEST

START_TEST(a_service_missing_from_many_boots_is_forgotten)
{
	g_autoptr(Durations) durations = durations_new();

	learn_a(durations, 100, 0);
	for (unsigned i = 0; i < DURATIONS_MISSED; i++)
		durations_learn_boot(durations, 1, 0);
	ck_assert(durations_know_anything(durations));

	durations_learn_boot(durations, 1, 0);
	ck_assert(!durations_know_anything(durations));
}
END_TEST

START_TEST(a_service_that_comes_back_is_remembered)
{
	g_autoptr(Durations) durations = durations_new();

	learn_a(durations, 100, 0);
	durations_learn_boot(durations, 1, 0);
	learn_a(durations, 300, 0);
	for (unsigned i = 0; i < DURATIONS_MISSED; i++)
		durations_learn_boot(durations, 1, 0);

	ck_assert_int_eq(durations_expect(durations, "a").start_us, 200);
}
END_TEST

START_TEST(there_is_a_limit_to_the_services_remembered)
{
	g_autoptr(Durations) durations = durations_new();
	g_autofree char *text = NULL;
	g_autoptr(Durations) again = NULL;

	for (unsigned i = 0; i < LIMIT_DURATIONS + 10; i++) {
		g_autofree char *name = g_strdup_printf("%0*u", LIMIT_NAME_BYTES, i);

		for (unsigned boot = 0; boot < DURATIONS_MEMORY; boot++)
			durations_learn(durations, name, (Duration){ INT64_MAX, INT64_MAX });
	}
	durations_learn_boot(durations, INT64_MAX, INT64_MAX);
	text = durations_format(durations);
	again = durations_parse(text, strlen(text), NULL);

	ck_assert_uint_lt(strlen(text), LIMIT_DURATIONS_BYTES);
	ck_assert_ptr_nonnull(again);
	ck_assert_ptr_null(strstr(text, "0004096 "));
}
END_TEST

/* --- the file --- */

START_TEST(what_is_written_is_read_again)
{
	g_autoptr(Durations) durations = durations_new();
	g_autoptr(Durations) again = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	learn_a(durations, 100, 50);
	durations_learn(durations, "getty@tty1", (Duration){ 0, 12 });
	durations_learn_boot(durations, 6400000, 6100000);
	text = durations_format(durations);
	again = durations_parse(text, strlen(text), &error);

	ck_assert_str_eq(text, "svcd-durations 1\nboot 150 0\nboot 6400000 6100000\n"
			       "service a 1 100+50\nservice getty@tty1 0 0+12\nend\n");
	ck_assert_msg(again, "%s", error ? error->message : "");
	expect_text(again, text);
	ck_assert_int_eq(durations_expect(again, "a").start_us, 100);
	ck_assert_int_eq(durations_expect(again, "new").start_us, 50);
}
END_TEST

START_TEST(only_the_last_boots_are_listed)
{
	g_autoptr(Durations) durations = durations_new();
	g_autofree char *text = NULL;

	for (unsigned i = 1; i <= DURATIONS_BOOTS + 3; i++)
		durations_learn_boot(durations, i, 0);
	text = durations_format(durations);

	ck_assert(g_str_has_prefix(text, "svcd-durations 1\nboot 4 0\n"));
	ck_assert(g_str_has_suffix(text, "\nboot 19 0\nend\n"));
}
END_TEST

#define FIRST "svcd-durations 1\n"

static const struct {
	const char *text;
	const char *problem;
	/* clang-format off */
} bad[] = {
	{ "", "line 1 is not \"svcd-durations 1\"" },
	{ "svcd-durations 2\nend\n", "line 1 is not \"svcd-durations 1\"" },
	{ "\x7f""ELF\x02\x01\x01", "line 1 is not \"svcd-durations 1\"" },
	{ FIRST, "line 2 cannot be understood" },
	{ FIRST "service a 0 1+2\n", "line 3 cannot be understood" }, /* cut off between two lines */
	{ FIRST "service a 0 1+2", "it does not end with a line \"end\"" },
	{ FIRST "end", "it does not end with a line \"end\"" },
	{ FIRST "end\nservice a 0 1+2\n", "it does not end with a line \"end\"" },
	{ FIRST "service a 0 1+2\nservice a 0 1+2\nend\n", "line 3 cannot be understood" }, /* "a" twice */
	{ FIRST "service ../../etc 0 1+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1+2 1+2 1+2 1+2 1+2 1+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1+2 1+2 1+2 1+2 1+2 1+2 1+2 1+2 1+2 1+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 21 1+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 -1+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1+\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1+2+3\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 1000000000001+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 99999999999999999999999999999+2\nend\n", "line 2 cannot be understood" },
	{ FIRST "service a 0 nan+inf\nend\n", "line 2 cannot be understood" },
	{ FIRST "boot 1\nend\n", "line 2 cannot be understood" },
	{ FIRST "boot 1 2 3\nend\n", "line 2 cannot be understood" },
	{ FIRST "reboot 1 2\nend\n", "line 2 cannot be understood" },
	{ FIRST "\nend\n", "line 2 cannot be understood" },
};
/* clang-format on */

START_TEST(an_invalid_file_is_refused_with_the_line)
{
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(durations_parse(bad[_i].text, strlen(bad[_i].text), &error));
	ck_assert_str_eq(error->message, bad[_i].problem);
}
END_TEST

START_TEST(a_nul_does_not_end_the_file)
{
	static const char text[] = FIRST "end\n\0service a 0 1+2\nend\n";
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_null(durations_parse(text, sizeof text - 1, &error));
	ck_assert_str_eq(error->message, "it does not end with a line \"end\"");
}
END_TEST

START_TEST(a_file_cut_off_anywhere_is_refused)
{
	static const char whole[] = FIRST "boot 150 0\nservice a 0 100+50 20+30\nend\n";

	for (size_t length = 0; length < sizeof whole - 1; length++) {
		g_autoptr(GError) error = NULL;
		Durations *durations = durations_parse(whole, length, &error);

		ck_assert_msg(!durations && error, "%zu bytes are enough", length);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("durations");

	ADD_CASE(suite, "expecting", an_unknown_service_is_expected_to_take_the_median,
		 a_service_missing_from_many_boots_is_forgotten,
		 a_service_that_comes_back_is_remembered,
		 there_is_a_limit_to_the_services_remembered);
	suite_add_loop(suite, "expecting", the_median_of_the_last_boots_is_expected,
		       G_N_ELEMENTS(medians));
	ADD_CASE(suite, "file", what_is_written_is_read_again, only_the_last_boots_are_listed,
		 a_nul_does_not_end_the_file, a_file_cut_off_anywhere_is_refused);
	suite_add_loop(suite, "file", an_invalid_file_is_refused_with_the_line, G_N_ELEMENTS(bad));
	return suite;
}
