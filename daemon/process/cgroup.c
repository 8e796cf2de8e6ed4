/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroup: reads and writes small files below one directory (kernel.org, admin-guide/cgroup-v2). */
#include "config.h"

#include "process/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "loop/loop.h"
#include "process/cgroup-tree.h"
#include "process/tagged-processes.h"

/*
 * Without cgroups: the first delay before the processes are looked for again. It doubles each time.
 */
#define LOOK_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)
#define LOOK_MAX_US (5 * G_USEC_PER_SEC)

struct Cgroup {
	WorkerPool *workers;
	/* removes the groups that the service has made below it; NULL: not running */
	WorkerJob *clear;
	char *path; /* NULL: no cgroup v2 */
	char *name;
	bool is_new; /* made by us, and no process was started in it */
	bool is_unkilled; /* made by us, and cgroup.kill was not written since */
	int events_fd; /* cgroup.events while it is watched */
	FdSource *source;
	char *mark; /* NULL: processes are not found by marks */
	pid_t keeper; /* the marked processes are its descendants */
	/* while watched by marks: no event reports that the processes have ended */
	Timer *look;
	int64_t look_us; /* delay until the next look; it grows each time */
	void (*on_change)(void *data);
	void *data;
};

static int open_below(const char *directory, const char *file, int flags)
{
	g_autofree char *path = g_strconcat(directory, "/", file, NULL);

	return open(path, flags | O_CLOEXEC);
}

static bool read_start(int fd, char *text, size_t size)
{
	return cgroup_file_read(fd, text, size) > 0;
}

/* --- its own processes --- */

GArray *cgroup_pids(const Cgroup *cgroup)
{
	auto_fd int fd = cgroup->path ? open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	GArray *pids;

	if (cgroup->mark)
		return tagged_processes_find(cgroup->mark + strlen(SERVICE_TAG), cgroup->keeper,
					     NULL);
	pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	if (fd >= 0)
		cgroup_pids_read(fd, pids);
	return pids;
}

bool cgroup_has_groups(const Cgroup *cgroup)
{
	auto_fd int fd = cgroup->path && cgroup->workers ?
				 open_below(cgroup->path, "cgroup.stat", O_RDONLY) :
				 -1;
	char text[256];

	return fd >= 0 && read_start(fd, text, sizeof text) &&
	       !g_str_has_prefix(text, "nr_descendants 0\n");
}

bool cgroup_contains(const Cgroup *cgroup, pid_t pid)
{
	g_autoptr(GArray) pids = cgroup_pids(cgroup);

	return pids_contain(pids, pid);
}

/* --- making and removing --- */

Cgroup *cgroup_new(const char *root, const char *service, void (*on_change)(void *data), void *data)
{
	Cgroup *cgroup = g_new0(Cgroup, 1);

	cgroup->path = root ? g_strconcat(root, "/", service, NULL) : NULL;
	cgroup->name = g_strdup(service);
	cgroup->events_fd = -1;
	cgroup->on_change = on_change;
	cgroup->data = data;
	return cgroup;
}

void cgroup_use_workers(Cgroup *cgroup, WorkerPool *workers)
{
	cgroup->workers = workers;
}

void cgroup_use_marks(Cgroup *cgroup, pid_t keeper)
{
	if (cgroup->path)
		return;
	cgroup->mark = g_strconcat(SERVICE_TAG, cgroup->name, NULL);
	cgroup->keeper = keeper;
}

const char *cgroup_mark(const Cgroup *cgroup)
{
	return cgroup->mark;
}

bool cgroup_is_known(const Cgroup *cgroup)
{
	return cgroup->path || cgroup->mark;
}

void cgroup_free(Cgroup *cgroup)
{
	if (!cgroup)
		return;
	cgroup_watch(cgroup, false);
	worker_job_free(cgroup->clear);
	g_free(cgroup->path);
	g_free(cgroup->name);
	g_free(cgroup->mark);
	g_free(cgroup);
}

bool cgroup_create(Cgroup *cgroup, GError **error)
{
	if (!cgroup->path)
		return true;
	cgroup->is_new = mkdir(cgroup->path, 0711) == 0;
	cgroup->is_unkilled |= cgroup->is_new;
	if (!cgroup->is_new && errno != EEXIST)
		return fail_errno(error, errno, "cannot make the control group %s", cgroup->path);
	return true;
}

bool cgroup_is_new(const Cgroup *cgroup)
{
	return cgroup->is_new;
}

int cgroup_open(Cgroup *cgroup, GError **error)
{
	int fd;

	if (!cgroup->path)
		return -1;
	cgroup->is_new = false;
	fd = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail_errno(error, errno, "cannot open the control group %s", cgroup->path);
	return fd;
}

void cgroup_remove(const Cgroup *cgroup)
{
	if (cgroup->path)
		/* a group with processes or subgroups stays, and the next start finds it */
		(void)rmdir(cgroup->path);
}

static void on_cleared(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	Cgroup *cgroup = data;

	(void)fields;
	(void)n_fields;
	fd_close(&fd);
	cgroup->clear = NULL;
	cgroup->on_change(cgroup->data);
}

static void on_clear_lost(void *data, const char *why)
{
	Cgroup *cgroup = data;

	(void)why; /* the pool has logged it */
	cgroup->clear = NULL;
}

bool cgroup_clear(Cgroup *cgroup)
{
	static const WorkerListener listener = { .answer = on_cleared, .lost = on_clear_lost };
	const char *const fields[] = { "cgroup-clear", cgroup->path };

	if (!cgroup->path || !cgroup_has_groups(cgroup))
		return true;
	if (!cgroup->clear)
		cgroup->clear = worker_job_new(cgroup->workers, cgroup->name, fields,
					       G_N_ELEMENTS(fields), NULL, 0, &listener, cgroup);
	return false;
}

