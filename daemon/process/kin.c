/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kin: reads all of /proc once, then follows the parents.
 */
#include "config.h"

#include "process/kin.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/limits.h"

typedef enum Belonging {
	KIN_UNKNOWN, /* the process itself has no mark */
	KIN_OURS,
	KIN_OTHERS,  /* it has another mark, or is no descendant of the keeper */
	KIN_UNBORN,  /* unknown yet: it is being executed */
	KIN_ASKING,  /* its relatives are being examined; a session may lead back to it */
} Belonging;

typedef struct Kin {
	pid_t parent;
	pid_t session;
	Belonging belonging;
} Kin;

typedef struct Census {
	GHashTable *all; /* pid -> Kin *, owned */
	const char *mark;
	pid_t keeper;
} Census;

/*
 * Returns: false for a process that is gone, and for a zombie, because a zombie takes no signals.
 */
static bool read_kin(pid_t pid, Kin *ret)
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
	if (!end || sscanf(end, ") %c %d %*d %d", &state, &parent, &session) != 3 || state == 'Z' || state == 'X')
		return false;
	*ret = (Kin){ .parent = parent, .session = session };
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
	g_autofree char *text = bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
	const char *at = text ? strrchr(text, ')') : NULL;

	for (unsigned field = 2; at && field < 51; field++)
		at = strchr(at + 1, ' ');
	return at && strncmp(at, " 0 ", 3) == 0;
}

/*
 * The exec usually takes a few microseconds, but this does not wait for it. NULL: not readable, or
 * the process is gone.
 */
static GBytes *read_environment(pid_t pid, bool *ret_is_unborn)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/environ", (int)pid);
	g_autoptr(GBytes) bytes = NULL;

	*ret_is_unborn = false;
	for (unsigned i = 0; i < LIMIT_KIN_LOOKS; i++) {
		g_clear_pointer(&bytes, g_bytes_unref);
		bytes = file_read_bounded(path, LIMIT_ENVIRON_BYTES, NULL);
		if (!bytes || g_bytes_get_size(bytes) > 0)
			break;
		*ret_is_unborn = is_being_executed(pid);
	}
	*ret_is_unborn = *ret_is_unborn && bytes && g_bytes_get_size(bytes) == 0;
	return g_steal_pointer(&bytes);
}

static Belonging look_at_mark(pid_t pid, const char *mark)
{
	bool is_unborn;
	g_autoptr(GBytes) bytes = read_environment(pid, &is_unborn);
	gsize size = 0;
	const char *at = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	const char *end = at ? at + size : NULL;

	if (is_unborn)
		return KIN_UNBORN;
	while (at && at < end) {
		const gsize length = strnlen(at, (gsize)(end - at));

		if (length > strlen(KIN_MARK) && strncmp(at, KIN_MARK, strlen(KIN_MARK)) == 0)
			return length == strlen(mark) && memcmp(at, mark, length) == 0 ? KIN_OURS : KIN_OTHERS;
		at += length + 1;
	}
	return KIN_UNKNOWN;
}

static GHashTable *list_all(void)
{
	GHashTable *all = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)atoi(entry->d_name);
		Kin kin;

		if (pid > 1 && read_kin(pid, &kin))
			g_hash_table_insert(all, GINT_TO_POINTER(pid), g_memdup2(&kin, sizeof kin));
	}
	if (proc)
		(void)closedir(proc);
	return all;
}

static bool descends_from_keeper(const Census *census, pid_t pid)
{
	for (unsigned depth = 0; depth < LIMIT_KIN_DEPTH; depth++) {
		const Kin *kin = g_hash_table_lookup(census->all, GINT_TO_POINTER(pid));

		if (!kin || kin->parent == census->keeper)
			return kin != NULL;
		pid = kin->parent;
	}
	return false;
}

/* Must relatives be examined as well? */
static bool is_open(Belonging belonging)
{
	return belonging == KIN_UNKNOWN || belonging == KIN_UNBORN;
}

static Belonging ask(const Census *census, pid_t pid, unsigned depth);

/* The result for a relative if it is conclusive, otherwise @so_far. */
static Belonging ask_relative(const Census *census, pid_t relative, unsigned depth, Belonging so_far)
{
	const Belonging belonging = ask(census, relative, depth + 1);

	return belonging == KIN_UNKNOWN ? so_far : belonging;
}

static Belonging ask(const Census *census, pid_t pid, unsigned depth)
{
	Kin *kin = g_hash_table_lookup(census->all, GINT_TO_POINTER(pid));

	if (!kin || depth >= LIMIT_KIN_DEPTH || kin->belonging == KIN_ASKING)
		return KIN_UNKNOWN;
	if (kin->belonging != KIN_UNKNOWN)
		return kin->belonging;
	kin->belonging = KIN_ASKING;
	kin->belonging = descends_from_keeper(census, pid) ? look_at_mark(pid, census->mark) : KIN_OTHERS;
	if (is_open(kin->belonging) && kin->parent != census->keeper)
		kin->belonging = ask_relative(census, kin->parent, depth, kin->belonging);
	if (is_open(kin->belonging) && kin->session != pid)
		kin->belonging = ask_relative(census, kin->session, depth, kin->belonging);
	if (kin->belonging == KIN_UNKNOWN)
		kin->belonging = KIN_OTHERS;
	return kin->belonging;
}

GArray *kin_pids(const char *service, pid_t keeper, bool *ret_is_whole)
{
	g_autofree char *mark = g_strconcat(KIN_MARK, service, NULL);
	g_autoptr(GHashTable) all = list_all();
	const Census census = { .all = all, .mark = mark, .keeper = keeper };
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
	GHashTableIter iter;
	gpointer key;
	bool is_whole = true;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const pid_t pid = GPOINTER_TO_INT(key);
		const Belonging belonging = ask(&census, pid, 0);

		if (belonging == KIN_OURS)
			g_array_append_val(pids, pid);
		is_whole = is_whole && belonging != KIN_UNBORN;
	}
	if (ret_is_whole)
		*ret_is_whole = is_whole;
	return pids;
}
