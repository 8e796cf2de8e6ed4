/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages: see messages.h.
 */
#include "config.h"

#include "svc-progress/messages.h"

#include <stdio.h>
#include <string.h>

/* A bar is drawn if it leaves room for names. */
enum { BAR_WIDTH = 10, BAR_COLUMNS = 60 };

static Text text_in(char *bytes, size_t size)
{
	bytes[0] = '\0';
	return (Text){ .bytes = bytes, .size = size };
}

void message_duration(char *ret, size_t size, int64_t us)
{
	const int64_t s = us > 0 ? us / USEC_PER_SEC : 0;
	Text text = text_in(ret, size);

	if (s <= 120)
		text_add(&text, "%d s", (int)s);
	else if (s < 600 && s % 60 != 0)
		text_add(&text, "%d min %d s", (int)(s / 60), (int)(s % 60));
	else if (s < 3600)
		text_add(&text, "%d min", (int)(s / 60));
	else
		text_add(&text, "%d h %d min", (int)(s / 3600), (int)(s % 3600 / 60));
}

/* --- one service --- */

/* The remaining time is rounded up, so that it does not reach 0 too early. */
static void add_left(Text *text, const char *before, int64_t until_us, int64_t now_us)
{
	char left[32];

	message_duration(left, sizeof left, until_us - now_us + USEC_PER_SEC - 1);
	text_add(text, "%s%s", before, left);
}

static void add_stopping(Text *text, const Motion *motion, int64_t now_us)
{
	char taken[32];

	message_duration(taken, sizeof taken, now_us - motion->since_us);
	text_add(text, "%s has been stopping for %s", motion->name, taken);
	if (motion->until_us > now_us)
		add_left(text, "; it is killed in ", motion->until_us, now_us);
	else
		text_add(text, "; it is being killed");
}

static void add_starting(Text *text, const Motion *motion, int64_t now_us)
{
	char taken[32];
	char limit[32];

	message_duration(taken, sizeof taken, now_us - motion->since_us);
	message_duration(limit, sizeof limit, motion->until_us - motion->since_us);
	text_add(text, "%s has been starting for %s", motion->name, taken);
	text_add(text, " (limit %s)", limit);
}

void message_motion(char *ret, size_t size, const Motion *motion, int64_t now_us)
{
	Text text = text_in(ret, size);
	char taken[32];

	message_duration(taken, sizeof taken, now_us - motion->since_us);
	switch (motion->kind) {
	case MOTION_STARTING:
		add_starting(&text, motion, now_us);
		break;
	case MOTION_STOPPING:
		add_stopping(&text, motion, now_us);
		break;
	case MOTION_RETRYING:
		text_add(&text, "%s did not start", motion->name);
		add_left(&text, ", and is tried again in ", motion->until_us, now_us);
		break;
	case MOTION_WAITING:
		text_add(&text, "%s has been waiting for %s for %s", motion->name, motion->what,
			 taken);
		add_left(&text, ", and fails in ", motion->until_us, now_us);
		break;
	}
}

/* --- all services --- */

static const char *verb_of(MotionKind kind)
{
	switch (kind) {
	case MOTION_STARTING:
		return "starting";
	case MOTION_STOPPING:
		return "stopping";
	case MOTION_RETRYING:
		return "trying again";
	case MOTION_WAITING:
		return "waiting";
	}
	return "";
}

/* " (20 s of 90 s)", " (20 s, killed in 70 s)"; times that do not matter yet are left out. */
static void add_times(Text *text, const Motion *motion, int64_t now_us, bool with_limit)
{
	const int64_t taken_us = now_us - motion->since_us;
	char duration[32];

	if (taken_us < USEC_PER_SEC)
		return;
	message_duration(duration, sizeof duration, taken_us);
	text_add(text, " (%s", duration);
	message_duration(duration, sizeof duration, motion->until_us - motion->since_us);
	if (with_limit && motion->kind == MOTION_STOPPING && motion->until_us > now_us)
		add_left(text, ", killed in ", motion->until_us, now_us);
	else if (with_limit &&
		 (motion->kind == MOTION_STARTING || motion->kind == MOTION_WAITING) &&
		 taken_us >= SLOW_US)
		text_add(text, " of %s", duration);
	text_add(text, ")");
}

/* Only the first one is shown with its limit, to leave room for the names of the others. */
static void add_motions(Text *text, const View *view, int64_t now_us)
{
	for (unsigned i = 0; i < view->n_motions; i++) {
		const Motion *motion = &view->motions[i];

		if (i == 0 || motion->kind != view->motions[i - 1].kind)
			text_add(text, "%s%s ", i > 0 ? "; " : "", verb_of(motion->kind));
		else
			text_add(text, ", ");
		text_add(text, "%s", motion->name);
		if (motion->kind == MOTION_WAITING)
			text_add(text, " for %s", motion->what);
		add_times(text, motion, now_us, i == 0);
	}
	if (view->n_moving > view->n_motions)
		text_add(text, ", and %u more", view->n_moving - view->n_motions);
}

static void add_bar(Text *text, double fraction)
{
	const int n_full = (int)(fraction * BAR_WIDTH);
	char bar[BAR_WIDTH + 1] = "";

	memset(bar, '-', BAR_WIDTH);
	memset(bar, '#', (size_t)(n_full < 0 ? 0 : n_full > BAR_WIDTH ? BAR_WIDTH : n_full));
	text_add(text, " [%s]", bar);
}

static void add_boot(Text *text, const View *view, unsigned columns)
{
	text_add(text, "svcd: boot %d %%", (int)(view->fraction * 100));
	if (columns >= BAR_COLUMNS)
		add_bar(text, view->fraction);
	if (view->n_failed > 0)
		text_add(text, " %u failed", view->n_failed);
	text_add(text, " ");
}

void message_status(char *ret, size_t size, const View *view, int64_t now_us, unsigned columns)
{
	Text text = text_in(ret, columns + 1 < size ? columns + 1 : size);

	if (columns == 0 || (view->is_shutdown && view->n_motions == 0))
		return;
	if (view->is_shutdown)
		text_add(&text, "svcd: ");
	else
		add_boot(&text, view, columns);
	add_motions(&text, view, now_us);
}

void message_end(char *ret, size_t size, const View *view, int64_t now_us)
{
	Text text = text_in(ret, size);
	char taken[32];

	message_duration(taken, sizeof taken, now_us - view->began_us);
	text_add(&text, "svcd: the boot took %s: %u of %u services are up", taken, view->n_ready,
		 view->n_total);
	if (view->n_failed > 0)
		text_add(&text, ", %u failed: %s; why: svcctl explain", view->n_failed,
			 view->failed);
}

bool view_has_slow_motion(const View *view, int64_t now_us)
{
	const Motion *oldest = view_oldest(view);

	return oldest && now_us - oldest->since_us >= SLOW_US;
}

void message_splash(char *ret, size_t size, const View *view, int64_t now_us)
{
	Text text = text_in(ret, size);

	if (view_has_slow_motion(view, now_us) || (view->is_shutdown && view->n_motions > 0))
		message_motion(ret, size, view_oldest(view), now_us);
	else if (view->n_failed > 0 && !view->is_shutdown)
		text_add(&text, "%u %s: %s", view->n_failed,
			 view->n_failed == 1 ? "service did not start" : "services did not start",
			 view->failed);
}
