/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "model/ini-source.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static const IniFile *read_bytes(Arena *arena, const char *text, gsize length, DiagList *diags)
{
	return ini_file_read(arena, "x.svc", text, length, NULL, diags);
}

static const IniFile *read_good(Arena *arena, const char *text)
{
	g_autoptr(DiagList) diags = diag_list_new();
	const IniFile *ini = read_bytes(arena, text, strlen(text), diags);

	expect_diags(diags, "");
	ck_assert(!ini->broken);
	return ini;
}

static const IniEntry *entry_at(const IniFile *ini, guint index)
{
	const IniEntry *entry = ini->entries;

	for (guint i = 0; entry && i < index; i++)
		entry = entry->next;
	ck_assert_ptr_nonnull(entry);
	return entry;
}

static void expect_entry(const IniFile *ini, guint index, const char *section, const char *key,
			 const char *value)
{
	const IniEntry *entry = entry_at(ini, index);
	g_autoptr(Arena) arena = arena_new();

	ck_assert_str_eq(entry->section->name, section);
	ck_assert_str_eq(entry->key, key);
	ck_assert_str_eq(ini_entry_join(arena, entry), value);
}

START_TEST(entries_know_their_section_and_line)
{
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_good(arena, "# first\n\n[A]\nx=1\n[ B c ]\n\ny = 2 \nx=3");

	expect_entry(ini, 0, "A", "x", "1");
	expect_entry(ini, 1, "B c", "y", "2");
	expect_entry(ini, 2, "B c", "x", "3");
	ck_assert_uint_eq(entry_at(ini, 0)->first.line, 4);
	ck_assert_uint_eq(entry_at(ini, 1)->first.line, 7);
	ck_assert_uint_eq(entry_at(ini, 2)->first.line, 8);
	ck_assert_uint_eq(entry_at(ini, 2)->section->line, 5);
}
END_TEST

static const char *const values[] = {
	"",        "a",     "a;b", "a ;b", "a ; b", "; b",
	"#c",      "a # c", "a=b", "a:b",  "[x]",   "\"quoted\"",
	"a\tb  c", ".",     "..",  "a;",   "a ;",   "\xc3\xa4 \xe2\x82\xac",
};

START_TEST(a_value_is_never_truncated)
{
	g_autofree char *text = g_strdup_printf("[A]\nx=%s\n", values[_i]);
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_good(arena, text);

	expect_entry(ini, 0, "A", "x", values[_i]);
}
END_TEST

START_TEST(a_value_of_any_length_up_to_the_limit_comes_through_whole)
{
	for (size_t length = 1; length <= LIMIT_LINE_BYTES;
	     length = length < 700 ? length + 1 : length * 2) {
		g_autoptr(GString) value = g_string_new(NULL);
		g_autoptr(GString) text = g_string_new("[A]\nx=");
		g_autoptr(Arena) arena = arena_new();
		const IniFile *ini;

		/* Blanks and semicolons occur at each place where a piece may end. */
		while (value->len < length)
			g_string_append_c(value, value->len + 1 == length ?
							 'z' :
							 "a ;\xc3\xa4 ;b"[value->len % 8]);
		g_string_truncate(value, length);
		value->str[0] = 'z';
		for (size_t i = 0; i < length; i++) { /* no half characters */
			if ((value->str[i] & 0x80) &&
			    (i + 1 >= length || !(value->str[i + 1] & 0x80)) &&
			    (i == 0 || !(value->str[i - 1] & 0x80)))
				value->str[i] = 'y';
		}
		g_string_append_printf(text, "%s\n", value->str);
		ini = read_good(arena, text->str);
		expect_entry(ini, 0, "A", "x", value->str);
	}
}
END_TEST

START_TEST(long_keys_and_sections_are_distinguished_by_their_last_byte)
{
	g_autofree char *section = g_strnfill(LIMIT_NAME_BYTES, 's');
	g_autofree char *key = g_strnfill(47, 'k');
	g_autofree char *text =
		g_strdup_printf("[%sa]\n%sa=1\n[%sb]\n%sb=2\n", section, key, section, key);
	g_autofree char *section_a = g_strconcat(section, "a", NULL);
	g_autofree char *section_b = g_strconcat(section, "b", NULL);
	g_autofree char *key_a = g_strconcat(key, "a", NULL);
	g_autofree char *key_b = g_strconcat(key, "b", NULL);
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_good(arena, text);

	expect_entry(ini, 0, section_a, key_a, "1");
	expect_entry(ini, 1, section_b, key_b, "2");
}
END_TEST

START_TEST(an_indented_line_continues_the_value_above_it)
{
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_good(arena, "[A]\nx=1\n  2 ; 3\n# between\n\t4\ny=\n  5\n");
	const IniPart *last = entry_at(ini, 0)->first.next->next;

	expect_entry(ini, 0, "A", "x", "1 2 ; 3 4");
	expect_entry(ini, 1, "A", "y", "5");
	ck_assert_ptr_null(last->next);
	ck_assert_uint_eq(last->line, 5);
}
END_TEST

