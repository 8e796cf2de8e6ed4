/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path walker: every directory on the way to a path is watched, also through symbolic links. After
 * an event for a name in one of them, the paths through that name are walked again. An inotify
 * event is only a hint, and the walk decides. The watch is set before the name is looked up, so no
 * change is missed.
 *
 * Most paths lie in few directories. The way to a directory is walked once for all of them, and
 * remembered until an event occurs on it. When an event is read, all paths that have used that way
 * are walked again.
 *
 * A walk ends at the mount of a file system that may not answer. Its length is limited, because
 * other users can make mazes of links.
 */
#include "config.h"

#include "providers/path-walker.h"

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

/* The kernel's own limit of symbolic links in one look-up (path_resolution(7)). */
#define MAX_SYMLINKS 40

/*
 * Names on one way, including those in links, because each link may contain a thousand. No sensible
 * path has so many.
 */
#define MAX_COMPONENTS 256

/*
 * Programs are in fewer directories than this, but clients may request any number of other
 * directories.
 */
#define MAX_LOOKUPS 64

/* The delay until memory and descriptors may be available again. */
#define LOOK_AGAIN_US (500 * G_TIME_SPAN_MILLISECOND)

/*
 * Names that appear and disappear. Other events are watched only for tests that need them, because
 * udevd alone causes hundreds of them in /dev.
 */
#define NAMES_MASK \
	(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

/* The mode of a directory decides whether a user other than root may pass through it. */
static uint32_t watch_mask(void)
{
	return NAMES_MASK | (geteuid() == 0 ? 0 : IN_ATTRIB);
}

/* A directory as inotify identifies it: several paths may lead to the same one. */
typedef struct Directory {
	int watch;
	unsigned n_users; /* steps of conditions */
	/* name -> GPtrArray of WalkedPath *, borrowed; "" means every name */
	GHashTable *by_name;
} Directory;

typedef struct Step {
	Directory *directory;
	char *name;
} Step;

/* A directory as written in the path, and the way there. */
typedef struct LookupPath {
	char *path; /* its resolved path, without links */
	GArray *steps; /* Step */
	unsigned n_links;
	unsigned n_components;
} LookupPath;

typedef struct WalkedPath {
	uint64_t id;
	char *argument;
	const char *path; /* into @argument */
	PathReports reports;
	/*
	 * the way ended at this mount, because its file system may not answer; NULL: no such mount
	 */
	char *mount;
	MountPointKind barrier; /* the kind of that mount */
	PathTest test;
	GArray *steps; /* Step: the directories that it depends on */
	unsigned n_links; /* of the walk in progress */
	unsigned n_components;
	Level level;
	const char *why; /* of the last reported verdict */
	bool is_reported;
	bool is_dirty;
	bool has_read_error; /* the path could not be looked up: neither true nor false */
} WalkedPath;

struct PathWalker {
	PathWalkerOps ops;
	Inotify *inotify;
	GHashTable *conditions; /* &id -> WalkedPath, owned */
	GHashTable *directories; /* watch number -> Directory, owned */
	/* directory, owned -> LookupPath, owned; removed after an event on the way */
	GHashTable *lookups;
	GPtrArray *dirty; /* WalkedPath *, borrowed */
	Timer *again; /* looks again at paths with a temporary error */
	unsigned n_unwatched; /* directories that could not be watched so far */
};

/* --- dependencies of a condition --- */

static void directory_free(gpointer data)
{
	Directory *directory = data;

	g_hash_table_unref(directory->by_name);
	g_free(directory);
}

static void step_drop(PathWalker *walker, WalkedPath *condition, Step *step)
{
	Directory *directory = step->directory;
	GPtrArray *users = g_hash_table_lookup(directory->by_name, step->name);

	g_ptr_array_remove_fast(users, condition);
	if (users->len == 0)
		g_hash_table_remove(directory->by_name, step->name);
	g_free(step->name);
	if (--directory->n_users == 0) {
		g_hash_table_remove_all(walker->lookups); /* the stored ways may lead through it */
		inotify_unwatch(walker->inotify, directory->watch);
		g_hash_table_remove(walker->directories, GINT_TO_POINTER(directory->watch));
	}
}

static void drop_steps(PathWalker *walker, WalkedPath *condition, GArray *steps)
{
	for (guint i = 0; i < steps->len; i++)
		step_drop(walker, condition, &g_array_index(steps, Step, i));
	g_array_unref(steps);
}

static Directory *directory_at(PathWalker *walker, const char *path, uint32_t mask)
{
	int watch = inotify_watch(walker->inotify, path, mask);
	Directory *directory;

	if (watch < 0) {
		walker->n_unwatched++;
		if (errno == ENOSPC)
			log_error(NULL, "cannot watch %s: fs.inotify.max_user_watches is too small",
				  path);
		return NULL;
	}
	directory = g_hash_table_lookup(walker->directories, GINT_TO_POINTER(watch));
	if (!directory) {
		directory = g_new0(Directory, 1);
		directory->watch = watch;
		directory->by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							   (GDestroyNotify)g_ptr_array_unref);
		g_hash_table_insert(walker->directories, GINT_TO_POINTER(watch), directory);
	}
	return directory;
}

