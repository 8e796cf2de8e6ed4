/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: the manager's side of path: conditions. Each condition is a job of svc-worker.
 *
 * All conditions begin in one process. If that process hangs at a path, the path and all others in
 * the same directory move to their own process, because a user may hold the lock of that directory.
 * If that process hangs as well, its conditions are unknown. The directory is tried again after a
 * pause, but never while a process that hung there is still alive. Paths elsewhere are not
 * affected.
 */
#include "config.h"

#include "providers/path.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "providers/path-test.h"

/* The number of processes for directories. Further directories share one process. */
#define MAX_PLACES 16

/* How often a lost process is checked: has it ended, and is its pause over? */
#define TICK_US (1 * G_USEC_PER_SEC)

/* The pause before the next try doubles from the first to the last value. */
#define PAUSE_FIRST_US (5 * G_USEC_PER_SEC)
#define PAUSE_LAST_US (300 * G_USEC_PER_SEC)

/* The paths of a directory that answers return to the common process after this time. */
#define RETURN_US (300 * G_USEC_PER_SEC)

/* The paths that one process watches. */
typedef struct PathGroup {
	struct PathProvider *paths;
	char *name; /* "" for the common process; "directory /run" */
	char *owner; /* the owner name of its jobs */
	unsigned n_users; /* conditions */
	bool is_silent; /* its process was lost, and no process has answered since */
	bool was_held; /* at the last tick a process that hung there was still alive */
	int64_t pause_us; /* the next pause */
	int64_t next_us; /* when to try again, if no process hangs there */
	Timer *again;
} PathGroup;

typedef struct PathCondition {
	const char *key;
	PathGroup *group;
	WorkerJob *job; /* NULL: not running */
	Level level;
	char *why;
	bool is_known; /* it was answered, or the process was lost */
	Level reported;
	bool is_reported; /* if not, the next answer is reported even without a change */
} PathCondition;

typedef struct PathProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	PathOptions options;
	GHashTable *conditions; /* interned key -> PathCondition, owned */
	GHashTable *groups; /* name -> PathGroup, owned */
	PathGroup *common; /* one of @groups */
	unsigned n_lost; /* lost processes of @common */
	unsigned n_unknown; /* conditions with an unknown level */
	WorkerJob *first; /* starts the process before there is a condition */
} PathProvider;

/* --- reports --- */

/* While the level is unknown, the reason may change. */
static void report(PathProvider *paths, PathCondition *condition)
{
	if (condition->is_reported && condition->level == condition->reported &&
	    condition->level != LEVEL_UNKNOWN)
		return;
	condition->is_reported = true;
	condition->reported = condition->level;
	provider_report(&paths->sink, condition->key, condition->level, condition->why);
}

static void know(PathProvider *paths, PathCondition *condition)
{
	if (condition->is_known)
		return;
	condition->is_known = true;
	if (--paths->n_unknown == 0 && paths->options.settled)
		paths->options.settled(paths->options.data);
}

/* Takes @why. */
static void set_level(PathProvider *paths, PathCondition *condition, Level level, char *why)
{
	condition->is_reported = condition->is_reported && g_strcmp0(condition->why, why) == 0;
	condition->level = level;
	g_free(condition->why);
	condition->why = why;
	report(paths, condition);
	know(paths, condition);
}

/* --- places --- */

static void on_again(void *data);

static void group_free(gpointer data)
{
	PathGroup *group = data;

	timer_free(group->again);
	g_free(group->name);
	g_free(group->owner);
	g_free(group);
}

static PathGroup *group_get(PathProvider *paths, const char *name)
{
	PathGroup *group = g_hash_table_lookup(paths->groups, name);

	if (group)
		return group;
	group = g_new0(PathGroup, 1);
	group->paths = paths;
	group->name = g_strdup(name);
	group->owner = g_strdup_printf(PATH_OWNER "%s%s", *name ? " of the " : "", name);
	group->pause_us = PAUSE_FIRST_US;
	group->again = timer_new(on_again, group);
	g_hash_table_insert(paths->groups, group->name, group);
	return group;
}

/* Above the limit, all other directories share one group. */
static PathGroup *group_of(PathProvider *paths, const char *name)
{
	const bool is_full = g_hash_table_size(paths->groups) > MAX_PLACES &&
			     !g_hash_table_contains(paths->groups, name);

	return group_get(paths, is_full ? "rest of the directories" : name);
}

static void group_leave(PathGroup *group)
{
	if (--group->n_users == 0 && group != group->paths->common)
		(void)g_hash_table_remove(group->paths->groups, group->name);
}

