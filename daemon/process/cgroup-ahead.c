/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroup ahead: a ring of a few places.
 */
#include "config.h"

#include "process/cgroup-ahead.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

typedef struct Place {
	char *name; /* NULL: free */
	int fd;
} Place;

struct CgroupAhead {
	int root_fd; /* -1: no cgroup v2 */
	Place places[CGROUP_AHEAD_MAX];
	unsigned oldest;
	unsigned n_made; /* places in use */
};

CgroupAhead *cgroup_ahead_new(const char *root)
{
	CgroupAhead *ahead = g_new0(CgroupAhead, 1);

	/* The way to it is long, and each part of it is asked for anew. */
	ahead->root_fd = root ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	return ahead;
}

/* Returns: its descriptor, the caller's; the group stays. */
static int clear(CgroupAhead *ahead, Place *place)
{
	g_clear_pointer(&place->name, g_free);
	ahead->n_made--;
	return fd_steal(&place->fd);
}

static void drop(CgroupAhead *ahead, Place *place)
{
	auto_fd int fd = -1;

	if (!place->name)
		return;
	(void)unlinkat(ahead->root_fd, place->name, AT_REMOVEDIR); /* it is empty, or somebody else has put something there, and then it stays */
	fd = clear(ahead, place);
}

static Place *find(CgroupAhead *ahead, const char *service)
{
	for (unsigned i = 0; i < CGROUP_AHEAD_MAX; i++) {
		Place *place = &ahead->places[i];

		if (place->name && strcmp(place->name, service) == 0)
			return place;
	}
	return NULL;
}

void cgroup_ahead_make(CgroupAhead *ahead, const char *service)
{
	Place *place = &ahead->places[ahead->oldest];
	int fd;

	if (ahead->root_fd < 0 || find(ahead, service) || mkdirat(ahead->root_fd, service, 0711) < 0)
		return; /* whatever it is, its start says so */
	fd = openat(ahead->root_fd, service, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		(void)unlinkat(ahead->root_fd, service, AT_REMOVEDIR); /* made in the lines above */
		return;
	}
	drop(ahead, place);
	*place = (Place){ .name = g_strdup(service), .fd = fd };
	ahead->oldest = (ahead->oldest + 1) % CGROUP_AHEAD_MAX;
	ahead->n_made++;
}

int cgroup_ahead_take(CgroupAhead *ahead, const char *service)
{
	Place *place = ahead && ahead->n_made > 0 ? find(ahead, service) : NULL;

	return place ? clear(ahead, place) : -1;
}

void cgroup_ahead_drop(CgroupAhead *ahead)
{
	for (unsigned i = 0; i < CGROUP_AHEAD_MAX && ahead->n_made > 0; i++)
		drop(ahead, &ahead->places[i]);
}

void cgroup_ahead_free(CgroupAhead *ahead)
{
	if (!ahead)
		return;
	cgroup_ahead_drop(ahead);
	fd_close(&ahead->root_fd);
	g_free(ahead);
}