/* From now on the condition depends on @name in @directory. */
static void use_directory(WalkedPath *condition, Directory *directory, const char *name)
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

static void add_step(PathWalker *walker, WalkedPath *condition, const char *path, const char *name,
		     uint32_t mask)
{
	Directory *directory = directory_at(walker, path, mask);

	if (directory)
		use_directory(condition, directory, name);
}

/* --- walking --- */

/* Puts a symlink's target in front of the rest of the path. */
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

/* The walk ends in front of a file system that may not answer, without touching it. */
static bool is_barred(PathWalker *walker, WalkedPath *condition, const char *path)
{
	const MountPointKind kind = walker->ops.kind ? walker->ops.kind(walker->ops.data, path) :
						       MOUNT_NONE;

	if (kind != MOUNT_REMOTE && kind != MOUNT_AUTOMATIC)
		return false;
	condition->mount = g_strdup(path);
	condition->barrier = kind;
	return true;
}

/* @at contains no link, so the parent directory is the text before the last slash. */
static bool go_up(GString *at, struct stat *st)
{
	if (lstat(at->str, st) < 0 || !S_ISDIR(st->st_mode))
		return false;
	g_string_truncate(at, MAX((gsize)(strrchr(at->str, '/') - at->str), 1));
	return lstat(at->str, st) == 0;
}

/*
 * Walks from @at along @rest, watches every directory on the way for @mask, and resolves links
 * itself.
 * Returns: true if the path exists; @at is then its resolved path without links, and @st its
 * status.
 */
static bool walk(PathWalker *walker, WalkedPath *condition, GString *rest, GString *at,
		 struct stat *st, uint32_t mask)
{
	bool has_moved = false;

