/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tagged processes: reads all of /proc once, then follows the parents.
 */
#include "config.h"

#include "process/tagged-processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/limits.h"

typedef enum Belonging {
	TAG_UNKNOWN, /* the process itself has no mark */
	TAG_OURS,
	TAG_OTHER, /* it has another mark, or is not a descendant of the keeper */
	TAG_EXECUTING, /* not known yet: it is in the middle of an exec */
	TAG_PENDING, /* its relatives are being examined; a session may lead back to it */
} Belonging;

typedef struct TaggedProcess {
	pid_t parent;
	pid_t session;
	Belonging belonging;
} TaggedProcess;

typedef struct Census {
	GHashTable *all; /* pid -> TaggedProcess *, owned */
	const char *mark;
	pid_t keeper;
} Census;

/*
 * Returns: false for a process that is gone, and for a zombie, because a zombie takes no signals.
 */
static bool read_process(pid_t pid, TaggedProcess *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	char text[512];
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	const char *end;
	char state;
	int parent;
	int session;

	if (n <= 0)
		return false;
	text[n] = '\0';
	end = strrchr(text, ')'); /* the name may contain any byte (proc(5)) */
	if (!end || sscanf(end, ") %c %d %*d %d", &state, &parent, &session) != 3 || state == 'Z' ||
	    state == 'X')
		return false;
	*ret = (TaggedProcess){ .parent = parent, .session = session };
	return true;
}

/*
 * execve(2) sets the end of the environment last. Before that it reads as 0 (proc(5), env_end,
 * field 51).
 */
static bool is_being_executed(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autoptr(GBytes) bytes = file_read_bounded(path, 4096, NULL);
	g_autofree char *text =
		bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	const char *at = text ? strrchr(text, ')') : NULL;

	for (unsigned field = 2; at && field < 51; field++)
		at = strchr(at + 1, ' ');
	return at && strncmp(at, " 0 ", 3) == 0;
}

/*
 * An exec in progress usually takes a few microseconds, but this function does not wait for it.
 * NULL: not readable, or the process is gone.
 */
static GBytes *read_environment(pid_t pid, bool *ret_is_unborn)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/environ", (int)pid);
	g_autoptr(GBytes) bytes = NULL;

	*ret_is_unborn = false;
	for (unsigned i = 0; i < LIMIT_TAGGED_LOOKS; i++) {
		g_clear_pointer(&bytes, g_bytes_unref);
		bytes = file_read_bounded(path, LIMIT_ENVIRON_BYTES, NULL);
		if (!bytes || g_bytes_get_size(bytes) > 0)
			break;
		*ret_is_unborn = is_being_executed(pid);
	}
	*ret_is_unborn = *ret_is_unborn && bytes && g_bytes_get_size(bytes) == 0;
	return g_steal_pointer(&bytes);
}

static Belonging check_tag(pid_t pid, const char *mark)
{
	bool is_unborn;
	g_autoptr(GBytes) bytes = read_environment(pid, &is_unborn);
	gsize size = 0;
	const char *at = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	const char *end = at ? at + size : NULL;

	if (is_unborn)
		return TAG_EXECUTING;
	while (at && at < end) {
		const gsize length = strnlen(at, (gsize)(end - at));

		if (length > strlen(SERVICE_TAG) &&
		    strncmp(at, SERVICE_TAG, strlen(SERVICE_TAG)) == 0)
			return length == strlen(mark) && memcmp(at, mark, length) == 0 ? TAG_OURS :
											 TAG_OTHER;
		at += length + 1;
	}
	return TAG_UNKNOWN;
}

static GHashTable *list_all(void)
{
	GHashTable *all = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)atoi(entry->d_name);
		TaggedProcess process;

		if (pid > 1 && read_process(pid, &process))
			g_hash_table_insert(all, GINT_TO_POINTER(pid),
					    g_memdup2(&process, sizeof process));
	}
	if (proc)
		(void)closedir(proc);
	return all;
}

static bool descends_from_keeper(const Census *census, pid_t pid)
{
	for (unsigned depth = 0; depth < LIMIT_TAGGED_DEPTH; depth++) {
		const TaggedProcess *process =
			g_hash_table_lookup(census->all, GINT_TO_POINTER(pid));

		if (!process || process->parent == census->keeper)
			return process != NULL;
		pid = process->parent;
	}
	return false;
}

/* Must relatives be examined as well? */
static bool is_open(Belonging belonging)
{
	return belonging == TAG_UNKNOWN || belonging == TAG_EXECUTING;
}

static Belonging find_owner(const Census *census, pid_t pid, unsigned depth);

/* The result for a relative if it is conclusive, otherwise @so_far. */
static Belonging find_owner_of_relative(const Census *census, pid_t relative, unsigned depth,
					Belonging so_far)
{
	const Belonging belonging = find_owner(census, relative, depth + 1);

	return belonging == TAG_UNKNOWN ? so_far : belonging;
}

static Belonging find_owner(const Census *census, pid_t pid, unsigned depth)
{
	TaggedProcess *process = g_hash_table_lookup(census->all, GINT_TO_POINTER(pid));

	if (!process || depth >= LIMIT_TAGGED_DEPTH || process->belonging == TAG_PENDING)
		return TAG_UNKNOWN;
	if (process->belonging != TAG_UNKNOWN)
		return process->belonging;
	process->belonging = TAG_PENDING;
	process->belonging = descends_from_keeper(census, pid) ? check_tag(pid, census->mark) :
								 TAG_OTHER;
	if (is_open(process->belonging) && process->parent != census->keeper)
		process->belonging =
			find_owner_of_relative(census, process->parent, depth, process->belonging);
	if (is_open(process->belonging) && process->session != pid)
		process->belonging =
			find_owner_of_relative(census, process->session, depth, process->belonging);
	if (process->belonging == TAG_UNKNOWN)
		process->belonging = TAG_OTHER;
	return process->belonging;
}

GArray *tagged_processes_find(const char *service, pid_t keeper, bool *ret_is_whole)
{
	g_autofree char *mark = g_strconcat(SERVICE_TAG, service, NULL);
	g_autoptr(GHashTable) all = list_all();
	const Census census = { .all = all, .mark = mark, .keeper = keeper };
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	GHashTableIter iter;
	gpointer key;
	bool is_whole = true;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const pid_t pid = GPOINTER_TO_INT(key);
		const Belonging belonging = find_owner(&census, pid, 0);

		if (belonging == TAG_OURS)
			g_array_append_val(pids, pid);
		is_whole = is_whole && belonging != TAG_EXECUTING;
	}
	if (ret_is_whole)
		*ret_is_whole = is_whole;
	return pids;
}
