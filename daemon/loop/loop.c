/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: the timer that runs while the manager is awake.
 *
 * Setting the timer takes as long as a short turn, and in a burst the sleeps are short. So the
 * timer is not set again while most of its time is left. It is stopped only if a sleep lasts for
 * NAP_MS.
 */
#include "config.h"

#include "loop/loop.h"

#include <sys/timerfd.h>

/* After a sleep of this length the process counts as idle. */
#define NAP_MS 10

/* The poll function of a context has no data of its own. */
static struct {
	int fd;
	int64_t limit_us;
	int64_t runs_out_us; /* 0: the timer does not run */
} watch_over = { .fd = -1 };

static void set_clock(int64_t us)
{
	const struct itimerspec at = {
		.it_value = { .tv_sec = us / G_USEC_PER_SEC,
			      .tv_nsec = us % G_USEC_PER_SEC * 1000 },
	};

	(void)timerfd_settime(watch_over.fd, 0, &at, NULL); /* cannot fail with a timerfd */
}

static void wind_up(void)
{
	const int64_t now_us = loop_now();

	if (watch_over.runs_out_us - now_us > watch_over.limit_us / 8 * 7)
		return;
	set_clock(watch_over.limit_us);
	watch_over.runs_out_us = now_us + watch_over.limit_us;
}

static gint sleep_at_rest(GPollFD *fds, guint n_fds, gint timeout)
{
	gint n;

	if (timeout >= 0 && timeout <= NAP_MS)
		return g_poll(fds, n_fds, timeout);
	n = g_poll(fds, n_fds, NAP_MS);
	if (n != 0)
		return n;
	if (watch_over.runs_out_us != 0)
		set_clock(0);
	watch_over.runs_out_us = 0;
	return g_poll(fds, n_fds, timeout < 0 ? timeout : timeout - NAP_MS);
}

static gint poll_with_clock(GPollFD *fds, guint n_fds, gint timeout)
{
	const gint n = timeout == 0 ? g_poll(fds, n_fds, 0) : sleep_at_rest(fds, n_fds, timeout);

	wind_up();
	return n;
}

void loop_watch_over(int timer_fd, int64_t limit_us)
{
	watch_over.fd = timer_fd;
	watch_over.limit_us = limit_us;
	watch_over.runs_out_us = 0;
	g_main_context_set_poll_func(NULL, poll_with_clock);
}
