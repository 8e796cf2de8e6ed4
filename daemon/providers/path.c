/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path: every directory on the way to a path is watched, through symlinks too, and whatever happens to a name there
 * makes the paths that go through that name be walked again. inotify only wakes; the walk is the truth. The watch is
 * set before the name is looked at, so nothing falls between the two.
 *
 * Most paths lie in few directories: the way to a directory is walked once for all of them, and remembered until anything at all
 * has happened. What happens after it was walked is yet to be read, and then concerns all who have taken that way.
 *
 * A walk ends at the mount of a file system that may not answer: others look at what is behind (providers/path-elsewhere.h), and
 * nobody at all where something would be mounted by that.
 */
#include "config.h"

#include "providers/path.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "loop/inotify.h"
#include "loop/loop.h"
#include "providers/path-test.h"

/* As the kernel's own limit on symlinks in one look-up (path_resolution(7)). */
#define MAX_SYMLINKS 40

/* More than there are directories of programs; clients may ask for any number of others. */
#define MAX_WAYS 64

/* When there may be memory and descriptors again. */
#define LOOK_AGAIN_US (500 * G_TIME_SPAN_MILLISECOND)

/* Not IN_CLOSE_WRITE: in /dev it would fire for every use of /dev/null. */
#define WATCH_MASK (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

/* One directory as inotify knows it: several paths may lead to the same one. */
typedef struct Directory {
	int watch;
	unsigned n_users;      /* steps of conditions */
	GHashTable *by_name;   /* name -> GPtrArray of PathCondition *, borrowed; "" stands for every name */
} Directory;

typedef struct Step {
	Directory *directory;
	char *name;
} Step;

/* A directory as it is written in paths, and the way there. */
typedef struct Way {
	char *place;      /* where it leads, with no link in it */
	GArray *steps;    /* Step */
	unsigned n_links; /* symlinks on it */
} Way;

typedef struct PathCondition {
	const char *key;
	const char *path;  /* into @key */
	char *point;       /* the mount at which the way ended, for its file system may not answer; NULL: none */
	MountKind barrier; /* what kind of mount that is */
	PathTest test;
	GArray *steps;     /* Step: what it depends on */
	Level level;
	bool is_reported;
	bool is_dirty;
	bool is_misread; /* it could not be looked at: neither true nor false */
} PathCondition;

typedef struct PathProvider {
	Provider base; /* first: the two are cast into each other */
	ProviderSink sink;
	PathOptions options;
	Elsewhere *elsewhere;
	Inotify *inotify;
	GHashTable *conditions;  /* key -> PathCondition, owned */
	GHashTable *directories; /* watch number -> Directory, owned */
	GHashTable *ways;        /* directory, owned -> Way, owned; those on which nothing has happened since */
	GPtrArray *dirty;        /* PathCondition *, borrowed */
	Timer *again;            /* look again at those that were misread */
	unsigned n_unwatched;    /* directories that could not be watched, ever */
} PathProvider;

/* --- what a condition depends on --- */

static void directory_free(gpointer data)
{
	Directory *directory = data;

	g_hash_table_unref(directory->by_name);
	g_free(directory);
}

static void step_drop(PathProvider *paths, PathCondition *condition, Step *step)
{
	Directory *directory = step->directory;
	GPtrArray *users = g_hash_table_lookup(directory->by_name, step->name);

	g_ptr_array_remove_fast(users, condition);
	if (users->len == 0)
		g_hash_table_remove(directory->by_name, step->name);
	g_free(step->name);
	if (--directory->n_users == 0) {
		g_hash_table_remove_all(paths->ways); /* they may lead through it */
		inotify_unwatch(paths->inotify, directory->watch);
		g_hash_table_remove(paths->directories, GINT_TO_POINTER(directory->watch));
	}
}

static void drop_steps(PathProvider *paths, PathCondition *condition, GArray *steps)
{
	for (guint i = 0; i < steps->len; i++)
		step_drop(paths, condition, &g_array_index(steps, Step, i));
	g_array_unref(steps);
}

