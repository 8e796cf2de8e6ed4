/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Complete screens of svcctl, compared with tests/data/screens: "status" at several widths and
 * without UTF-8. And errors: what failed, why, and what to type next.
 *
 * A screen is "$ svcctl ARGUMENTS" and the text up to the next such line. With
 * $SVCD_TEST_WRITE_SCREENS the test writes the screens anew, for a person to read.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/svcctl-world.h"

/* The age of events: for the duration of a test it has two digits and a tenth. */
#define AGO_US (20 * G_USEC_PER_SEC)

static const char files[] =
	"== base\n[Service]\nDescription=The ground that all the others stand on, told at such "
	"length that it fits no line\n"
	"Exec=/bin/base\n"
	"== upper\n[Service]\nDescription=Upper, naïve\nExec=/bin/upper\nReload=signal:HUP\n"
	"[Conditions]\nWhile=service:base\n"
	"When=path:/usr/share/some/quite/long/directory/name/that/is/one/word/and/cannot/be/broken/anywhere\n"
	"== broken\n[Service]\nExec=/bin/broken\nRestart=no\n"
	"== barred\n[Service]\nExec=/bin/barred\n"
	"== odd\n[Service]\nExec=/bin/odd\n"
	"== tape@\n[Service]\nExec=/bin/tape %i\n"
	"== shy\n[Service]\nExec=/bin/shy\n[Conditions]\nWhen=flag:go\nAfter=upper\n";
static const char policy[] =
	"[runlevel 2]\nActivate=base upper shy broken\n"
	"[service upper]\nReason=office rule 12, which was agreed upon by everybody in the "
	"meeting of last week\n"
	"[service barred]\nActivation=never\nReason=no printers\n";

static BusWorld *make_machine(void)
{
	BusWorld *bw;

	world_set_birth(MAX(g_get_monotonic_time() - AGO_US, 1));
	bw = bus_world_new(files, policy);
	world_set(
		bw->world,
		"path:/usr/share/some/quite/long/directory/name/that/is/one/word/and/cannot/be/broken/anywhere",
		true);
	world_dies(bw->world, "broken", 7);
	world_settle(bw->world);
	bw->settles = true;
	tree_write(
		bw->tree, "/log/upper.log",
		"a line of output that is rather long, so that on a narrow terminal it takes two "
		"of them\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/bad.svc",
		   "[Service]\nExec=/bin/bad\nRestrat=no\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/good.svc", "[Service]\nExec=/bin/good\n");
	tree_write(bw->tree, "/bin/good", "");
	return bw;
}

/* Gives all times the same length, and replaces names that differ between runs. */
static char *make_steady(const BusWorld *bw, const char *text)
{
	static const struct {
		const char *pattern;
		const char *replacement;
	} rules[] = {
		{ "(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-9:]{8}", "Day 00:00:00" },
		{ "[0-9]{2}\\.[0-9] s", "00.0 s" },
		{ "pid [0-9]+, svcctl", "pid N, svcctl" },
	};
	g_autofree char *root = tree_path(bw->tree, "");
	g_auto(GStrv) parts = g_strsplit(text, root, -1);
	char *result = g_strjoinv("TREE", parts);

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		g_autoptr(GRegex) regex = g_regex_new(rules[i].pattern, 0, 0, NULL);
		char *next = g_regex_replace_literal(regex, result, -1, 0, rules[i].replacement, 0,
						     NULL);

		g_free(result);
		result = next;
	}
	return result;
}

typedef struct Screen {
	char *words; /* arguments after "svcctl " */
	char *text; /* the output, with its last line "(exit N)" */
} Screen;

static char *screen_path(const char *name)
{
	return g_build_filename(SCREENS, name, NULL);
}

static void free_screen(gpointer data)
{
	Screen *screen = data;

	g_free(screen->words);
	g_free(screen->text);
	g_free(screen);
}

/* The screens of a file: a new array of Screen *. */
static GPtrArray *read_screens(const char *name)
{
	g_autofree char *path = screen_path(name);
	g_autofree char *text = NULL;
	g_auto(GStrv) blocks = NULL;
	GPtrArray *screens = g_ptr_array_new_with_free_func(free_screen);

	ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
	blocks = g_strsplit(text, "$ svcctl ", -1);
	for (size_t i = 1; blocks[i]; i++) {
		Screen *screen = g_new0(Screen, 1);
		const size_t length = strcspn(blocks[i], "\n");

		screen->words = g_strndup(blocks[i], length);
		screen->text = g_strdup(blocks[i] + length + (blocks[i][length] == '\n'));
		g_ptr_array_add(screens, screen);
	}
	ck_assert_msg(screens->len > 0, "%s has no screens", path);
	return screens;
}

/*
 * Runs the command on a new machine each time, independent of earlier commands. Returns: a new
 * string.
 */
static char *type(const char *words, const char *locale)
{
	g_autoptr(BusWorld) bw = make_machine();
	g_autofree char *root = tree_path(bw->tree, "");
	g_auto(GStrv) parts = g_strsplit(words, "TREE", -1);
	g_autofree char *line = g_strjoinv(root, parts);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autofree char *both = NULL;
	int code;

	bw->locale = locale;
	code = bus_world_svcctl(bw, line, &out, &err);
	both = g_strdup_printf("%s%s(exit %d)\n\n", out, err, code);
	/* The output is not a terminal. */
	ck_assert_msg(!strchr(both, '\033'), "svcctl %s: %s", words, both);
	return make_steady(bw, both);
}

