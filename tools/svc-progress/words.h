/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words: a view as people read it. Pure: the time is handed in. Names of services are ASCII, and so is all of this: a console
 * may have no other letters yet.
 */
#ifndef SVCD_SVC_PROGRESS_WORDS_H
#define SVCD_SVC_PROGRESS_WORDS_H

#include "svc-progress/view.h"

enum { WORDS_BYTES = 512 };

/* What is on its way for so long is worth a word even where nothing else is said. */
#define SLOW_US (5 * USEC_PER_SEC)

/* A text with room for so much; what does not fit ends with "...". */
typedef struct Text {
	char *bytes;
	size_t size;
	size_t length;
} Text;

void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "90 s", "5 min", "1 h 5 min": whole seconds, and fewer the longer it is. */
void words_duration(char *ret, size_t size, int64_t us);

/* One sentence: "cups has been starting for 20 s (limit 90 s)". */
void words_motion(char *ret, size_t size, const Motion *motion, int64_t now_us);

/* The line that is drawn anew again and again, at most @columns wide. "" when there is nothing to say. */
void words_status(char *ret, size_t size, const View *view, int64_t now_us, unsigned columns);

/* What a boot was, when it is over. */
void words_end(char *ret, size_t size, const View *view, int64_t now_us);

/* For a splash screen, which has a bar of its own: what takes long, or failed; "" for nothing. */
void words_message(char *ret, size_t size, const View *view, int64_t now_us);

/* Has anything been on its way for SLOW_US? */
bool words_are_slow(const View *view, int64_t now_us);

#endif
