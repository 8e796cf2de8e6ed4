/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inotify: watches many directories with one descriptor, and reports events as (watch, name).
 */
#ifndef SVCD_LOOP_INOTIFY_H
#define SVCD_LOOP_INOTIFY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Inotify Inotify;

/*
 * @event: @name is "" for the directory itself; @mask is as in inotify(7)
 * @overflow: events are lost, so all directories must be read again
 */
typedef struct InotifyListener {
	void (*event)(void *data, int watch, uint32_t mask, const char *name);
	void (*overflow)(void *data);
	void (*batch_end)(void *data); /* after the events of one turn */
} InotifyListener;

Inotify *inotify_new(const InotifyListener *listener, void *data, GError **error);
void inotify_free(Inotify *inotify);

/**
 * inotify_watch() - watch a directory; another path to the same directory gives the same number
 * Returns: the watch, or -1 with errno (ENOENT, ENOTDIR, ENOSPC ...).
 */
int inotify_watch(Inotify *inotify, const char *directory, uint32_t mask);
void inotify_unwatch(Inotify *inotify, int watch);

#endif
