/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: the verbs of path: conditions (providers/path.h).
 *
 * The table of mounts shows where a walk must end, and which paths lead elsewhere after a mount.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"
#include "providers/path.h"
#include "providers/path-test.h"
#include "providers/path-walker.h"
#include "tools/svc-worker/verbs.h"

#define POLL_US (1 * G_TIME_SPAN_SECOND)

typedef struct Poll {
	uint64_t id;
	char *argument;
	PathTest test;
	const char *path; /* into @argument */
	int verdict;      /* PathVerdict; -1: none yet */
	Timer *next;
} Poll;

static PathWalker *walker;
static Provider *mounts;
static GHashTable *polls; /* &id -> Poll, owned */

/* --- what is watched --- */

static MountKind kind_of_mount(void *data, const char *place)
{
	(void)data;
	return mount_provider_kind(mounts, place);
}

static void on_begin(void *data, uint64_t id)
{
	(void)data;
	worker_begin(id);
}

static void on_rest(void *data)
{
	(void)data;
	worker_rest();
}

static void on_found(void *data, uint64_t id, const PathFinding *finding)
{
	(void)data;
	if (finding->mount)
		worker_answer(id, -1, PATH_ANSWER_MOUNT, finding->mount, NULL);
	else
		worker_answer(id, -1, PATH_ANSWER_LEVEL, level_name(finding->level), finding->why, NULL);
}

static void on_mounts_changed(void *data, GHashTable *points)
{
	(void)data;
	path_walker_look_below(walker, points);
}

/* No condition mounted: is subscribed to in this process. */
static void ignore_report(void *data, const char *key, Level level, const char *why)
{
	(void)data;
	(void)key;
	(void)level;
	(void)why;
}

static bool make_walker(GError **error)
{
	static const PathWalkerOps ops = { .kind = kind_of_mount, .begin = on_begin, .rest = on_rest, .found = on_found };
	static const ProviderSink none = { .report = ignore_report };

	if (walker)
		return true;
	walker = path_walker_new(&ops, error);
	if (walker)
		mounts = mount_provider_new(&none, open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), on_mounts_changed, NULL);
	return walker != NULL;
}

void path_watch(WorkerRequest *request)
{
	g_autoptr(GError) error = NULL;

	if (request->n_words < 2)
		worker_answer(request->id, -1, WORKER_FAILED, "no path", NULL);
	else if (!make_walker(&error))
		worker_answer(request->id, -1, WORKER_FAILED, error->message, NULL);
	else
		path_walker_add(walker, request->id, request->words[1], request->n_words > 2 ? PATH_REPORT_LOOKS : PATH_REPORT_CHANGES);
}

/* --- what is polled --- */

static void on_poll(void *data)
{
	Poll *poll = data;
	PathVerdict verdict;

	worker_begin(poll->id);
	verdict = path_test_look(poll->test, poll->path);
	if (poll->verdict != (int)verdict)
		worker_answer(poll->id, -1, PATH_ANSWER_LEVEL, level_name(path_verdict_level(verdict)), path_verdict_text(verdict), NULL);
	poll->verdict = (int)verdict;
	worker_rest();
	timer_arm(poll->next, loop_now() + POLL_US);
}

static void poll_free(gpointer data)
{
	Poll *poll = data;

	timer_free(poll->next);
	g_free(poll->argument);
	g_free(poll);
}

void path_poll(WorkerRequest *request)
{
	Poll *poll;

	if (request->n_words < 2) {
		worker_answer(request->id, -1, WORKER_FAILED, "no path", NULL);
		return;
	}
	if (!polls)
		polls = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, poll_free);
	poll = g_new0(Poll, 1);
	poll->id = request->id;
	poll->argument = g_strdup(request->words[1]);
	poll->test = path_test_of(poll->argument, &poll->path);
	poll->verdict = -1;
	poll->next = timer_new(on_poll, poll);
	g_hash_table_insert(polls, &poll->id, poll);
	on_poll(poll);
}

void path_cancel(uint64_t id)
{
	if (walker)
		path_walker_remove(walker, id);
	if (polls)
		(void)g_hash_table_remove(polls, &id);
}
