/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount: the kernel only signals a change; the table is then read again and compared. The table is
 * opened once, because any user can hold the lock of /proc, and then no name there can be looked
 * up.
 */
#include "config.h"

#include "providers/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "paths/remote-fs.h"

/* A longer table is cut off here: hundreds of thousands of mounts. */
#define MOUNTINFO "/proc/self/mountinfo"
#define MOUNTINFO_BYTES (64 * 1024 * 1024)

/* The pause before the table is read again. Many mounts in a row then cost one read. */
#define MOUNTINFO_PAUSE_US (50 * G_TIME_SPAN_MILLISECOND)
/* The pause after a failed read, because the kernel does not signal the same change again. */
#define MOUNTINFO_RETRY_US (1 * G_TIME_SPAN_SECOND)

typedef struct MountProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	int fd; /* -1: the table does not exist */
	FdSource *source;
	Timer *pause;
	GHashTable *points; /* lines of mounts by their points; NULL while unknown */
	/*
	 * the points at the last report of changes, if a query has read the table since; else NULL
	 */
	GHashTable *reported;
	/* armed to report changes that a query has seen, or that could not be read */
	Timer *late;
	GHashTable *subscribed; /* interned key -> Level + 1 as last reported */
	MountsChanged *changed;
	void *data;
} MountProvider;

/* Octal escapes of proc(5): \040 blank, \011 tab, \012 line break, \134 backslash. */
static char *unescape_octal(const char *text, gsize length)
{
	GString *out = g_string_sized_new(length);

	for (gsize i = 0; i < length; i++) {
		if (text[i] == '\\' && i + 3 < length && g_ascii_isdigit(text[i + 1])) {
			g_string_append_c(out,
					  (char)((text[i + 1] - '0') * 64 +
						 (text[i + 2] - '0') * 8 + (text[i + 3] - '0')));
			i += 3;
		} else {
			g_string_append_c(out, text[i]);
		}
	}
	return g_string_free(out, FALSE);
}

/* The lines of all mounts at one point; several may be stacked. */
static void add_mount(GHashTable *points, char *point, const char *line, gsize length)
{
	GString *lines = g_hash_table_lookup(points, point);

	if (!lines) {
		lines = g_string_sized_new(length);
		g_hash_table_insert(points, point, lines);
	} else {
		g_free(point);
	}
	g_string_append_len(lines, line, (gssize)length);
	g_string_append_c(lines, '\n');
}

static void free_lines(gpointer lines)
{
	g_string_free(lines, TRUE);
}

/* The fifth field of each line is the mount point. */
static GHashTable *parse_mountinfo(const char *text)
{
	GHashTable *points = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_lines);

	while (*text) {
		const char *end = strchrnul(text, '\n');
		const char *field = text;

		for (int i = 0; i < 4 && field; i++) {
			field = memchr(field, ' ', (size_t)(end - field));
			field = field ? field + 1 : NULL;
		}
		if (field) {
			const char *stop = memchr(field, ' ', (size_t)(end - field));

			add_mount(points,
				  unescape_octal(field, (gsize)((stop ? stop : end) - field)), text,
				  (gsize)(end - text));
		}
		text = *end ? end + 1 : end;
	}
	return points;
}

/* The sixth field of a line: its options (proc(5)). */
static const char *options_of(const char *line)
{
	for (int i = 0; i < 5; i++) {
		line += strcspn(line, " \n");
		line += *line == ' ';
	}
	return line;
}

static bool may_execute(const char *options)
{
	return !memmem(options, strcspn(options, " \n"), "noexec", strlen("noexec"));
}

/*
 * Are these the same mounts with the same content below them? The root mount is never unmounted, so
 * its mount number is never reused. Its options except noexec are ignored, because it becomes
 * writable at each boot and that changes no path. Elsewhere two mounts may differ only in their
 * options.
 */
