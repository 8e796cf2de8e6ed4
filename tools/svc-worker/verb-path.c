/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb path: the verb for path: conditions (providers/path.h).
 *
 * The mount table shows where a walk must end, and which paths a mount has changed.
 */
#include "config.h"

#include <fcntl.h>

#include "providers/path.h"
#include "providers/path-walker.h"
#include "tools/svc-worker/verbs.h"

static PathWalker *walker;
static Provider *mounts;

static MountPointKind kind_of_mount(void *data, const char *place)
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
	worker_answer(id, -1, PATH_ANSWER_LEVEL, level_name(finding->level), finding->why, NULL);
}

static void on_mounts_changed(void *data, GHashTable *points)
{
	(void)data;
	path_walker_look_below(walker, points);
}

/* This process has no subscription to a mounted: condition. */
static void ignore_report(void *data, const char *key, Level level, const char *why)
{
	(void)data;
	(void)key;
	(void)level;
	(void)why;
}

static bool make_walker(GError **error)
{
	static const PathWalkerOps ops = {
		.kind = kind_of_mount, .begin = on_begin, .rest = on_rest, .found = on_found
	};
	static const ProviderSink none = { .report = ignore_report };

	if (walker)
		return true;
	walker = path_walker_new(&ops, error);
	if (walker)
		mounts = mount_provider_new(&none,
					    open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC),
					    on_mounts_changed, NULL);
	return walker != NULL;
}

void path_watch(WorkerRequest *request)
{
	g_autoptr(GError) error = NULL;

	if (request->n_fields < 2)
		worker_answer(request->id, -1, WORKER_FAILED, "no path", NULL);
	else if (!make_walker(&error))
		worker_answer(request->id, -1, WORKER_FAILED, error->message, NULL);
	else
		path_walker_add(walker, request->id, request->fields[1],
				request->n_fields > 2 ? PATH_REPORT_LOOKS : PATH_REPORT_CHANGES);
}

void path_cancel(uint64_t id)
{
	if (walker)
		path_walker_remove(walker, id);
}