static void write_screens(const char *name, const GPtrArray *screens, const char *locale)
{
	g_autofree char *path = screen_path(name);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < screens->len; i++) {
		const Screen *screen = g_ptr_array_index(screens, i);
		g_autofree char *shown = type(screen->words, locale);

		g_string_append_printf(text, "$ svcctl %s\n%s", screen->words, shown);
	}
	ck_assert(g_file_set_contents(path, text->str, -1, NULL));
}

static void expect_screens(const char *name, const char *locale)
{
	g_autoptr(GPtrArray) screens = read_screens(name);

	/* Longer paths would break lines at other places. */
	if (strcmp(SVCD_SYSCONFDIR, "/etc/svcd") != 0)
		return;
	if (g_getenv("SVCD_TEST_WRITE_SCREENS"))
		write_screens(name, screens, locale);
	for (guint i = 0; !g_getenv("SVCD_TEST_WRITE_SCREENS") && i < screens->len; i++) {
		const Screen *screen = g_ptr_array_index(screens, i);
		g_autofree char *shown = type(screen->words, locale);

		ck_assert_msg(strcmp(shown, screen->text) == 0, "%s: svcctl %s:\n%s", name,
			      screen->words, shown);
	}
}

/* --- status --- */

static const char *const status_files[] = { "status-60.txt", "status-80.txt", "status-200.txt",
					    "status-0.txt" };
static const unsigned status_widths[] = { 60, 80, 200, 0 };

START_TEST(status_matches_the_reviewed_screens)
{
	expect_screens(status_files[_i], NULL);
}
END_TEST

START_TEST(status_without_utf8_has_other_symbols)
{
	expect_screens("status-C.txt", "C");
}
END_TEST

/* Only a single token may be longer than the terminal. */
static void expect_fits(const char *line, unsigned width)
{
	g_autofree char *stripped = g_strstrip(g_strdup(line));
	const char *last = strrchr(stripped, ' ');
	const glong label = 13;

	if (width == 0 || g_utf8_strlen(line, -1) <= (glong)width)
		return;
	ck_assert_msg(!last || g_utf8_strlen(last, -1) + label > (glong)width, "%u columns: %s",
		      width, line);
}

static char *text_of(const char *text)
{
	g_autoptr(GRegex) blanks = g_regex_new("\\s+", 0, 0, NULL);

	return g_regex_replace_literal(blanks, text, -1, 0, " ", 0, NULL);
}

START_TEST(no_word_is_cut_at_any_width)
{
	g_autoptr(GPtrArray) wide = read_screens("status-0.txt");
	g_autoptr(GPtrArray) screens = read_screens(status_files[_i]);

	ck_assert_uint_eq(screens->len, wide->len);
	for (guint i = 0; i < screens->len; i++) {
		const Screen *screen = g_ptr_array_index(screens, i);
		g_autofree char *words = text_of(screen->text);
		g_autofree char *wide_words = text_of(((Screen *)g_ptr_array_index(wide, i))->text);
		g_auto(GStrv) lines = g_strsplit(screen->text, "\n", -1);

		ck_assert_str_eq(words, wide_words);
		for (size_t k = 0; lines[k]; k++)
			expect_fits(lines[k], status_widths[_i]);
	}
}
END_TEST

/* --- errors --- */

static const char *const refused[] = { "errors-services.txt", "errors-usage.txt",
				       "errors-files.txt" };

START_TEST(refusals_match_the_reviewed_screens)
{
	expect_screens(refused[_i], NULL);
}
END_TEST

/* Expects "svcctl: WHAT: WHY", and a line with two leading blanks and the remedy. */
static void expect_three_parts(const Screen *screen)
{
	g_auto(GStrv) lines = g_strsplit(screen->text, "\n", -1);
	unsigned n_next = 0;
	size_t i = 0;

	while (lines[i] && !g_str_has_prefix(lines[i], "svcctl: "))
		i++;
	ck_assert_msg(lines[i], "svcctl %s: no error", screen->words);
	ck_assert_msg(strchr(lines[i] + strlen("svcctl: "), ' '), "svcctl %s: no sentence: %s",
		      screen->words, lines[i]);
	while (lines[++i] && g_str_has_prefix(lines[i], "  "))
		n_next++;
	ck_assert_msg(n_next > 0, "svcctl %s: it does not say what to do:\n%s", screen->words,
		      screen->text);
	ck_assert_msg(!strstr(screen->text, "(exit 0)"), "svcctl %s: it worked", screen->words);
}

START_TEST(each_error_has_operation_reason_and_remedy)
{
	unsigned n = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autoptr(GPtrArray) screens = read_screens(refused[i]);

		for (guint k = 0; k < screens->len; k++)
			expect_three_parts(g_ptr_array_index(screens, k));
		n += screens->len;
	}
	ck_assert_uint_ge(n, 30);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl_screens");

	ADD_CASE(suite, "status", status_without_utf8_has_other_symbols);
	suite_add_loop(suite, "status", status_matches_the_reviewed_screens,
		       G_N_ELEMENTS(status_files));
	suite_add_loop(suite, "status", no_word_is_cut_at_any_width, G_N_ELEMENTS(status_files));
	ADD_CASE(suite, "errors", each_error_has_operation_reason_and_remedy);
	suite_add_loop(suite, "errors", refusals_match_the_reviewed_screens, G_N_ELEMENTS(refused));
	return suite;
}
