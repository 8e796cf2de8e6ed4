/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View: see view.h.
 */
#include "config.h"

#include "svc-progress/view.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char more[] = "...";

static void cut(Text *text)
{
	const size_t n_dots = strlen(more);

	text->length = text->size - 1;
	if (text->length >= n_dots)
		memcpy(text->bytes + text->length - n_dots, more, n_dots);
}

void text_add(Text *text, const char *format, ...)
{
	const size_t room = text->size - text->length;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->bytes + text->length, room, format, args);
	va_end(args);
	if (n < 0)
		text->bytes[text->length] = '\0';
	else if ((size_t)n < room)
		text->length += (size_t)n;
	else
		cut(text);
}

static bool goes_before(const Motion *a, const Motion *b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->since_us < b->since_us;
}

/* Leaves one byte for each character, so that a byte is a column. */
static void keep_ascii(char *text)
{
	char *to = text;

	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte < 0x80 || byte >= 0xc0) /* not a continuation byte (utf-8(7)) */
			*to++ = byte >= ' ' && byte < 0x7f ? *text : '?';
	}
	*to = '\0';
}

void view_add(View *view, const Motion *motion)
{
	unsigned at = view->n_motions;

	view->n_moving++;
	while (at > 0 && goes_before(motion, &view->motions[at - 1]))
		at--;
	if (at == VIEW_MOTIONS)
		return;
	if (view->n_motions < VIEW_MOTIONS)
		view->n_motions++;
	memmove(&view->motions[at + 1], &view->motions[at],
		(view->n_motions - 1 - at) * sizeof(Motion));
	view->motions[at] = *motion;
	keep_ascii(view->motions[at].what);
}

const Motion *view_oldest(const View *view)
{
	const Motion *oldest = NULL;

	for (unsigned i = 0; i < view->n_motions; i++)
		if (!oldest || view->motions[i].since_us < oldest->since_us)
			oldest = &view->motions[i];
	return oldest;
}

void view_add_failed(View *view, const char *name)
{
	Text text = { .bytes = view->failed,
		      .size = sizeof view->failed,
		      .length = strlen(view->failed) };

	text_add(&text, "%s%s", view->n_failed > 0 ? ", " : "", name);
	view->n_failed++;
}
