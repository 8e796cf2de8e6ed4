/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: the named priorities of main-loop sources, timers and descriptors as objects that die with their holder.
 */
#ifndef SVCD_LOOP_LOOP_H
#define SVCD_LOOP_LOOP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Smaller goes first: what the keeper says before what services say, both before clients, all before idle work. */
enum LoopPriority {
	LOOP_PRIORITY_FORGETFUL = -50, /* told once: of whoever is ready beside one that goes before, GLib forgets that it was */
	LOOP_PRIORITY_KEEPER = -40,
	LOOP_PRIORITY_TIMER = -30,
	LOOP_PRIORITY_READY = -20,    /* exec status, ready descriptors */
	LOOP_PRIORITY_PROVIDER = -10,
	LOOP_PRIORITY_NOTIFY = 0,     /* sd_notify: below the keeper, so that a flood holds up nothing */
	LOOP_PRIORITY_BUS = 10,       /* the private socket: root */
	LOOP_PRIORITY_STRANGERS = 20, /* the system bus: every user of the machine */
	LOOP_PRIORITY_IDLE = 100,
};

/* CLOCK_MONOTONIC, microseconds. */
static inline int64_t loop_now(void)
{
	return g_get_monotonic_time();
}

/**
 * loop_watch_over() - let a clock run while the default main context is awake
 * @timer_fd:  a timerfd; borrowed for ever. Whoever else holds it sees it run out when a turn takes too long
 * @limit_us:  at the beginning of a turn it has at least 7/8 of that left; at rest it does not run
 */
void loop_watch_over(int timer_fd, int64_t limit_us);

typedef struct Timer Timer;

/**
 * timer_new() - a timer that is not armed yet
 * @fire: called once each time it runs out; may arm it again or free it
 */
Timer *timer_new(void (*fire)(void *data), void *data);
void timer_arm(Timer *timer, int64_t at_us); /* in the past: fires as soon as there is a turn */
/* To these NULL is a timer that is not armed. */
void timer_disarm(Timer *timer);
bool timer_is_armed(const Timer *timer);
int64_t timer_deadline(const Timer *timer); /* 0 when not armed */
void timer_free(Timer *timer);

/* For fd-source.c: those that are due. */
void timers_fire(void);

/**
 * timer_set() - for a timer that is there only while it is needed: one of thousands that are seldom armed
 * @timer: NULL until it is armed for the first time, and again after it is taken back
 * @at_us: 0: not any more
 */
void timer_set(Timer **timer, int64_t at_us, void (*fire)(void *data), void *data);

typedef struct FdSource FdSource;

/**
 * fd_source_new() - call @ready whenever @fd is ready for @events
 * @fd:    borrowed; must outlive the source; watched by no other source of the same priority
 * @ready: gets what is ready (with G_IO_HUP and G_IO_ERR); may free the source
 */
FdSource *fd_source_new(int fd, GIOCondition events, int priority, void (*ready)(GIOCondition condition, void *data),
			void *data);
/*
 * The same for what is ready only once a change, to the first who polls: /proc/self/mountinfo (proc(5)). It has no place in
 * an epoll, which looks twice, and costs something at every turn of the loop. It goes before all others.
 */
FdSource *fd_source_new_forgetful(int fd, GIOCondition events, void (*ready)(GIOCondition condition, void *data), void *data);
void fd_source_set_events(FdSource *source, GIOCondition events);
void fd_source_free(FdSource *source); /* NULL is nothing */

#endif
