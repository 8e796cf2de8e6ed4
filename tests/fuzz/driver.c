/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driver: runs a fuzz target over the files of its corpus and over mutations of them, the same ones every time.
 *
 * With file names as arguments it runs over those alone, to look at an input that once failed.
 */
#include "config.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MUTATIONS = 150, MOST_CHANGES = 6 };

/* What the formats are made of: a change to one of these reaches further than a random byte. */
static const char *const tokens[] = {
	"\n", "[", "]", "=", " ", "\t", "#", ";", "|", "!", "\"", "'", "\\", "%i", "%", "\r", "\xef\xbb\xbf", "\xff",
	"\n  ", "[Service]\n", "[Conditions]\n", "Exec=", "When=", "After=x y z\n", "service:x", "path:/", "$x", "-", "@",
	"[runlevel 5]\n", "[service x]\n", "Include=", "Activate=", "0", "99999999999999999999", "\xc3",
};

static void change(GString *text, GRand *rand)
{
	const gsize at = text->len > 0 ? (gsize)g_rand_int_range(rand, 0, (gint32)text->len) : 0;
	const char *token = tokens[g_rand_int_range(rand, 0, G_N_ELEMENTS(tokens))];

	switch (g_rand_int_range(rand, 0, 5)) {
	case 0:
		if (text->len > 0)
			text->str[at] = (char)g_rand_int_range(rand, 0, 256);
		break;
	case 1:
		g_string_truncate(text, at);
		break;
	case 2:
		g_string_erase(text, (gssize)at, (gssize)MIN(text->len - at, 1 + at % 7));
		break;
	case 3: {
		g_autofree char *piece = g_memdup2(text->str + at, text->len - at + 1);

		g_string_append_len(text, piece, (gssize)(text->len - at));
		break;
	}
	default:
		g_string_insert(text, (gssize)at, token);
		break;
	}
}

static void run_mutations(const char *bytes, gsize length, guint32 seed)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

	for (int i = 0; i < MUTATIONS; i++) {
		g_autoptr(GString) text = g_string_new_len(bytes, (gssize)length);

		for (int n = g_rand_int_range(rand, 1, MOST_CHANGES + 1); n > 0; n--)
			change(text, rand);
		(void)LLVMFuzzerTestOneInput((const uint8_t *)text->str, text->len);
	}
}

/* Returns: false when the file cannot be read. */
static bool run_file(const char *path, bool mutate)
{
	g_autofree char *bytes = NULL;
	gsize length;

	if (!g_file_get_contents(path, &bytes, &length, NULL)) {
		(void)fprintf(stderr, "%s cannot be read\n", path);
		return false;
	}
	(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
	if (mutate)
		run_mutations(bytes, length, g_str_hash(strrchr(path, '/') + 1));
	return true;
}

int main(int argc, char *argv[])
{
	GDir *dir;
	const char *name;
	unsigned n = 0;

	for (int i = 1; i < argc; i++) {
		if (!run_file(argv[i], false))
			return EXIT_FAILURE;
	}
	if (argc > 1)
		return EXIT_SUCCESS;
	dir = g_dir_open(FUZZ_CORPUS, 0, NULL);
	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_build_filename(FUZZ_CORPUS, name, NULL);

		n += run_file(path, true);
	}
	if (dir)
		g_dir_close(dir);
	(void)printf("%u files, %u mutations\n", n, n * MUTATIONS);
	return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