static const struct {
	const char *text;
	const char *expected;
	/* clang-format off */
} bad[] = {
	{ "x=1\n", "x.svc:1: x= comes before the first [Section]\n" },
	{ "[A]\nx\n", "x.svc:2: this is neither a [Section] nor Key=value nor a # comment\n" },
	{ "[A]\n=1\n", "x.svc:2: this is neither a [Section] nor Key=value nor a # comment\n" },
	{ "[A]\na b=1\n", "x.svc:2: this is neither a [Section] nor Key=value nor a # comment\n" },
	{ "[A]\nx: y=1\n", "x.svc:2: this is neither a [Section] nor Key=value nor a # comment\n" },
	{ "[A\n", "x.svc:1: a section is written [Name], alone on its line\n" },
	{ "[A] # b\n", "x.svc:1: a section is written [Name], alone on its line\n" },
	{ "[A]\n; old\n", "x.svc:2: a comment begins with #\n" },
	{ "[A]\n  x\n", "x.svc:2: an indented line continues the value above it, and there is none\n" },
	{ "[A]\nx=1\n\n  2\n", "x.svc:4: an indented line continues the value above it, and there is none\n" },
	{ "[A]\nx=1\n  # c\n",
	  "x.svc:3: a comment begins in the first column; an indented line continues the value above it\n" },
	{ "[A]\nx=1\n  [B]\n",
	  "x.svc:3: a section begins in the first column; an indented line continues the value above it\n" },
	/* Reading continues, and an indented line under a bad one gets no diagnostic. */
	{ "[A]\nx\n  y\nz\n", "x.svc:2: this is neither a [Section] nor Key=value nor a # comment\n"
			      "x.svc:4: this is neither a [Section] nor Key=value nor a # comment\n" },
	{ "\xef\xbb\xbf[A]\n", "x.svc:1: the file begins with a byte order mark; save it as UTF-8 without one\n" },
	{ "[A]\r\nx=1\r\n", "x.svc:1: the line contains a carriage return; save the file with Unix line ends (LF, not CR LF)\n" },
	{ "[A]\nx=\xff\n", "x.svc:2: the line is not UTF-8: byte 0xff\n" },
	{ "[A]\nx=\xc3", "x.svc:2: the line is not UTF-8: byte 0xc3\n" },
};
/* clang-format on */

START_TEST(an_invalid_line_is_reported_with_its_number)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_bytes(arena, bad[_i].text, strlen(bad[_i].text), diags);

	ck_assert(ini->broken);
	expect_diags(diags, bad[_i].expected);
}
END_TEST

START_TEST(a_nul_byte_is_reported_with_its_line)
{
	static const char text[] = "[A]\nx=1\ny=\0\n";
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_bytes(arena, text, sizeof text - 1, diags);

	ck_assert(ini->broken);
	expect_diags(diags,
		     "x.svc:3: the line contains a NUL byte; a service or policy file is text\n");
}
END_TEST

START_TEST(a_line_over_the_limit_is_an_error_and_the_next_is_read)
{
	const size_t lengths[] = { LIMIT_LINE_BYTES + 1, 1024 * 1024 };

	for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
		g_autofree char *value = g_strnfill(lengths[i], 'v');
		g_autofree char *text = g_strdup_printf("[A]\nx=%s\ny=2\n", value);
		g_autoptr(DiagList) diags = diag_list_new();
		g_autoptr(Arena) arena = arena_new();
		const IniFile *ini = read_bytes(arena, text, strlen(text), diags);

		expect_diags(diags, "x.svc:2: the line is longer than 8192 bytes\n");
		expect_entry(ini, 0, "A", "y", "2");
	}
}
END_TEST

START_TEST(a_long_key_or_section_is_an_error)
{
	g_autofree char *name = g_strnfill(300, 'n');
	g_autofree char *text = g_strdup_printf("[A]\n%s=1\n[%s]\n", name, name);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = read_bytes(arena, text, strlen(text), diags);

	ck_assert(ini->broken);
	expect_diags(diags, "x.svc:2: the name of a key has at most 48 bytes\n"
			    "x.svc:3: the name of a section has at most 230 bytes\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("ini-source");

	suite_add_loop(suite, "what is read", a_value_is_never_truncated, G_N_ELEMENTS(values));
	ADD_CASE(suite, "what is read", entries_know_their_section_and_line,
		 a_value_of_any_length_up_to_the_limit_comes_through_whole,
		 long_keys_and_sections_are_distinguished_by_their_last_byte,
		 an_indented_line_continues_the_value_above_it);
	suite_add_loop(suite, "what is refused", an_invalid_line_is_reported_with_its_number,
		       G_N_ELEMENTS(bad));
	ADD_CASE(suite, "what is refused", a_nul_byte_is_reported_with_its_line,
		 a_line_over_the_limit_is_an_error_and_the_next_is_read,
		 a_long_key_or_section_is_an_error);
	return suite;
}
