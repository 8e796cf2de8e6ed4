/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words: a view as text for users. Pure: the time is an argument. All text is ASCII, like the names
 * of services, because a console may have no other characters yet.
 */
#ifndef SVCD_SVC_PROGRESS_WORDS_H
#define SVCD_SVC_PROGRESS_WORDS_H

#include "svc-progress/view.h"

enum { WORDS_BYTES = 512 };

/* A service that takes this long is shown even if nothing else is. */
#define SLOW_US (5 * USEC_PER_SEC)

/* A text buffer of limited size; a longer text ends with "...". */
typedef struct Text {
	char *bytes;
	size_t size;
	size_t length;
} Text;

void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "90 s", "5 min", "1 h 5 min": whole seconds, and coarser for longer times. */
void words_duration(char *ret, size_t size, int64_t us);

/* One sentence: "cups has been starting for 20 s (limit 90 s)". */
void words_motion(char *ret, size_t size, const Motion *motion, int64_t now_us);

/* The status line, at most @columns wide. "" if there is nothing to show. */
void words_status(char *ret, size_t size, const View *view, int64_t now_us, unsigned columns);

/* The summary of a finished boot. */
void words_end(char *ret, size_t size, const View *view, int64_t now_us);

/* For a splash screen with its own bar: slow or failed services; "" for none. */
void words_message(char *ret, size_t size, const View *view, int64_t now_us);

/* Has a service been on its way for SLOW_US? */
bool words_are_slow(const View *view, int64_t now_us);

#endif
