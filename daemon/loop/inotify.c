/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inotify: reads one buffer per turn and walks over its records.
 */
#include "config.h"

#include "loop/inotify.h"

#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "loop/loop.h"

struct Inotify {
	int fd;
	FdSource *source;
	const InotifyListener *listener;
	void *data;
};

static void on_inotify_readable(GIOCondition condition, void *data)
{
	Inotify *inotify = data;
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n = read(inotify->fd, buffer, sizeof buffer);

	(void)condition;
	if (n <= 0)
		return; /* EAGAIN or EINTR: the source fires again */
	for (const char *p = buffer; p < buffer + n;) {
		const struct inotify_event *e = (const struct inotify_event *)p;

		if (e->mask & IN_Q_OVERFLOW)
			inotify->listener->overflow(inotify->data);
		else
			inotify->listener->event(inotify->data, e->wd, e->mask,
						 e->len ? e->name : "");
		p += sizeof *e + e->len;
	}
	inotify->listener->batch_end(inotify->data);
}

Inotify *inotify_new(const InotifyListener *listener, void *data, GError **error)
{
	Inotify *inotify;
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0) {
		fail_errno(error, errno, "cannot watch the file system");
		return NULL;
	}
	inotify = g_new0(Inotify, 1);
	inotify->fd = fd;
	inotify->listener = listener;
	inotify->data = data;
	inotify->source =
		fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_PROVIDER, on_inotify_readable, inotify);
	return inotify;
}

void inotify_free(Inotify *inotify)
{
	if (!inotify)
		return;
	fd_source_free(inotify->source);
	fd_close(&inotify->fd);
	g_free(inotify);
}

int inotify_watch(Inotify *inotify, const char *directory, uint32_t mask)
{
	return inotify_add_watch(inotify->fd, directory, mask | IN_ONLYDIR | IN_MASK_ADD);
}

void inotify_unwatch(Inotify *inotify, int watch)
{
	(void)inotify_rm_watch(inotify->fd, watch); /* fails if the directory was removed */
}
