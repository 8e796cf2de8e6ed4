/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages: a view as text for users. Pure: the time is an argument. All text is ASCII, like the
 * names of services, because a console may have no other characters yet.
 */
#ifndef SVCD_SVC_PROGRESS_MESSAGES_H
#define SVCD_SVC_PROGRESS_MESSAGES_H

#include "svc-progress/view.h"

enum { MESSAGE_BYTES = 512 };

/* A service that takes this long is shown even if nothing else is. */
#define SLOW_US (5 * USEC_PER_SEC)

/* "90 s", "5 min", "1 h 5 min": whole seconds, and coarser for longer times. */
void message_duration(char *ret, size_t size, int64_t us);

/* One sentence: "cups has been starting for 20 s (limit 90 s)". */
void message_motion(char *ret, size_t size, const Motion *motion, int64_t now_us);

/* The status line, at most @columns wide. "" if there is nothing to show. */
void message_status(char *ret, size_t size, const View *view, int64_t now_us, unsigned columns);

/* The summary of a finished boot. */
void message_end(char *ret, size_t size, const View *view, int64_t now_us);

/* For a splash screen with its own bar: slow or failed services; "" for none. */
void message_splash(char *ret, size_t size, const View *view, int64_t now_us);

/* Has a service been on its way for SLOW_US? */
bool view_has_slow_motion(const View *view, int64_t now_us);

#endif