	for (;;) {
		g_autofree char *name = next_component(rest);
		g_autofree char *here = NULL;

		if (!name)
			return has_moved || lstat(at->str, st) == 0;
		if (++condition->n_components > MAX_COMPONENTS)
			return false;
		if (strcmp(name, ".") == 0)
			continue;
		has_moved = true;
		if (strcmp(name, "..") == 0) {
			if (!go_up(at, st))
				return false;
			continue;
		}
		here = g_strdup(at->str);
		add_step(walker, condition, here, name, mask);
		if (at->len > 1)
			g_string_append_c(at, '/');
		g_string_append(at, name);
		if (is_barred(walker, condition, at->str) || lstat(at->str, st) < 0)
			return false;
		if (!S_ISLNK(st->st_mode))
			continue;
		if (++condition->n_links > MAX_SYMLINKS)
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

static void lookup_free(gpointer data)
{
	LookupPath *lookup = data;

	g_array_unref(lookup->steps);
	g_free(lookup->path);
	g_free(lookup);
}

/* Stores the way that @condition has just taken. */
static void remember_lookup(PathWalker *walker, const char *directory, const WalkedPath *condition,
			    const char *path)
{
	LookupPath *lookup;

	/* Links below these directories change without an event. */
	if (condition->n_links > 0 &&
	    (g_str_has_prefix(path, "/sys/") || g_str_has_prefix(path, "/proc/")))
		return;
	if (g_hash_table_size(walker->lookups) >= MAX_LOOKUPS)
		g_hash_table_remove_all(walker->lookups);

	lookup = g_new0(LookupPath, 1);
	lookup->path = g_strdup(path);
	lookup->n_links = condition->n_links;
	lookup->n_components = condition->n_components;
	lookup->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	g_array_set_clear_func(lookup->steps, step_clear);
	for (guint i = 0; i < condition->steps->len; i++) {
		const Step *step = &g_array_index(condition->steps, Step, i);
		const Step copy = { .directory = step->directory, .name = g_strdup(step->name) };

		g_array_append_val(lookup->steps, copy);
	}
	g_hash_table_insert(walker->lookups, g_strdup(directory), lookup);
}

static bool walk_lookup(PathWalker *walker, WalkedPath *condition, const char *directory,
			GString *at)
{
	const LookupPath *lookup = g_hash_table_lookup(walker->lookups, directory);
	const unsigned n_unwatched = walker->n_unwatched;
	g_autoptr(GString) rest = NULL;
	struct stat st;

	if (lookup) {
		for (guint i = 0; i < lookup->steps->len; i++) {
			const Step *step = &g_array_index(lookup->steps, Step, i);

			use_directory(condition, step->directory, step->name);
		}
		g_string_assign(at, lookup->path);
		condition->n_links = lookup->n_links;
		condition->n_components = lookup->n_components;
		return true;
	}
	rest = g_string_new(directory);
	if (!walk(walker, condition, rest, at, &st, watch_mask()))
		return false;
	if (walker->n_unwatched == n_unwatched) /* otherwise no event reports its replacement */
		remember_lookup(walker, directory, condition, at->str);
	return true;
}

static bool find_file(PathWalker *walker, WalkedPath *condition, GString *at, struct stat *st)
{
	g_autofree char *directory = g_path_get_dirname(condition->path);
	const char *name = strrchr(condition->path, '/') + 1;
	static const uint32_t more[] = { [TEST_NONEMPTY] = IN_CLOSE_WRITE,
					 [TEST_EXECUTABLE] = IN_CLOSE_WRITE | IN_ATTRIB,
					 [TEST_EXISTS] = 0,
					 [TEST_DIRECTORY] = 0 };
	/* A socket may accept connections only after its mode has been changed. */
	const uint32_t mask = watch_mask() | more[condition->test] |
			      (condition->reports == PATH_REPORT_LOOKS ? IN_ATTRIB : 0);
	g_autoptr(GString) rest = g_string_new(condition->path);

	condition->n_links = condition->n_components = 0;
	g_string_assign(at, "/");
	/* For TEST_NONEMPTY the directories on the way are watched for more events. */
	if (*name && condition->test != TEST_NONEMPTY) {
		if (!walk_lookup(walker, condition, directory, at))
			return false;
		g_string_assign(rest, name);
	}
	return walk(walker, condition, rest, at, st, mask);
}

static PathVerdict test_file(PathWalker *walker, WalkedPath *condition, const char *path,
			     const struct stat *st)
{
	if (condition->test == TEST_NONEMPTY && S_ISDIR(st->st_mode))
		add_step(walker, condition, path, "", watch_mask());
	return path_test_file(condition->test, path, st);
}

/*
 * Omits a report that repeats the last one, unless the level is unknown or each look-up is to be
 * reported.
 */
static void report(PathWalker *walker, WalkedPath *condition, Level level, const char *why)
{
	const PathFinding finding = { .level = level, .why = why };

	if (condition->is_reported && level == condition->level && level != LEVEL_UNKNOWN &&
	    condition->reports == PATH_REPORT_CHANGES)
		return;
	condition->is_reported = true;
	condition->level = level;
	walker->ops.found(walker->ops.data, condition->id, &finding);
}

static void report_mount(PathWalker *walker, WalkedPath *condition)
{
	g_autofree char *why =
		condition->barrier == MOUNT_REMOTE ?
			g_strdup_printf("it is on a network or FUSE file system; use mounted:%s",
					condition->mount) :
			g_strdup_printf("nothing is mounted at %s yet, and a check would mount it",
					condition->mount);

	report(walker, condition, LEVEL_UNKNOWN, why);
}

static void report_verdict(PathWalker *walker, WalkedPath *condition, PathVerdict verdict)
{
	const char *why = path_verdict_text(verdict);

	/* The close event comes a moment before the kernel counts the file as closed. */
	condition->has_read_error = verdict == VERDICT_READ_ERROR || verdict == VERDICT_OPEN;
	if (condition->has_read_error)
		timer_arm(walker->again, loop_now() + LOOK_AGAIN_US);
	condition->is_reported = condition->is_reported && condition->why == why;
	condition->why = why;
	report(walker, condition, path_verdict_level(verdict), why);
}

static PathVerdict look(PathWalker *walker, WalkedPath *condition)
{
	g_autoptr(GString) at = g_string_new(NULL);
	struct stat st;

	if (find_file(walker, condition, at, &st))
		return test_file(walker, condition, at->str, &st);
	if (condition->n_links > MAX_SYMLINKS || condition->n_components > MAX_COMPONENTS)
		return VERDICT_MAZE;
	return VERDICT_MISSING;
}

static void condition_look(PathWalker *walker, WalkedPath *condition)
{
	/*
	 * The old steps are dropped last, so that directories that stay are never unwatched in
	 * between.
	 */
	GArray *before = condition->steps;
	PathVerdict verdict;

	walker->ops.begin(walker->ops.data, condition->id);
	g_clear_pointer(&condition->mount, g_free);
	condition->barrier = MOUNT_NONE;
	condition->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	verdict = look(walker, condition);
	drop_steps(walker, condition, before);
	condition->is_dirty = false;
	condition->has_read_error = false;
	if (condition->mount)
		report_mount(walker, condition);
	else
		report_verdict(walker, condition, verdict);
	walker->ops.rest(walker->ops.data);
}

/* --- events --- */

static void mark_dirty(PathWalker *walker, WalkedPath *condition)
{
	if (condition->is_dirty)
		return;
	condition->is_dirty = true;
	g_ptr_array_add(walker->dirty, condition);
}

static void mark_users(PathWalker *walker, GPtrArray *users)
{
	for (guint i = 0; users && i < users->len; i++)
		mark_dirty(walker, g_ptr_array_index(users, i));
}

/* The place of an event: a name in a directory, or the directory itself (@name is NULL). */
typedef struct Spot {
	const Directory *directory;
	const char *name;
} Spot;

static gboolean leads_through(gpointer key, gpointer value, gpointer data)
{
	const GArray *steps = ((const LookupPath *)value)->steps;
	const Spot *spot = data;

	(void)key;
	for (guint i = 0; i < steps->len; i++) {
		const Step *step = &g_array_index(steps, Step, i);

		if (step->directory == spot->directory &&
		    (!spot->name || strcmp(step->name, spot->name) == 0))
			return TRUE;
	}
	return FALSE;
}

static void on_inotify_event(void *data, int watch, uint32_t mask, const char *name)
{
	PathWalker *walker = data;
	Directory *directory = g_hash_table_lookup(walker->directories, GINT_TO_POINTER(watch));
	const bool is_itself = mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF);
	Spot spot = { .directory = directory, .name = is_itself ? NULL : name };
	GHashTableIter iter;
	gpointer users;

	if (!directory)
		return;
	(void)g_hash_table_foreach_remove(walker->lookups, leads_through, &spot);
	if (!is_itself) {
		mark_users(walker, g_hash_table_lookup(directory->by_name, name));
		mark_users(walker, g_hash_table_lookup(directory->by_name, ""));
		return;
	}
	g_hash_table_iter_init(&iter, directory->by_name);
	while (g_hash_table_iter_next(&iter, NULL, &users))
		mark_users(walker, users);
}

static void on_inotify_batch_end(void *data)
{
	PathWalker *walker = data;

	for (guint i = 0; i < walker->dirty->len; i++)
		condition_look(walker, g_ptr_array_index(walker->dirty, i));
	g_ptr_array_set_size(walker->dirty, 0);
}

static void look_at_all(PathWalker *walker)
{
	GHashTableIter iter;
	gpointer condition;

	g_hash_table_remove_all(walker->lookups);
	g_hash_table_iter_init(&iter, walker->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &condition))
		mark_dirty(walker, condition);
	on_inotify_batch_end(walker);
}