static Directory *directory_at(PathProvider *paths, const char *path, uint32_t mask)
{
	int watch = inotify_watch(paths->inotify, path, mask);
	Directory *directory;

	if (watch < 0) {
		paths->n_unwatched++;
		if (errno == ENOSPC)
			log_error(NULL, "cannot watch %s: fs.inotify.max_user_watches is too small", path);
		return NULL;
	}
	directory = g_hash_table_lookup(paths->directories, GINT_TO_POINTER(watch));
	if (!directory) {
		directory = g_new0(Directory, 1);
		directory->watch = watch;
		directory->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							   (GDestroyNotify)g_ptr_array_unref);
		g_hash_table_insert(paths->directories, GINT_TO_POINTER(watch), directory);
	}
	return directory;
}

/* The condition depends on @name in @directory from now on. */
static void use_directory(PathCondition *condition, Directory *directory, const char *name)
{
	Step step = { .directory = directory, .name = g_strdup(name) };
	GPtrArray *users = g_hash_table_lookup(directory->by_name, name);

	if (!users) {
		users = g_ptr_array_new();
		g_hash_table_insert(directory->by_name, g_strdup(name), users);
	}
	g_ptr_array_add(users, condition);
	directory->n_users++;
	g_array_append_val(condition->steps, step);
}

static void add_step(PathProvider *paths, PathCondition *condition, const char *path, const char *name, uint32_t mask)
{
	Directory *directory = directory_at(paths, path, mask);

	if (directory)
		use_directory(condition, directory, name);
}

/* --- walking --- */

/* Puts a symlink's target in front of what is left of the path. */
static bool follow(GString *rest, GString *at, const char *link)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof target - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	if (target[0] == '/')
		g_string_assign(at, "/");
	g_string_prepend_c(rest, '/');
	g_string_prepend(rest, target);
	return true;
}

/* Takes the next component off @rest. Returns NULL at the end. */
static char *next_component(GString *rest)
{
	gsize skip = strspn(rest->str, "/");
	gsize length = strcspn(rest->str + skip, "/");
	char *name;

	if (length == 0)
		return NULL;
	name = g_strndup(rest->str + skip, length);
	g_string_erase(rest, 0, (gssize)(skip + length));
	return name;
}

/* Nobody is asked here who may not answer: the walk ends in front of him. */
static bool is_barred(PathProvider *paths, PathCondition *condition, const char *place)
{
	const MountKind kind = paths->options.kind ? paths->options.kind(paths->options.data, place) : MOUNT_NONE;

	if (kind != MOUNT_ELSEWHERE && kind != MOUNT_AUTOMATIC)
		return false;
	condition->point = g_strdup(place);
	condition->barrier = kind;
	return true;
}

/* There is no link in @at, so that the directory above is the one before the last slash. */
static bool go_up(GString *at, struct stat *st)
{
	if (lstat(at->str, st) < 0 || !S_ISDIR(st->st_mode))
		return false;
	g_string_truncate(at, MAX((gsize)(strrchr(at->str, '/') - at->str), 1));
	return lstat(at->str, st) == 0;
}

/*
 * Walks from @at along @rest, watches every directory on the way and follows links by hand.
 * Returns: true when the path leads somewhere; @at then is the place, with no link in it, and @st its status.
 */
static bool walk(PathProvider *paths, PathCondition *condition, GString *rest, GString *at, unsigned *n_links,
		 struct stat *st)
{
	const uint32_t mask = WATCH_MASK | (condition->test == TEST_NONEMPTY ? IN_CLOSE_WRITE : 0);
	bool has_moved = false;

	for (;;) {
		g_autofree char *name = next_component(rest);
		g_autofree char *here = NULL;

		if (!name)
			return has_moved || lstat(at->str, st) == 0;
		if (strcmp(name, ".") == 0)
			continue;
		has_moved = true;
		if (strcmp(name, "..") == 0) {
			if (!go_up(at, st))
				return false;
			continue;
		}
		here = g_strdup(at->str);
		add_step(paths, condition, here, name, mask);
		if (at->len > 1)
			g_string_append_c(at, '/');
		g_string_append(at, name);
		if (is_barred(paths, condition, at->str) || lstat(at->str, st) < 0)
			return false;
		if (!S_ISLNK(st->st_mode))
			continue;
		if (++*n_links > MAX_SYMLINKS)
			return false;
		g_autofree char *link = g_strdup(at->str);
		g_string_assign(at, here);
		if (!follow(rest, at, link))
			return false;
	}
}

