/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diff: two short texts as diff -u shows them. It uses the table of the longest common subsequence,
 * because a policy has some dozen lines.
 */
#include "config.h"

#include <string.h>

#include "policy-edit/change-private.h"

enum { CONTEXT = 3 };

/*
 * The limit of the table's cells. Beyond it, all lines between the common beginning and end are
 * shown as replaced.
 */
#define MOST_CELLS ((gsize)4 * 1024 * 1024)

typedef struct DiffLine {
	char mark; /* ' ', '-', '+' */
	const char *text;
} DiffLine;

typedef struct Diff {
	char **before;
	char **after;
	guint n_before;
	guint n_after;
	GArray *lines; /* DiffLine */
} Diff;

/* Without the empty string behind the last newline. */
static char **split(GBytes *bytes, guint *ret_n)
{
	gsize length = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
	g_autofree char *text = g_strndup(data ? data : "", length);
	char **lines = g_strsplit(text, "\n", -1);
	guint n = g_strv_length(lines);

	if (n > 0 && !*lines[n - 1])
		g_clear_pointer(&lines[--n], g_free);
	*ret_n = n;
	return lines;
}

static void add(Diff *diff, char mark, const char *text)
{
	const DiffLine line = { .mark = mark, .text = text };

	g_array_append_val(diff->lines, line);
}

static void add_all(Diff *diff, char mark, char **lines, guint n)
{
	for (guint i = 0; i < n; i++)
		add(diff, mark, lines[i]);
}

/* table[i][j]: the number of common lines of before from i and after from j. */
static void fill_table(guint16 *table, char **before, guint n, char **after, guint m)
{
	for (guint i = n; i-- > 0;) {
		for (guint j = m; j-- > 0;) {
			const guint16 down = table[(i + 1) * (m + 1) + j];
			const guint16 right = table[i * (m + 1) + j + 1];

			table[i * (m + 1) + j] = strcmp(before[i], after[j]) == 0
							 ? table[(i + 1) * (m + 1) + j + 1] + 1
							 : MAX(down, right);
		}
	}
}

static void add_middle(Diff *diff, char **before, guint n, char **after, guint m)
{
	g_autofree guint16 *table = NULL;
	guint i = 0;
	guint j = 0;

	if (n > 0 && m > 0 && (gsize)(n + 1) * (m + 1) <= MOST_CELLS && MIN(n, m) < G_MAXUINT16) {
		table = g_new0(guint16, (gsize)(n + 1) * (m + 1));
		fill_table(table, before, n, after, m);
	}
	while (table && i < n && j < m) {
		if (strcmp(before[i], after[j]) == 0) {
			add(diff, ' ', before[i++]);
			j++;
		} else if (table[(i + 1) * (m + 1) + j] >= table[i * (m + 1) + j + 1]) {
			add(diff, '-', before[i++]);
		} else {
			add(diff, '+', after[j++]);
		}
	}
	add_all(diff, '-', before + i, n - i);
	add_all(diff, '+', after + j, m - j);
}

static void compare(Diff *diff)
{
	const guint shorter = MIN(diff->n_before, diff->n_after);
	guint head = 0;
	guint tail = 0;

	while (head < shorter && strcmp(diff->before[head], diff->after[head]) == 0)
		head++;
	while (tail < shorter - head &&
	       strcmp(diff->before[diff->n_before - 1 - tail], diff->after[diff->n_after - 1 - tail]) == 0)
		tail++;
	add_all(diff, ' ', diff->before, head);
	add_middle(diff, diff->before + head, diff->n_before - head - tail, diff->after + head,
		   diff->n_after - head - tail);
	add_all(diff, ' ', diff->before + diff->n_before - tail, tail);
}

static char mark_at(const Diff *diff, guint i)
{
	return g_array_index(diff->lines, DiffLine, i).mark;
}

/*
 * The end of the hunk with the first change at @i: where more than twice the context follows
 * unchanged.
 */
static guint hunk_end(const Diff *diff, guint i)
{
	guint last = i;

	for (; i < diff->lines->len && i - last <= 2 * CONTEXT; i++) {
		if (mark_at(diff, i) != ' ')
			last = i;
	}
	return MIN(last + 1 + CONTEXT, diff->lines->len);
}

/*
 * "@@ -1,3 +1,4 @@"; a side without lines gives the number of the line before it (diff(1), unified
 * format).
 */
static void append_range(GString *out, char mark, guint start, guint n)
{
	g_string_append_printf(out, n == 1 ? " %c%u" : " %c%u,%u", mark, n == 0 ? start : start + 1, n);
}

static void append_hunk(GString *out, const Diff *diff, guint from, guint to, guint line_before, guint line_after)
{
	guint n_before = 0;
	guint n_after = 0;

	for (guint i = from; i < to; i++) {
		n_before += mark_at(diff, i) != '+';
		n_after += mark_at(diff, i) != '-';
	}
	g_string_append(out, "@@");
	append_range(out, '-', line_before, n_before);
	append_range(out, '+', line_after, n_after);
	g_string_append(out, " @@\n");
	for (guint i = from; i < to; i++)
		g_string_append_printf(out, "%c%s\n", mark_at(diff, i), g_array_index(diff->lines, DiffLine, i).text);
}

static void append_hunks(GString *out, const Diff *diff)
{
	guint line_before = 0;
	guint line_after = 0;
	guint shown = 0; /* the lines before it are finished */

	for (guint i = 0; i < diff->lines->len; i++) {
		guint from;
		guint to;

		if (mark_at(diff, i) == ' ')
			continue;
		from = MAX(shown, i > CONTEXT ? i - CONTEXT : 0);
		to = hunk_end(diff, i);
		line_before += from - shown;
		line_after += from - shown;
		append_hunk(out, diff, from, to, line_before, line_after);
		for (guint j = from; j < to; j++) {
			line_before += mark_at(diff, j) != '+';
			line_after += mark_at(diff, j) != '-';
		}
		shown = to;
		i = to - 1;
	}
}

void diff_append(GString *out, const char *path, GBytes *before, GBytes *after)
{
	Diff diff = { .lines = g_array_new(FALSE, FALSE, sizeof(DiffLine)) };

	diff.before = split(before, &diff.n_before);
	diff.after = split(after, &diff.n_after);
	compare(&diff);
	if (!(before && after && g_bytes_equal(before, after)) && (before || after)) {
		g_string_append_printf(out, "--- %s\n+++ %s\n", before ? path : "/dev/null", after ? path : "/dev/null");
		append_hunks(out, &diff);
	}
	g_array_unref(diff.lines);
	g_strfreev(diff.before);
	g_strfreev(diff.after);
}