void path_walker_look_below(PathWalker *walker, GHashTable *points)
{
	GHashTableIter points_left, directories_left;
	gpointer point, directory;

	if (!points || g_hash_table_contains(points, "/")) { /* all paths begin at the root */
		look_at_all(walker);
		return;
	}
	g_hash_table_remove_all(walker->lookups);
	g_hash_table_iter_init(&points_left, points);
	while (g_hash_table_iter_next(&points_left, &point, NULL)) {
		const char *name = strrchr(point, '/');

		g_hash_table_iter_init(&directories_left, walker->directories);
		while (g_hash_table_iter_next(&directories_left, NULL, &directory))
			mark_users(walker, g_hash_table_lookup(((Directory *)directory)->by_name,
							       name ? name + 1 : point));
	}
	on_inotify_batch_end(walker);
}

static void on_look_again(void *data)
{
	PathWalker *walker = data;
	GHashTableIter iter;
	gpointer condition;

	timer_disarm(walker->again);
	g_hash_table_iter_init(&iter, walker->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &condition)) {
		if (((WalkedPath *)condition)->has_read_error)
			mark_dirty(walker, condition);
	}
	on_inotify_batch_end(walker);
}

static void on_inotify_overflow(void *data)
{
	log_notice(NULL, "file system events were lost; all paths are checked again");
	look_at_all(data);
}