static char *describe_silence(const PathGroup *group)
{
	return g_strdup_printf("the %s does not answer", group->name);
}

/* --- looks --- */

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd);
static void on_lost(void *data, const char *why);

static const WorkerListener listener = { .answer = on_answer, .lost = on_lost };

/*
 * Starts the look-up again. The new job begins first, so that directories that both need are never
 * unwatched in between.
 */
static void look_begin(PathCondition *condition)
{
	const PathGroup *group = condition->group;
	WorkerJob *before = condition->job;
	const char *const fields[] = { PATH_VERB_WATCH, key_argument(condition->key) };

	if (group->paths->options.workers)
		condition->job = worker_job_new(group->paths->options.workers, group->owner, fields,
						G_N_ELEMENTS(fields), NULL, 0, &listener,
						condition);
	worker_job_free(before);
}

static void look_move(PathCondition *condition, PathGroup *group)
{
	PathGroup *before = condition->group;

	condition->group = group;
	group->n_users++;
	if (!group->is_silent)
		look_begin(condition);
	else
		worker_job_free(g_steal_pointer(&condition->job));
	if (before)
		group_leave(before);
}

static void begin_users(const PathGroup *group)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, group->paths->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		PathCondition *condition = value;

		if (condition->group == group)
			look_begin(condition);
	}
}

/* Sets all conditions of @group to unknown. */
static void end_users(const PathGroup *group)
{
	g_autoptr(GList) conditions = g_hash_table_get_values(group->paths->conditions);

	for (GList *l = conditions; l; l = l->next) {
		PathCondition *condition = l->data;

		if (condition->group != group)
			continue;
		worker_job_free(g_steal_pointer(&condition->job));
		set_level(group->paths, condition, LEVEL_UNKNOWN, describe_silence(group));
	}
}

/* --- processes that hang --- */

/* The name of the group for the directory of the condition's path. */
static char *directory_of(const PathCondition *condition)
{
	const char *path;
	g_autofree char *directory = NULL;

	(void)path_test_of(key_argument(condition->key), &path);
	directory = g_path_get_dirname(path);
	return g_strconcat("directory ", directory, NULL);
}

/* The common process has hung at a path in @directory, so it must not use other paths there. */
static void separate(PathProvider *paths, const char *directory)
{
	g_autoptr(GList) conditions = g_hash_table_get_values(paths->conditions);
	PathGroup *group = group_of(paths, directory);

	for (GList *l = conditions; l; l = l->next) {
		PathCondition *condition = l->data;
		g_autofree char *its_own = directory_of(condition);

		if (condition->group == paths->common && strcmp(its_own, directory) == 0)
			look_move(condition, group);
	}
	/* The pool starts few processes for one owner while those that hung are alive. */
	g_free(paths->common->owner);
	paths->common->owner = g_strdup_printf(PATH_OWNER ", process %u", ++paths->n_lost + 1);
	begin_users(paths->common);
}

static void give_back(PathGroup *group)
{
	g_autoptr(GList) conditions = g_hash_table_get_values(group->paths->conditions);
	PathProvider *paths = group->paths;

	group->n_users++;
	for (GList *l = conditions; l; l = l->next) {
		PathCondition *condition = l->data;

		if (condition->group == group)
			look_move(condition, paths->common);
	}
	group_leave(group);
}

static void silence(PathGroup *group)
{
	if (!group->is_silent)
		log_warning(NULL,
			    "the %s does not answer: conditions that depend on it are unknown",
			    group->name);
	group->is_silent = true;
	group->was_held = false;
	group->next_us = loop_now() + group->pause_us;
	group->pause_us = MIN(group->pause_us * 2, PAUSE_LAST_US);
	timer_arm(group->again, loop_now() + TICK_US);
	end_users(group);
}

static void on_again(void *data)
{
	PathGroup *group = data;
	WorkerPool *workers = group->paths->options.workers;

	if (!group->is_silent) {
		give_back(group);
	} else if (worker_pool_abandoned(workers, group->owner) > 0) {
		group->was_held = true;
		timer_arm(group->again, loop_now() + TICK_US);
	} else if (group->was_held || loop_now() >= group->next_us) {
		timer_disarm(group->again);
		begin_users(group);
	} else {
		timer_arm(group->again, loop_now() + TICK_US);
	}
}

static void on_lost(void *data, const char *why)
{
	PathCondition *condition = data;
	PathGroup *group = condition->group;
	PathProvider *paths = group->paths;
	const char *path;
	g_autofree char *directory = directory_of(condition);

	(void)why; /* it names the job */
	condition->job = NULL;
	if (group != paths->common) {
		silence(group);
		return;
	}
	(void)path_test_of(key_argument(condition->key), &path);
	log_warning(NULL, "the check of %s does not respond; it is repeated in a separate process",
		    path);
	separate(paths, directory);
	set_level(paths, condition, LEVEL_UNKNOWN,
		  g_strdup_printf("the check of %s does not respond", path));
}

