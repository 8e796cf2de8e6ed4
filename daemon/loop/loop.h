/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: the named priorities of main-loop sources, and objects for timers and descriptors that are
 * freed with their owner.
 */
#ifndef SVCD_LOOP_LOOP_H
#define SVCD_LOOP_LOOP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Smaller numbers go first: the keeper before services, both before clients, all before idle work.
 */
enum LoopPriority {
	/*
	 * for a file that reports each change only once; GLib would lose the report if another
	 * source came first
	 */
	LOOP_PRIORITY_FORGETFUL = -50,
	LOOP_PRIORITY_KEEPER = -40,
	LOOP_PRIORITY_TIMER = -30,
	LOOP_PRIORITY_READY = -20, /* exec status, ready descriptors */
	LOOP_PRIORITY_PROVIDER = -10,
	/* sd_notify: after the keeper, so that a flood delays nothing */
	LOOP_PRIORITY_NOTIFY = 0,
	LOOP_PRIORITY_BUS = 10, /* the private socket: root */
	LOOP_PRIORITY_STRANGERS = 20, /* the system bus: every user of the machine */
	LOOP_PRIORITY_IDLE = 100,
};

/* CLOCK_MONOTONIC, microseconds. */
static inline int64_t loop_now(void)
{
	return g_get_monotonic_time();
}

/**
 * loop_watch_over() - let a timer run while the default main context is awake
 * @timer_fd: a timerfd; borrowed for ever. Another process sees it expire if a turn takes too long
 * @limit_us: at the beginning of a turn, the timer has at least 7/8 of this time left; it stops
 * while the loop is idle
 */
void loop_watch_over(int timer_fd, int64_t limit_us);

typedef struct Timer Timer;

/**
 * timer_new() - a timer that is not armed
 * @fire: called each time it expires; may arm it again or free it
 */
Timer *timer_new(void (*fire)(void *data), void *data);
void timer_arm(Timer *timer, int64_t at_us); /* a time in the past fires it at the next turn */
/* The following functions treat NULL as a timer that is not armed. */
void timer_disarm(Timer *timer);
bool timer_is_armed(const Timer *timer);
int64_t timer_deadline(const Timer *timer); /* 0 if it is not armed */
void timer_free(Timer *timer);

/* For fd-source.c: fires the timers that are due. */
void timers_fire(void);

/**
 * timer_set() - arm or disarm a timer that exists only while it is armed
 * @timer: NULL until it is armed for the first time, and again after it is disarmed
 * @at_us: 0 to disarm the timer
 *
 * For objects that exist in thousands and seldom need their timer.
 */
void timer_set(Timer **timer, int64_t at_us, void (*fire)(void *data), void *data);

typedef struct FdSource FdSource;

/**
 * fd_source_new() - call @ready whenever @fd is ready for @events
 * @fd: borrowed; must outlive the source; no other source of the same priority watches it
 * @ready: gets the ready events (with G_IO_HUP and G_IO_ERR); may free the source
 */
FdSource *fd_source_new(int fd, GIOCondition events, int priority,
			void (*ready)(GIOCondition condition, void *data), void *data);
/*
 * Like fd_source_new(), for /proc/self/mountinfo, which is ready only once per change, for the
 * first process that polls (proc(5)). epoll(7) polls twice, so the main loop polls this file
 * itself, before all others. This costs something at every turn.
 */
FdSource *fd_source_new_forgetful(int fd, GIOCondition events,
				  void (*ready)(GIOCondition condition, void *data), void *data);
void fd_source_set_events(FdSource *source, GIOCondition events);
void fd_source_free(FdSource *source); /* NULL is allowed */

#endif
