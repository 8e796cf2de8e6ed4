/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket look: one inotify watch, on the directory of the socket or the nearest existing directory
 * above it.
 */
#include "config.h"

#include "tests/lib/socket-look.h"

#include <stdbool.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "loop/inotify.h"
#include "loop/loop.h"

/*
 * IN_ATTRIB: dbus-daemon binds, listens, and then permits access by chmod(2). A connection succeeds
 * only after that.
 */
#define WATCHED                                                                             \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | \
	 IN_MOVE_SELF)

typedef struct SocketWatch {
	Inotify *inotify;
	GPtrArray *path; /* char *, owned: "/run/dbus/socket", "/run/dbus", "/run", "/" */
	guint awaited; /* index of the awaited entry; the next index is its directory */
	int watch; /* -1: not armed */
	bool is_touched;
	Timer *first;
	void (*seen)(void *to, bool is_there);
	void *to;
} SocketWatch;

static const char *path_at(const SocketWatch *w, guint i)
{
	return g_ptr_array_index(w->path, i);
}

/* Moves the watch to the directory of the entry @i. */
static bool move_to(SocketWatch *w, guint i)
{
	const int watch = inotify_watch(w->inotify, path_at(w, i + 1), WATCHED);

	if (watch < 0)
		return false;
	if (w->watch >= 0 && w->watch != watch)
		inotify_unwatch(w->inotify, w->watch);
	w->watch = watch;
	w->awaited = i;
	return true;
}

/*
 * Goes up to an existing directory, then down again. A directory may be created after the check for
 * it and before the watch above it.
 */
static void aim(SocketWatch *w)
{
	guint i = 0;

	while (i + 1 < w->path->len && !move_to(w, i))
		i++;
	while (i > 0 && i + 1 < w->path->len && move_to(w, i - 1))
		i--;
}

static void on_event(void *data, int watch, uint32_t mask, const char *name)
{
	SocketWatch *w = data;
	const bool is_self = (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) !=
			     0;
	g_autofree char *awaited = NULL;

	if (watch != w->watch)
		return; /* left over from a removed watch */
	awaited = g_path_get_basename(path_at(w, w->awaited));
	if (is_self || strcmp(name, awaited) == 0)
		w->is_touched = true;
}

static void on_overflow(void *data)
{
	((SocketWatch *)data)->is_touched = true;
}

/*
 * From here on no event is missed, because the watch precedes the check. The path may lead to
 * another directory now.
 */
static void look(void *data)
{
	SocketWatch *w = data;

	if (w->watch >= 0)
		inotify_unwatch(w->inotify, w->watch);
	w->watch = -1;
	w->is_touched = false;
	aim(w);
	w->seen(w->to, access(path_at(w, 0), F_OK) == 0);
}

static void on_batch_end(void *data)
{
	SocketWatch *w = data;

	if (w->is_touched && w->watch >= 0)
		look(w);
}

static const InotifyListener inotify_listener = { .event = on_event,
						  .overflow = on_overflow,
						  .batch_end = on_batch_end };

static void *begin(void *data, const char *path, void (*seen)(void *to, bool is_there), void *to)
{
	SocketWatch *w = g_new0(SocketWatch, 1);

	w->watch = -1;
	w->seen = seen;
	w->to = to;
	w->inotify = inotify_new(&inotify_listener, w, NULL);
	g_assert(w->inotify);
	w->path = g_ptr_array_new_with_free_func(g_free);
	for (char *at = g_strdup(path);; at = g_path_get_dirname(at)) {
		g_ptr_array_add(w->path, at);
		if (strcmp(at, "/") == 0)
			break;
	}
	w->first = timer_new(look, w);
	timer_arm(w->first, loop_now());
	return w;
}

static void end(void *data)
{
	SocketWatch *w = data;

	timer_free(w->first);
	inotify_free(w->inotify);
	g_ptr_array_unref(w->path);
	g_free(w);
}

const SocketLook socket_look = { .begin = begin, .end = end };