static void step_clear(gpointer data)
{
	g_free(((Step *)data)->name);
}

static void way_free(gpointer data)
{
	Way *way = data;

	g_array_unref(way->steps);
	g_free(way->place);
	g_free(way);
}

/* The way that @condition has just taken. */
static void remember_way(PathProvider *paths, const char *directory, const PathCondition *condition, const char *place,
			 unsigned n_links)
{
	Way *way;

	/* There links go elsewhere without an event. */
	if (n_links > 0 && (g_str_has_prefix(place, "/sys/") || g_str_has_prefix(place, "/proc/")))
		return;
	if (g_hash_table_size(paths->ways) >= MAX_WAYS)
		g_hash_table_remove_all(paths->ways);

	way = g_new0(Way, 1);
	way->place = g_strdup(place);
	way->n_links = n_links;
	way->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	g_array_set_clear_func(way->steps, step_clear);
	for (guint i = 0; i < condition->steps->len; i++) {
		const Step *step = &g_array_index(condition->steps, Step, i);
		const Step copy = { .directory = step->directory, .name = g_strdup(step->name) };

		g_array_append_val(way->steps, copy);
	}
	g_hash_table_insert(paths->ways, g_strdup(directory), way);
}

static bool walk_way(PathProvider *paths, PathCondition *condition, const char *directory, GString *at,
		     unsigned *n_links)
{
	const Way *way = g_hash_table_lookup(paths->ways, directory);
	const unsigned n_unwatched = paths->n_unwatched;
	g_autoptr(GString) rest = NULL;
	struct stat st;

	if (way) {
		for (guint i = 0; i < way->steps->len; i++) {
			const Step *step = &g_array_index(way->steps, Step, i);

			use_directory(condition, step->directory, step->name);
		}
		g_string_assign(at, way->place);
		*n_links = way->n_links;
		return true;
	}
	rest = g_string_new(directory);
	if (!walk(paths, condition, rest, at, n_links, &st))
		return false;
	if (paths->n_unwatched == n_unwatched) /* or nobody says when it is another one */
		remember_way(paths, directory, condition, at->str, *n_links);
	return true;
}

static bool find_place(PathProvider *paths, PathCondition *condition, GString *at, struct stat *st)
{
	g_autofree char *directory = g_path_get_dirname(condition->path);
	const char *name = strrchr(condition->path, '/') + 1;
	g_autoptr(GString) rest = g_string_new(condition->path);
	unsigned n_links = 0;

	g_string_assign(at, "/");
	/* For TEST_NONEMPTY the directories on the way are watched for more. */
	if (*name && condition->test != TEST_NONEMPTY) {
		if (!walk_way(paths, condition, directory, at, &n_links))
			return false;
		g_string_assign(rest, name);
	}
	return walk(paths, condition, rest, at, &n_links, st);
}

static PathVerdict test_place(PathProvider *paths, PathCondition *condition, const char *place, const struct stat *st)
{
	if (condition->test == TEST_NONEMPTY && S_ISDIR(st->st_mode))
		add_step(paths, condition, place, "", WATCH_MASK);
	return path_test_place(condition->test, place, st);
}

/* While it is unknown the reason may change. */
static void tell(PathProvider *paths, PathCondition *condition, Level level, const char *why)
{
	if (condition->is_reported && level == condition->level && level != LEVEL_UNKNOWN)
		return;
	condition->is_reported = true;
	condition->level = level;
	provider_report(&paths->sink, condition->key, level, why);
}

static void on_told_from_elsewhere(void *data, const char *key, Level level, const char *why)
{
	PathProvider *paths = data;
	PathCondition *condition = g_hash_table_lookup(paths->conditions, key);

	if (condition)
		tell(paths, condition, level, why);
}

/* What is behind the mount that ended the walk. */
static void look_behind_mount(PathProvider *paths, PathCondition *condition)
{
	g_autofree char *why = NULL;

	if (condition->barrier == MOUNT_ELSEWHERE) {
		elsewhere_add(paths->elsewhere, condition->point, condition->key);
		return;
	}
	elsewhere_remove(paths->elsewhere, condition->key);
	why = g_strdup_printf("nothing is mounted at %s yet, and a look would change that", condition->point);
	tell(paths, condition, LEVEL_UNKNOWN, why);
}

