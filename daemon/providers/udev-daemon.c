/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev daemon: the directory is watched, and its parent while there is no directory. inotify only wakes; whether there is a
 * socket is looked up, after the watch is set. A udevd that was killed leaves its socket behind; its successor makes it anew.
 */
#include "config.h"

#include "providers/udev-daemon.h"

#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "loop/inotify.h"

#define CONTROL "control"

#define WATCH_MASK (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

struct UdevDaemon {
	char *directory;
	char *parent;
	char *name; /* of the directory in its parent */
	char *control;
	Inotify *inotify;
	int watch;
	bool is_watching_parent;
	bool is_there;
	bool is_anew; /* within one batch */
	bool must_look;
	void (*changed)(void *data, bool is_there);
	void *data;
};

/* Once more for each watch that is set: what was made before it was is seen now. */
static void watch(UdevDaemon *daemon)
{
	if (daemon->watch >= 0)
		inotify_unwatch(daemon->inotify, daemon->watch);
	daemon->watch = inotify_watch(daemon->inotify, daemon->directory, WATCH_MASK);
	daemon->is_watching_parent = daemon->watch < 0;
	if (daemon->watch >= 0)
		return;
	daemon->watch = inotify_watch(daemon->inotify, daemon->parent, WATCH_MASK);
	if (g_file_test(daemon->directory, G_FILE_TEST_IS_DIR)) { /* made between the two */
		inotify_unwatch(daemon->inotify, daemon->watch);
		daemon->watch = inotify_watch(daemon->inotify, daemon->directory, WATCH_MASK);
		daemon->is_watching_parent = false;
	}
}

static void look(UdevDaemon *daemon)
{
	struct stat st;
	const bool is_there = stat(daemon->control, &st) == 0 && S_ISSOCK(st.st_mode);
	const bool is_news = is_there != daemon->is_there || (is_there && daemon->is_anew);

	daemon->is_there = is_there;
	daemon->is_anew = false;
	daemon->must_look = false;
	if (is_news)
		daemon->changed(daemon->data, is_there);
}

static void on_directory_event(void *data, int number, uint32_t mask, const char *name)
{
	UdevDaemon *daemon = data;

	if (number != daemon->watch)
		return; /* of a watch that was taken back */
	if (daemon->is_watching_parent) {
		if (strcmp(name, daemon->name) != 0)
			return;
		watch(daemon);
		daemon->must_look = true;
	} else if (mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) {
		watch(daemon);
		daemon->must_look = true;
	} else if (strcmp(name, CONTROL) == 0) {
		daemon->is_anew = daemon->is_anew || mask & (IN_CREATE | IN_MOVED_TO);
		daemon->must_look = true;
	}
}

static void on_directory_overflow(void *data)
{
	UdevDaemon *daemon = data;

	watch(daemon);
	daemon->is_anew = true;
	daemon->must_look = true;
}

static void on_directory_batch_end(void *data)
{
	UdevDaemon *daemon = data;

	if (daemon->must_look)
		look(daemon);
}

UdevDaemon *udev_daemon_new(const char *directory, void (*changed)(void *data, bool is_there), void *data, GError **error)
{
	static const InotifyListener listener = { on_directory_event, on_directory_overflow, on_directory_batch_end };
	UdevDaemon *daemon = g_new0(UdevDaemon, 1);
	struct stat st;

	daemon->directory = g_strdup(directory);
	daemon->parent = g_path_get_dirname(directory);
	daemon->name = g_path_get_basename(directory);
	daemon->control = g_build_filename(directory, CONTROL, NULL);
	daemon->changed = changed;
	daemon->data = data;
	daemon->watch = -1;
	daemon->inotify = inotify_new(&listener, daemon, error);
	if (!daemon->inotify) {
		udev_daemon_free(daemon);
		return NULL;
	}
	watch(daemon);
	daemon->is_there = stat(daemon->control, &st) == 0 && S_ISSOCK(st.st_mode);
	return daemon;
}

void udev_daemon_free(UdevDaemon *daemon)
{
	if (!daemon)
		return;
	inotify_free(daemon->inotify);
	g_free(daemon->directory);
	g_free(daemon->parent);
	g_free(daemon->name);
	g_free(daemon->control);
	g_free(daemon);
}

bool udev_daemon_is_there(const UdevDaemon *daemon)
{
	return daemon->is_there;
}