/* --- the walker --- */

void path_walker_add(PathWalker *walker, uint64_t id, const char *argument, PathReports reports)
{
	WalkedPath *condition = g_new0(WalkedPath, 1);

	condition->id = id;
	condition->argument = g_strdup(argument);
	condition->test = path_test_of(condition->argument, &condition->path);
	condition->reports = reports;
	condition->steps = g_array_new(FALSE, FALSE, sizeof(Step));
	g_hash_table_insert(walker->conditions, &condition->id, condition);
	condition_look(walker, condition);
}

void path_walker_remove(PathWalker *walker, uint64_t id)
{
	WalkedPath *condition = g_hash_table_lookup(walker->conditions, &id);

	if (!condition)
		return;
	drop_steps(walker, condition, g_steal_pointer(&condition->steps));
	(void)g_ptr_array_remove_fast(walker->dirty, condition); /* it may be missing there */
	g_hash_table_remove(walker->conditions, &id);
}

static void walked_condition_free(gpointer data)
{
	WalkedPath *condition = data;

	g_free(condition->argument);
	g_free(condition->mount);
	g_free(condition);
}

void path_walker_free(PathWalker *walker)
{
	g_autoptr(GList) conditions = NULL;

	if (!walker)
		return;
	conditions = g_hash_table_get_values(walker->conditions);
	for (GList *l = conditions; l; l = l->next)
		path_walker_remove(walker, ((WalkedPath *)l->data)->id);
	timer_free(walker->again);
	inotify_free(walker->inotify);
	g_hash_table_unref(walker->conditions);
	g_hash_table_unref(walker->directories);
	g_hash_table_unref(walker->lookups);
	g_ptr_array_unref(walker->dirty);
	g_free(walker);
}

PathWalker *path_walker_new(const PathWalkerOps *ops, GError **error)
{
	static const InotifyListener listener = { on_inotify_event, on_inotify_overflow,
						  on_inotify_batch_end };
	PathWalker *walker = g_new0(PathWalker, 1);

	walker->ops = *ops;
	walker->conditions =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, walked_condition_free);
	walker->directories =
		g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, directory_free);
	walker->lookups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, lookup_free);
	walker->dirty = g_ptr_array_new();
	walker->again = timer_new(on_look_again, walker);
	walker->inotify = inotify_new(&listener, walker, error);
	if (walker->inotify)
		return walker;
	path_walker_free(walker);
	return NULL;
}
