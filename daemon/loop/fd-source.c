/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: one epoll(7) per priority. The main loop polls only these.
 *
 * poll(2) gets every descriptor at every turn, so an event would cost more with each running
 * service, which has a file of cgroup events and perhaps a notify socket.
 */
#include "config.h"

#include "loop/loop.h"

#include <errno.h>
#include <sys/epoll.h>

/*
 * The number of events that are handled before other sources of the same priority get their turn.
 */
#define BATCH 64

typedef struct Poller Poller;

struct FdSource {
	Poller *poller; /* NULL: the main loop polls the descriptor itself, */
	GSource *alone; /* with this source */
	gpointer tag;
	int fd;
	GIOCondition events;
	void (*ready)(GIOCondition condition, void *data);
	void *data;
};

struct Poller {
	int epoll_fd;
	int priority;
	struct epoll_event *batch; /* the events that are being reported; NULL: none */
	int n_batch;
	Poller *next;
};

/* A GSource that carries its owner; GSource must come first. */
typedef struct PollerSource {
	GSource base;
	Poller *poller;
} PollerSource;

typedef struct AloneSource {
	GSource base;
	FdSource *owner;
} AloneSource;

/* The default context belongs to the process, and so do its pollers: one for each LoopPriority. */
static Poller *pollers;

/*
 * While a source is dispatched, GLib removes its descriptors from the set, to prevent recursion,
 * and writes to a descriptor each time. There are no recursive loops here.
 */
static void never_block(GSource *source)
{
	g_source_set_can_recurse(source, TRUE);
}

static gboolean poller_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	Poller *poller = ((PollerSource *)source)->poller;
	struct epoll_event batch[BATCH];

	(void)callback;
	(void)data;
	poller->n_batch = epoll_wait(poller->epoll_fd, batch, BATCH, 0);
	poller->batch = batch;
	for (int i = 0; i < poller->n_batch; i++) {
		FdSource *owner = batch[i].data.ptr;

		if (owner)
			owner->ready((GIOCondition)batch[i].events, owner->data);
	}
	poller->batch = NULL;
	/*
	 * The timers fire now, so that a waiting service starts at once: the next turn would first
	 * ask the kernel for more events. This is not done after messages of the keeper, because
	 * all of these are handled before any timer fires.
	 */
	if (poller->priority == LOOP_PRIORITY_READY)
		timers_fire();
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs poller_funcs = { .dispatch = poller_dispatch };

static Poller *poller_get(int priority)
{
	Poller *poller = pollers;
	GSource *source;

	while (poller && poller->priority != priority)
		poller = poller->next;
	if (poller)
		return poller;
	poller = g_new0(Poller, 1);
	poller->priority = priority;
	poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	g_assert(poller->epoll_fd >= 0); /* made at the start, when no limit is near */
	poller->next = pollers;
	pollers = poller;
	source = g_source_new(&poller_funcs, sizeof(PollerSource));
	((PollerSource *)source)->poller = poller;
	g_source_add_unix_fd(source, poller->epoll_fd, G_IO_IN);
	never_block(source);
	g_source_set_priority(source, priority);
	g_source_attach(source, NULL);
	g_source_unref(source); /* the context owns it */
	return poller;
}

static void control(FdSource *source, int operation, GIOCondition events)
{
	struct epoll_event event = { .events = events, .data = { .ptr = source } };

	/*
	 * This fails only for a descriptor that cannot be polled, is closed, or is watched twice.
	 * All of these are bugs.
	 */
	if (epoll_ctl(source->poller->epoll_fd, operation, source->fd, &event) != 0)
		g_error("cannot watch descriptor %d: %s", source->fd, g_strerror(errno));
}

FdSource *fd_source_new(int fd, GIOCondition events, int priority,
			void (*ready)(GIOCondition condition, void *data), void *data)
{
	FdSource *source = g_new0(FdSource, 1);

	source->poller = poller_get(priority);
	source->fd = fd;
	source->ready = ready;
	source->data = data;
	source->events = events;
	control(source, EPOLL_CTL_ADD, events);
	return source;
}

static gboolean alone_dispatch(GSource *source, GSourceFunc callback, gpointer data)
{
	FdSource *owner = ((AloneSource *)source)->owner;

	(void)callback;
	(void)data;
	owner->ready(g_source_query_unix_fd(source, owner->tag), owner->data);
	return G_SOURCE_CONTINUE;
}

static GSourceFuncs alone_funcs = { .dispatch = alone_dispatch };

FdSource *fd_source_new_forgetful(int fd, GIOCondition events,
				  void (*ready)(GIOCondition condition, void *data), void *data)
{
	FdSource *source = g_new0(FdSource, 1);

	source->fd = fd;
	source->ready = ready;
	source->data = data;
	source->events = events;
	source->alone = g_source_new(&alone_funcs, sizeof(AloneSource));
	((AloneSource *)source->alone)->owner = source;
	source->tag = g_source_add_unix_fd(source->alone, fd, events);
	never_block(source->alone);
	g_source_set_priority(source->alone, LOOP_PRIORITY_FORGETFUL);
	g_source_attach(source->alone, NULL);
	return source;
}

void fd_source_set_events(FdSource *source, GIOCondition events)
{
	if (source->events == events)
		return;
	source->events = events;
	if (source->alone)
		g_source_modify_unix_fd(source->alone, source->tag, events);
	else
		control(source, EPOLL_CTL_MOD, events);
}

/* Also removes @source from the events that are still to be reported. */
static void forget_source(Poller *poller, const FdSource *source)
{
	for (int i = 0; poller->batch && i < poller->n_batch; i++) {
		if (poller->batch[i].data.ptr == source)
			poller->batch[i].data.ptr = NULL;
	}
}

void fd_source_free(FdSource *source)
{
	if (!source)
		return;
	if (source->alone) {
		g_source_destroy(source->alone);
		g_source_unref(source->alone);
	} else {
		control(source, EPOLL_CTL_DEL, 0);
		forget_source(source->poller, source);
	}
	g_free(source);
}