static void condition_look(PathProvider *paths, PathCondition *condition)
{
	/* What it depended on is dropped last: directories that stay are then never unwatched in between. */
	GArray *before = condition->steps;
	g_autofree char *point_before = g_steal_pointer(&condition->point);
	g_autoptr(GString) at = g_string_new(NULL);
	struct stat st;
	PathVerdict verdict = VERDICT_MISSING;

	condition->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	if (find_place(paths, condition, at, &st))
		verdict = test_place(paths, condition, at->str, &st);
	drop_steps(paths, condition, before);
	condition->is_dirty = false;
	condition->is_misread = false;
	if (condition->point) {
		look_behind_mount(paths, condition);
		return;
	}
	if (point_before)
		elsewhere_remove(paths->elsewhere, condition->key);
	if (verdict == VERDICT_MISREAD) {
		condition->is_misread = true;
		timer_arm(paths->again, loop_now() + LOOK_AGAIN_US);
	}
	tell(paths, condition, verdict == VERDICT_MISREAD ? LEVEL_UNKNOWN : verdict == VERDICT_HOLDS ? LEVEL_TRUE : LEVEL_FALSE,
	     path_verdict_text(verdict));
}

/* For a second subscriber: what is known may be older than what it waits for. */
static void condition_look_again(PathProvider *paths, PathCondition *condition)
{
	condition->is_reported = false;
	condition_look(paths, condition);
}

/* --- events --- */

static void mark_dirty(PathProvider *paths, PathCondition *condition)
{
	if (condition->is_dirty)
		return;
	condition->is_dirty = true;
	g_ptr_array_add(paths->dirty, condition);
}

static void mark_users(PathProvider *paths, GPtrArray *users)
{
	for (guint i = 0; users && i < users->len; i++)
		mark_dirty(paths, g_ptr_array_index(users, i));
}

/* Where something has happened: to a name in a directory, or to the directory itself (NULL). */
typedef struct Spot {
	const Directory *directory;
	const char *name;
} Spot;

static gboolean leads_through(gpointer key, gpointer value, gpointer data)
{
	const GArray *steps = ((const Way *)value)->steps;
	const Spot *spot = data;

	(void)key;
	for (guint i = 0; i < steps->len; i++) {
		const Step *step = &g_array_index(steps, Step, i);

		if (step->directory == spot->directory && (!spot->name || strcmp(step->name, spot->name) == 0))
			return TRUE;
	}
	return FALSE;
}

static void on_inotify_event(void *data, int watch, uint32_t mask, const char *name)
{
	PathProvider *paths = data;
	Directory *directory = g_hash_table_lookup(paths->directories, GINT_TO_POINTER(watch));
	const bool is_itself = mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF);
	Spot spot = { .directory = directory, .name = is_itself ? NULL : name };
	GHashTableIter iter;
	gpointer users;

	if (!directory)
		return;
	(void)g_hash_table_foreach_remove(paths->ways, leads_through, &spot);
	if (!is_itself) {
		mark_users(paths, g_hash_table_lookup(directory->by_name, name));
		mark_users(paths, g_hash_table_lookup(directory->by_name, ""));
		return;
	}
	g_hash_table_iter_init(&iter, directory->by_name);
	while (g_hash_table_iter_next(&iter, NULL, &users))
		mark_users(paths, users);
}

static void on_inotify_batch_end(void *data)
{
	PathProvider *paths = data;

	for (guint i = 0; i < paths->dirty->len; i++)
		condition_look(paths, g_ptr_array_index(paths->dirty, i));
	g_ptr_array_set_size(paths->dirty, 0);
}

static void look_at_all(PathProvider *paths)
{
	GHashTableIter iter;
	gpointer condition;

	g_hash_table_remove_all(paths->ways);
	g_hash_table_iter_init(&iter, paths->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &condition))
		mark_dirty(paths, condition);
	on_inotify_batch_end(paths);
}

/*
 * A mount changes nothing in the directory that it is mounted in, so inotify says nothing. Directories do not know their paths:
 * a name is enough to find who may be concerned, and of the others few are looked at in vain.
 */