static bool are_same(const char *point, const char *a, const char *b)
{
	if (strcmp(point, "/") != 0)
		return strcmp(a, b) == 0;
	while (*a && *b) {
		const char *options_a = options_of(a);
		const char *options_b = options_of(b);

		if (options_a - a != options_b - b || memcmp(a, b, (size_t)(options_a - a)) != 0 ||
		    may_execute(options_a) != may_execute(options_b))
			return false;
		a = options_a + strcspn(options_a, "\n");
		b = options_b + strcspn(options_b, "\n");
		a += *a == '\n';
		b += *b == '\n';
	}
	return *a == *b;
}

/* Adds to @changed the points of @points that have different mounts in @other. */
static void add_different(GHashTable *points, GHashTable *other, GHashTable *changed)
{
	GHashTableIter iter;
	gpointer point, lines;

	g_hash_table_iter_init(&iter, points);
	while (g_hash_table_iter_next(&iter, &point, &lines)) {
		const GString *before = g_hash_table_lookup(other, point);

		if (!before || !are_same(point, before->str, ((const GString *)lines)->str))
			g_hash_table_add(changed, point);
	}
}

/*
 * A read from the beginning returns the present table. Returns: NULL if it cannot be read; it is
 * then read again later.
 */
static GHashTable *read_points(MountProvider *mounts)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = NULL;
	g_autofree char *text = NULL;

	if (mounts->fd < 0)
		return NULL;
	timer_arm(mounts->late, loop_now() + MOUNTINFO_RETRY_US);
	(void)lseek(mounts->fd, 0, SEEK_SET); /* cannot fail on a file of /proc */
	bytes = fd_read_bounded(mounts->fd, MOUNTINFO_BYTES, MOUNTINFO, &error);
	if (!bytes) {
		log_warning(NULL, "%s", error->message);
		return NULL;
	}
	timer_disarm(mounts->late);
	text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	return parse_mountinfo(text);
}

static void report_one(MountProvider *mounts, const char *key, bool always)
{
	Level level = !mounts->points                                          ? LEVEL_UNKNOWN :
		      g_hash_table_contains(mounts->points, key_argument(key)) ? LEVEL_TRUE :
										 LEVEL_FALSE;
	static const char *const why[] = { "not a mount point", "mounted",
					   "the table of mounts cannot be read" };

	if (!always &&
	    GPOINTER_TO_INT(g_hash_table_lookup(mounts->subscribed, key)) == (int)level + 1)
		return;
	g_hash_table_insert(mounts->subscribed, (gpointer)key, GINT_TO_POINTER((int)level + 1));
	provider_report(&mounts->sink, key, level, why[level]);
}

static void report_all(MountProvider *mounts)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(mounts->subscribed);

	for (GList *l = keys; l; l = l->next)
		report_one(mounts, l->data, false);
}

static void on_mountinfo_changed(GIOCondition condition, void *data);

static void watch_mountinfo(MountProvider *mounts)
{
	mounts->source = fd_source_new_forgetful(mounts->fd, G_IO_PRI | G_IO_ERR,
						 on_mountinfo_changed, mounts);
}

/* Reads the table again, reports levels, and passes on which points have changed. */
static void take_changes(MountProvider *mounts)
{
	g_autoptr(GHashTable) before = mounts->reported ? mounts->reported :
							  g_steal_pointer(&mounts->points);
	/* points of both tables, borrowed */
	g_autoptr(GHashTable) changed = g_hash_table_new(g_str_hash, g_str_equal);

	mounts->reported = NULL;
	g_clear_pointer(&mounts->points, g_hash_table_unref);
	mounts->points = read_points(mounts);
	report_all(mounts);
	if (!mounts->changed)
		return;
	if (before && mounts->points) {
		add_different(before, mounts->points, changed);
		add_different(mounts->points, before, changed);
	}
	if (!before || !mounts->points)
		mounts->changed(mounts->data, NULL);
	else if (g_hash_table_size(changed) > 0)
		mounts->changed(mounts->data, changed);
}

/*
 * The source is removed for the pause, because poll(2) reports an error condition even if no events
 * are requested.
 */