bool cgroup_renew(Cgroup *cgroup)
{
	const bool is_watched = cgroup->source != NULL;

	if (!cgroup->path || cgroup->is_unkilled || cgroup_population(cgroup) != CGROUP_EMPTY ||
	    !cgroup_clear(cgroup))
		return false;
	cgroup_watch(cgroup, false);
	cgroup_remove(cgroup);
	(void)cgroup_create(cgroup, NULL); /* cgroup_open() reports why it does not exist */
	cgroup_watch(cgroup, is_watched);
	return cgroup->is_new;
}

bool cgroup_may_be_killed(const Cgroup *cgroup)
{
	return cgroup->path && !cgroup->is_unkilled;
}

/* --- watching --- */

static void on_events(GIOCondition condition, void *data)
{
	Cgroup *cgroup = data;
	char text[256];

	(void)condition;
	/*
	 * The file stays "changed" until it is read. The file of a removed group cannot be read,
	 * which also means that the group is empty.
	 */
	if (!read_start(cgroup->events_fd, text, sizeof text))
		cgroup_watch(cgroup, false);
	cgroup->on_change(cgroup->data);
}

static void on_look(void *data)
{
	Cgroup *cgroup = data;

	cgroup->look_us = MIN(cgroup->look_us * 2, LOOK_MAX_US);
	timer_arm(cgroup->look, loop_now() + cgroup->look_us);
	cgroup->on_change(cgroup->data);
}

static void watch_marks(Cgroup *cgroup, bool on)
{
	if (on == (cgroup->look != NULL))
		return;
	if (!on) {
		g_clear_pointer(&cgroup->look, timer_free);
		return;
	}
	cgroup->look_us = LOOK_FIRST_US;
	cgroup->look = timer_new(on_look, cgroup);
	timer_arm(cgroup->look, loop_now() + cgroup->look_us);
}

void cgroup_watch(Cgroup *cgroup, bool on)
{
	char text[256];

	if (cgroup->mark) {
		watch_marks(cgroup, on);
		return;
	}
	if (on == (cgroup->source != NULL) || !cgroup->path)
		return;
	if (!on) {
		fd_source_free(cgroup->source);
		cgroup->source = NULL;
		fd_close(&cgroup->events_fd);
		return;
	}
	cgroup->events_fd = open_below(cgroup->path, "cgroup.events", O_RDONLY);
	if (cgroup->events_fd < 0)
		return; /* the group is gone: cgroup_population() reports it */
	/* the kernel reports changes after this read */
	(void)read_start(cgroup->events_fd, text, sizeof text);
	cgroup->source =
		fd_source_new(cgroup->events_fd, G_IO_PRI, LOOP_PRIORITY_READY, on_events, cgroup);
}

CgroupPopulation cgroup_population(const Cgroup *cgroup)
{
	auto_fd int fd = -1;
	char text[256];

	if (cgroup->mark) {
		bool is_whole;
		g_autoptr(GArray) pids = tagged_processes_find(cgroup->mark + strlen(SERVICE_TAG),
							       cgroup->keeper, &is_whole);

		if (!is_whole && cgroup->look)
			timer_arm(cgroup->look, loop_now() + LOOK_FIRST_US);
		return pids->len > 0 || !is_whole ? CGROUP_POPULATED : CGROUP_EMPTY;
	}
	if (!cgroup->path)
		return CGROUP_UNKNOWN;
	if (cgroup->is_new)
		return CGROUP_EMPTY;
	fd = open_below(cgroup->path, "cgroup.events", O_RDONLY);
	if (fd < 0 || !read_start(fd, text, sizeof text))
		return errno == ENOENT || errno == ENODEV ? CGROUP_EMPTY : CGROUP_UNKNOWN;
	return strstr(text, "populated 1") ? CGROUP_POPULATED : CGROUP_EMPTY;
}

/* --- signals --- */

static GArray *list(const void *group)
{
	return cgroup_pids(group);
}

/* Nothing waits for this reply. */
static void on_signalled(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	(void)data;
	(void)fields;
	(void)n_fields;
	fd_close(&fd);
}

static void on_signal_lost(void *data, const char *why)
{
	(void)data;
	(void)why; /* the pool has logged it */
}

void cgroup_signal(const Cgroup *cgroup, int signo, pid_t except)
{
	static const WorkerListener listener = { .answer = on_signalled, .lost = on_signal_lost };
	g_autofree char *number = NULL;
	g_autofree char *pid = NULL;

	if (!cgroup_has_groups(cgroup)) {
		pids_signal(list, cgroup, signo, except);
		return;
	}
	number = g_strdup_printf("%d", signo);
	pid = g_strdup_printf("%d", (int)except);
	(void)worker_job_new(cgroup->workers, cgroup->name,
			     (const char *const[]){ "cgroup-signal", cgroup->path, number, pid }, 4,
			     NULL, 0, &listener, NULL);
}

bool cgroup_kill(Cgroup *cgroup, GError **error)
{
	auto_fd int fd = -1;

	cgroup->is_unkilled = false;
	if (cgroup->mark)
		cgroup_signal(cgroup, SIGKILL, 0);
	if (!cgroup->path)
		return true;
	fd = open_below(cgroup->path, "cgroup.kill", O_WRONLY);
	/* Linux < 5.14, or the group is gone; in the second case this does nothing */
	if (fd < 0 && errno == ENOENT) {
		cgroup_signal(cgroup, SIGKILL, 0);
		return true;
	}
	if (fd < 0 || write(fd, "1", 1) != 1)
		return fail_errno(error, errno, "cannot kill the processes in %s", cgroup->path);
	return true;
}

const char *cgroup_path(const Cgroup *cgroup)
{
	return cgroup->path;
}