void path_provider_look_below(Provider *provider, GHashTable *points)
{
	PathProvider *paths = (PathProvider *)provider;
	GHashTableIter points_left, directories_left;
	gpointer point, directory;

	if (!points || g_hash_table_contains(points, "/")) { /* all paths begin at the root */
		look_at_all(paths);
		return;
	}
	g_hash_table_remove_all(paths->ways);
	g_hash_table_iter_init(&points_left, points);
	while (g_hash_table_iter_next(&points_left, &point, NULL)) {
		const char *name = strrchr(point, '/');

		g_hash_table_iter_init(&directories_left, paths->directories);
		while (g_hash_table_iter_next(&directories_left, NULL, &directory))
			mark_users(paths, g_hash_table_lookup(((Directory *)directory)->by_name, name ? name + 1 : point));
	}
	on_inotify_batch_end(paths);
}

static void on_look_again(void *data)
{
	PathProvider *paths = data;
	GHashTableIter iter;
	gpointer condition;

	timer_disarm(paths->again);
	g_hash_table_iter_init(&iter, paths->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &condition)) {
		if (((PathCondition *)condition)->is_misread)
			mark_dirty(paths, condition);
	}
	on_inotify_batch_end(paths);
}

static void on_inotify_overflow(void *data)
{
	log_notice(NULL, "file system events were lost; looking at every path again");
	look_at_all(data);
}

/* --- the provider --- */

static void path_subscribe(Provider *provider, const char *key)
{
	PathProvider *paths = (PathProvider *)provider;
	PathCondition *condition = g_hash_table_lookup(paths->conditions, key);

	if (condition) {
		condition_look_again(paths, condition);
		return;
	}
	condition = g_new0(PathCondition, 1);
	condition->key = key;
	condition->test = path_test_of(key_argument(key), &condition->path);
	condition->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	g_hash_table_insert(paths->conditions, (gpointer)key, condition);
	condition_look(paths, condition);
}

static void path_unsubscribe(Provider *provider, const char *key)
{
	PathProvider *paths = (PathProvider *)provider;
	PathCondition *condition = g_hash_table_lookup(paths->conditions, key);

	if (!condition)
		return;
	drop_steps(paths, condition, g_steal_pointer(&condition->steps));
	(void)g_ptr_array_remove_fast(paths->dirty, condition); /* it need not be in there */
	elsewhere_remove(paths->elsewhere, key);
	g_free(condition->point);
	g_hash_table_remove(paths->conditions, key);
}

static void path_free(Provider *provider)
{
	PathProvider *paths = (PathProvider *)provider;
	g_autoptr(GList) keys = g_hash_table_get_keys(paths->conditions);

	for (GList *l = keys; l; l = l->next)
		path_unsubscribe(provider, l->data);
	timer_free(paths->again);
	elsewhere_free(paths->elsewhere);
	inotify_free(paths->inotify);
	g_hash_table_unref(paths->conditions);
	g_hash_table_unref(paths->directories);
	g_hash_table_unref(paths->ways);
	g_ptr_array_unref(paths->dirty);
	g_free(paths);
}

Provider *path_provider_new(const ProviderSink *sink, const PathOptions *options, GError **error)
{
	static const InotifyListener listener = { on_inotify_event, on_inotify_overflow, on_inotify_batch_end };
	PathProvider *paths = g_new0(PathProvider, 1);

	paths->base = (Provider){ .subscribe = path_subscribe, .unsubscribe = path_unsubscribe,
				  .free = path_free };
	paths->sink = *sink;
	paths->options = *options;
	paths->elsewhere = elsewhere_new(&options->elsewhere, &(ProviderSink){ on_told_from_elsewhere, paths });
	paths->conditions = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	paths->directories = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, directory_free);
	paths->ways = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, way_free);
	paths->dirty = g_ptr_array_new();
	paths->again = timer_new(on_look_again, paths);
	paths->inotify = inotify_new(&listener, paths, error);
	if (!paths->inotify) {
		path_free(&paths->base);
		return NULL;
	}
	return &paths->base;
}

void path_provider_look_ended(Provider *provider, uint64_t number)
{
	elsewhere_ended(((PathProvider *)provider)->elsewhere, number);
}
