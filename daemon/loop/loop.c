/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: the clock that runs while we are awake.
 */
#include "config.h"

#include "loop/loop.h"

#include <sys/timerfd.h>

/* The poll function of a context has no data of its own. */
static struct {
	int fd;
	struct itimerspec limit;
} watch_over = { .fd = -1 };

static gint poll_with_clock(GPollFD *fds, guint n_fds, gint timeout)
{
	static const struct itimerspec off;
	gint n;

	if (timeout != 0) /* this turn sleeps */
		(void)timerfd_settime(watch_over.fd, 0, &off, NULL); /* cannot fail with a timerfd */
	n = g_poll(fds, n_fds, timeout);
	(void)timerfd_settime(watch_over.fd, 0, &watch_over.limit, NULL); /* nor this */
	return n;
}

void loop_watch_over(int timer_fd, int64_t limit_us)
{
	watch_over.fd = timer_fd;
	watch_over.limit.it_value.tv_sec = limit_us / G_USEC_PER_SEC;
	watch_over.limit.it_value.tv_nsec = limit_us % G_USEC_PER_SEC * 1000;
	g_main_context_set_poll_func(NULL, poll_with_clock);
}
