/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: timers and descriptors as GSources of the default context.
 */
#include "config.h"

#include "loop/loop.h"

#include <sys/timerfd.h>

/* --- the clock that runs while we are awake --- */

/* The poll function of a context has no data of its own. */
static struct {
	int fd;
	struct itimerspec limit;
} watch_over = { .fd = -1 };

static gint poll_with_clock(GPollFD *fds, guint n_fds, gint timeout)
{
	static const struct itimerspec off;
	gint n;

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

/* --- timers --- */

struct Timer {
	GSource *source;
	int64_t deadline_us;
	void (*fire)(void *data);
	void *data;
};

/* A GSource that carries its owner; GSource must come first. */
typedef struct TimerSource {
	GSource base;
	Timer *timer;
} TimerSource;

static gboolean timer_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	Timer *timer = ((TimerSource *)source)->timer;

	(void)callback;
	(void)data;
	g_source_set_ready_time(source, -1);
	timer->deadline_us = 0;
	timer->fire(timer->data);
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs timer_funcs = { .dispatch = timer_dispatch };

Timer *timer_new(void (*fire)(void *data), void *data)
{
	Timer *timer = g_new0(Timer, 1);

	timer->fire = fire;
	timer->data = data;
	timer->source = g_source_new(&timer_funcs, sizeof(TimerSource));
	((TimerSource *)timer->source)->timer = timer;
	g_source_set_priority(timer->source, LOOP_PRIORITY_TIMER);
	g_source_attach(timer->source, NULL);
	return timer;
}

void timer_arm(Timer *timer, int64_t at_us)
{
	timer->deadline_us = at_us;
	g_source_set_ready_time(timer->source, at_us);
}

void timer_disarm(Timer *timer)
{
	timer->deadline_us = 0;
	g_source_set_ready_time(timer->source, -1);
}

bool timer_is_armed(const Timer *timer)
{
	return timer->deadline_us != 0;
}

int64_t timer_deadline(const Timer *timer)
{
	return timer->deadline_us;
}

void timer_free(Timer *timer)
{
	if (!timer)
		return;
	g_source_destroy(timer->source);
	g_source_unref(timer->source);
	g_free(timer);
}

struct FdSource {
	GSource *source;
	gpointer tag;
	void (*ready)(GIOCondition condition, void *data);
	void *data;
};

typedef struct FdGSource {
	GSource base;
	FdSource *owner;
} FdGSource;

static gboolean fd_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	FdSource *owner = ((FdGSource *)source)->owner;

	(void)callback;
	(void)data;
	owner->ready(g_source_query_unix_fd(source, owner->tag), owner->data);
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs fd_funcs = { .dispatch = fd_dispatch };

FdSource *fd_source_new(int fd, GIOCondition events, int priority, void (*ready)(GIOCondition condition, void *data),
			void *data)
{
	FdSource *source = g_new0(FdSource, 1);

	source->ready = ready;
	source->data = data;
	source->source = g_source_new(&fd_funcs, sizeof(FdGSource));
	((FdGSource *)source->source)->owner = source;
	source->tag = g_source_add_unix_fd(source->source, fd, events);
	g_source_set_priority(source->source, priority);
	g_source_attach(source->source, NULL);
	return source;
}

void fd_source_set_events(FdSource *source, GIOCondition events)
{
	g_source_modify_unix_fd(source->source, source->tag, events);
}

void fd_source_free(FdSource *source)
{
	if (!source)
		return;
	g_source_destroy(source->source);
	g_source_unref(source->source);
	g_free(source);
}
