/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path look: a job for the process that also watches the paths of conditions. If that process
 * hangs, the job is tried again in a separate process.
 */
#include "config.h"

#include "providers/path-look.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "providers/path.h"

/*
 * The pause after a process was lost. The next try also waits until a process that hung has ended.
 */
#define AGAIN_US (5 * G_USEC_PER_SEC)

struct PathLook {
	WorkerPool *workers;
	char *path;
	char *owner;
	WorkerJob *job; /* NULL: not running */
	bool is_lost; /* the loss of the job was logged */
	Timer *again;
	void (*seen)(void *data, bool is_there);
	void *data;
};

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	PathLook *look = data;

	fd_close(&fd); /* no descriptor was requested */
	if (n_fields < 2 || strcmp(fields[0], PATH_ANSWER_LEVEL) != 0) {
		look->job = NULL; /* "failed" */
		return;
	}
	if (look->is_lost)
		log_notice(NULL, "the check of %s responds again", look->path);
	look->is_lost = false;
	look->seen(look->data, strcmp(fields[1], "true") == 0);
}

static void on_lost(void *data, const char *why)
{
	PathLook *look = data;

	look->job = NULL;
	if (!look->is_lost)
		log_warning(NULL,
			    "the check of %s does not respond: the path is not used until it does",
			    look->path);
	look->is_lost = true;
	g_free(look->owner);
	look->owner = g_strconcat("the path ", look->path, NULL);
	timer_arm(look->again, loop_now() + AGAIN_US);
}

static void begin(PathLook *look)
{
	static const WorkerListener listener = { .answer = on_answer, .lost = on_lost };
	const char *const fields[] = { PATH_VERB_WATCH, look->path, PATH_EACH_LOOK };

	if (!look->workers)
		return; /* it is never seen */
	look->job = worker_job_new(look->workers, look->owner, fields, G_N_ELEMENTS(fields), NULL,
				   0, &listener, look);
}

static void on_again(void *data)
{
	PathLook *look = data;

	if (worker_pool_abandoned(look->workers, look->owner) > 0)
		timer_arm(look->again, loop_now() + AGAIN_US);
	else
		begin(look);
}

PathLook *path_look_new(WorkerPool *workers, const char *path,
			void (*seen)(void *data, bool is_there), void *data)
{
	PathLook *look = g_new0(PathLook, 1);

	look->workers = workers;
	look->path = g_strdup(path);
	look->owner = g_strdup(PATH_OWNER);
	look->again = timer_new(on_again, look);
	look->seen = seen;
	look->data = data;
	begin(look);
	return look;
}

void path_look_free(PathLook *look)
{
	if (!look)
		return;
	worker_job_free(look->job);
	timer_free(look->again);
	g_free(look->owner);
	g_free(look->path);
	g_free(look);
}

static void *begin_for_socket(void *workers, const char *path,
			      void (*seen)(void *to, bool is_there), void *to)
{
	return path_look_new(workers, path, seen, to);
}

static void end_for_socket(void *look)
{
	path_look_free(look);
}

SocketLook path_look_for_sockets(WorkerPool *workers)
{
	return (SocketLook){ .begin = begin_for_socket, .end = end_for_socket, .data = workers };
}