static void on_mountinfo_changed(GIOCondition condition, void *data)
{
	MountProvider *mounts = data;

	(void)condition;
	g_clear_pointer(&mounts->source, fd_source_free);
	timer_arm(mounts->pause, loop_now() + MOUNTINFO_PAUSE_US);
	take_changes(mounts);
}

/* A change during the pause makes the first poll of the new source return at once. */
static void on_pause_over(void *data)
{
	watch_mountinfo(data);
}

/*
 * A poll here consumes the event of the main loop, so the caller must make sure that the change is
 * reported.
 */
static bool has_news(const MountProvider *mounts)
{
	struct pollfd table = { .fd = mounts->fd, .events = POLLPRI };

	return mounts->fd >= 0 && poll(&table, 1, 0) > 0 && (table.revents & (POLLPRI | POLLERR));
}

static void read_news(MountProvider *mounts)
{
	if (!has_news(mounts))
		return;
	if (!mounts->reported)
		mounts->reported = g_steal_pointer(&mounts->points);
	g_clear_pointer(&mounts->points, g_hash_table_unref);
	mounts->points = read_points(mounts);
	timer_arm(mounts->late, MAX(loop_now(), timer_deadline(mounts->pause)));
}

void mount_provider_update(Provider *provider)
{
	if (has_news((MountProvider *)provider))
		take_changes((MountProvider *)provider);
}

static void on_late(void *data)
{
	take_changes(data);
}

/*
 * Blanks in names are escaped, so the last hyphen between two blanks begins the fields of the file
 * system on top (proc(5)).
 */
MountPointKind mount_provider_kind(Provider *provider, const char *path)
{
	MountProvider *mounts = (MountProvider *)provider;
	const GString *lines;
	const char *rest;
	g_autofree char *type = NULL;

	read_news(mounts);
	lines = mounts->points ? g_hash_table_lookup(mounts->points, path) : NULL;
	rest = lines ? g_strrstr(lines->str, " - ") : NULL;
	if (!rest || remote_fs_is_exempt(path))
		return lines ? MOUNT_LOCAL : MOUNT_NONE;
	rest += strlen(" - ");
	type = g_strndup(rest, strcspn(rest, " "));
	if (strcmp(type, "autofs") == 0)
		return MOUNT_AUTOMATIC;
	return remote_fs_is_type(type) ? MOUNT_REMOTE : MOUNT_LOCAL;
}

static void mount_subscribe(Provider *provider, const char *key)
{
	report_one((MountProvider *)provider, key, true);
}

static void mount_unsubscribe(Provider *provider, const char *key)
{
	g_hash_table_remove(((MountProvider *)provider)->subscribed, key);
}

static void mount_free(Provider *provider)
{
	MountProvider *mounts = (MountProvider *)provider;

	fd_source_free(mounts->source);
	timer_free(mounts->pause);
	timer_free(mounts->late);
	g_clear_pointer(&mounts->reported, g_hash_table_unref);
	fd_close(&mounts->fd);
	g_clear_pointer(&mounts->points, g_hash_table_unref);
	g_hash_table_unref(mounts->subscribed);
	g_free(mounts);
}

Provider *mount_provider_new(const ProviderSink *sink, int fd, MountsChanged *changed, void *data)
{
	MountProvider *mounts = g_new0(MountProvider, 1);

	mounts->base = (Provider){ .subscribe = mount_subscribe,
				   .unsubscribe = mount_unsubscribe,
				   .free = mount_free };
	mounts->sink = *sink;
	mounts->changed = changed;
	mounts->data = data;
	mounts->subscribed = g_hash_table_new(g_str_hash, g_str_equal);
	mounts->pause = timer_new(on_pause_over, mounts);
	mounts->late = timer_new(on_late, mounts);
	mounts->fd = fd;
	if (mounts->fd >= 0)
		watch_mountinfo(mounts);
	else
		log_warning(NULL, "there is no " MOUNTINFO ": it is not known what is mounted");
	mounts->points = read_points(mounts);
	return &mounts->base;
}
