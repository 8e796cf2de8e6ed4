/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timer: all timers are in one heap, behind one GSource of the default context.
 *
 * The main loop asks each source at every turn. A service has several timers, most of them never
 * armed. With a source for each, an event would cost more with each service.
 */
#include "config.h"

#include "loop/loop.h"

#define NOWHERE G_MAXUINT

/*
 * If a firing timer arms another timer for the present time, that timer fires at once, because a
 * turn of the loop costs more than the work of most timers. After this many rounds such timers wait
 * for the next turn.
 */
#define ROUNDS 3

struct Timer {
	int64_t deadline_us; /* as requested; 0: not armed */
	/*
	 * @deadline_us, but never in the past, so that timers that are always armed for the present
	 * time take turns
	 */
	int64_t due_us;
	uint64_t order; /* the number of this arming */
	guint index; /* its index in the heap, or NOWHERE */
	void (*fire)(void *data);
	void *data;
};

/* The default context belongs to the process, and so do its timers. */
static struct {
	GPtrArray *heap; /* Timer *, borrowed; the next timer to fire is on top */
	GSource *source;
	uint64_t n_armed; /* how often timers were armed */
} timers;

static Timer *at(guint index)
{
	return g_ptr_array_index(timers.heap, index);
}

static void put(guint index, Timer *timer)
{
	g_ptr_array_index(timers.heap, index) = timer;
	timer->index = index;
}

static bool is_before(const Timer *a, const Timer *b)
{
	return a->due_us != b->due_us ? a->due_us < b->due_us : a->order < b->order;
}

static void move_up(guint index)
{
	Timer *timer = at(index);

	while (index > 0 && is_before(timer, at((index - 1) / 2))) {
		put(index, at((index - 1) / 2));
		index = (index - 1) / 2;
	}
	put(index, timer);
}

static void move_down(guint index)
{
	Timer *timer = at(index);

	for (;;) {
		guint child = 2 * index + 1;

		if (child >= timers.heap->len)
			break;
		if (child + 1 < timers.heap->len && is_before(at(child + 1), at(child)))
			child++;
		if (!is_before(at(child), timer))
			break;
		put(index, at(child));
		index = child;
	}
	put(index, timer);
}

static void take_out(Timer *timer)
{
	const guint index = timer->index;
	Timer *last = at(timers.heap->len - 1);

	g_ptr_array_set_size(timers.heap, (gint)timers.heap->len - 1);
	timer->index = NOWHERE;
	if (last == timer)
		return;
	put(index, last);
	move_up(index);
	move_down(last->index);
}

static bool is_due(void)
{
	return timers.heap->len > 0 && at(0)->due_us <= loop_now();
}

/*
 * The timeout is returned here, because g_source_set_ready_time() would write to a descriptor each
 * time.
 */
static gboolean timers_prepare(GSource *source, gint *timeout)
{
	const int64_t left_us = timers.heap->len > 0 ? at(0)->due_us - loop_now() : -1;

	(void)source;
	*timeout = -1;
	if (timers.heap->len > 0)
		*timeout = (gint)CLAMP((left_us + 999) / 1000, 0, G_MAXINT);
	return *timeout == 0;
}

static gboolean timers_check(GSource *source)
{
	(void)source;
	return is_due();
}

/* Fires the due timers, except those that are armed only during these calls. */
static void fire_due(void)
{
	const uint64_t limit = timers.n_armed;
	const int64_t now_us = loop_now();

	while (timers.heap->len > 0 && at(0)->due_us <= now_us && at(0)->order < limit) {
		Timer *timer = at(0);

		take_out(timer);
		timer->deadline_us = 0;
		timer->fire(timer->data);
	}
}

void timers_fire(void)
{
	for (int i = 0; timers.source && i < ROUNDS && is_due(); i++)
		fire_due();
}

static gboolean timers_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	(void)source;
	(void)callback;
	(void)data;
	timers_fire();
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs timers_funcs = { .prepare = timers_prepare,
				     .check = timers_check,
				     .dispatch = timers_dispatch };

static void open_heap(void)
{
	timers.heap = g_ptr_array_new();
	timers.source = g_source_new(&timers_funcs, sizeof(GSource));
	g_source_set_priority(timers.source, LOOP_PRIORITY_TIMER);
	g_source_attach(timers.source, NULL);
}

Timer *timer_new(void (*fire)(void *data), void *data)
{
	Timer *timer = g_new0(Timer, 1);

	if (!timers.source)
		open_heap();
	timer->fire = fire;
	timer->data = data;
	timer->index = NOWHERE;
	return timer;
}

void timer_arm(Timer *timer, int64_t at_us)
{
	if (timer->index != NOWHERE)
		take_out(timer);
	timer->deadline_us = at_us;
	timer->due_us = MAX(at_us, loop_now());
	timer->order = timers.n_armed++;
	g_ptr_array_add(timers.heap, timer);
	move_up(timers.heap->len - 1);
}

void timer_disarm(Timer *timer)
{
	if (!timer)
		return;
	timer->deadline_us = 0;
	if (timer->index != NOWHERE)
		take_out(timer);
}

bool timer_is_armed(const Timer *timer)
{
	return timer && timer->deadline_us != 0;
}

int64_t timer_deadline(const Timer *timer)
{
	return timer ? timer->deadline_us : 0;
}

void timer_free(Timer *timer)
{
	timer_disarm(timer);
	g_free(timer);
}

void timer_set(Timer **timer, int64_t at_us, void (*fire)(void *data), void *data)
{
	if (at_us == 0) {
		g_clear_pointer(timer, timer_free);
		return;
	}
	if (!*timer)
		*timer = timer_new(fire, data);
	timer_arm(*timer, at_us);
}