/* --- answers --- */

static void end_silence(PathGroup *group)
{
	if (group->is_silent) {
		group->is_silent = false;
		group->pause_us = PAUSE_FIRST_US;
		log_notice(NULL, "the %s answers", group->name);
	}
	if (group != group->paths->common && !timer_is_armed(group->again))
		timer_arm(group->again, loop_now() + RETURN_US);
}

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	PathCondition *condition = data;
	PathProvider *paths = condition->group->paths;
	Level level;

	fd_close(&fd); /* no descriptor was requested */
	end_silence(condition->group);
	if (n_fields == 3 && strcmp(fields[0], PATH_ANSWER_LEVEL) == 0 &&
	    level_from_name(fields[1], &level)) {
		set_level(paths, condition, level, g_strdup(fields[2]));
	} else {
		condition->job = NULL; /* "failed": the program on disk has a different version */
		set_level(paths, condition, LEVEL_UNKNOWN, g_strdup("svc-worker cannot check it"));
	}
}

/* --- the provider --- */

static void path_subscribe(Provider *provider, const char *key)
{
	PathProvider *paths = (PathProvider *)provider;
	PathCondition *condition = g_hash_table_lookup(paths->conditions, key);
	g_autofree char *directory = NULL;
	PathGroup *group;

	/* the known result may be older than the event that the new subscriber waits for */
	if (condition) {
		condition->is_reported = false;
		if (condition->group->is_silent)
			report(paths, condition);
		else
			look_begin(condition);
		return;
	}
	condition = g_new0(PathCondition, 1);
	condition->key = key;
	condition->level = LEVEL_UNKNOWN;
	paths->n_unknown++;
	g_hash_table_insert(paths->conditions, (gpointer)key, condition);
	directory = directory_of(condition);
	group = g_hash_table_lookup(paths->groups, directory);
	look_move(condition, group ? group : paths->common);
	condition->why = group && group->is_silent ? describe_silence(group) :
						     g_strdup("it is being checked");
	report(paths, condition);
}

static void path_unsubscribe(Provider *provider, const char *key)
{
	PathProvider *paths = (PathProvider *)provider;
	PathCondition *condition = g_hash_table_lookup(paths->conditions, key);

	if (!condition)
		return;
	worker_job_free(g_steal_pointer(&condition->job));
	group_leave(g_steal_pointer(&condition->group));
	know(paths, condition);
	g_hash_table_remove(paths->conditions, key);
}

static void path_condition_free(gpointer data)
{
	PathCondition *condition = data;

	g_free(condition->why);
	g_free(condition);
}

static void path_free(Provider *provider)
{
	PathProvider *paths = (PathProvider *)provider;
	g_autoptr(GList) keys = g_hash_table_get_keys(paths->conditions);

	paths->options.settled = NULL;
	for (GList *l = keys; l; l = l->next)
		path_unsubscribe(provider, l->data);
	worker_job_free(paths->first);
	g_hash_table_unref(paths->conditions);
	g_hash_table_unref(paths->groups);
	g_free(paths);
}

static void on_first_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	(void)fields;
	(void)n_fields;
	(void)fd;
	((PathProvider *)data)->first = NULL;
}

static void on_first_lost(void *data, const char *why)
{
	(void)why; /* the conditions will be lost, too */
	((PathProvider *)data)->first = NULL;
}

Provider *path_provider_new(const ProviderSink *sink, const PathOptions *options)
{
	static const WorkerListener first = { .answer = on_first_answer, .lost = on_first_lost };
	static const char *const fields[] = { "echo" };
	PathProvider *paths = g_new0(PathProvider, 1);

	paths->base = (Provider){ .subscribe = path_subscribe,
				  .unsubscribe = path_unsubscribe,
				  .free = path_free };
	paths->sink = *sink;
	paths->options = *options;
	paths->conditions = g_hash_table_new_full(NULL, NULL, NULL, path_condition_free);
	paths->groups = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, group_free);
	paths->common = group_get(paths, "");
	/* the process starts while the service files are read, before there are conditions */
	if (options->workers)
		paths->first = worker_job_new(options->workers, paths->common->owner, fields, 1,
					      NULL, 0, &first, paths);
	return &paths->base;
}

bool path_provider_is_settled(Provider *provider)
{
	return ((const PathProvider *)provider)->n_unknown == 0;
}
