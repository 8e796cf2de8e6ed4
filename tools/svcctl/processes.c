/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: cgroup.procs and /proc.
 */
#include "config.h"

#include <stdbool.h>

#include "svcctl/processes.h"

#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

enum { MAX_FILE_BYTES = 256 * 1024, MAX_NESTING = 8 };

static void process_free(gpointer data)
{
	Process *process = data;

	g_free(process->command);
	g_free(process);
}

/* A whole small file, terminated by NUL; NULL if it cannot be read. */
static char *read_text(const char *directory, const char *name, gsize *ret_length)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	g_autoptr(GBytes) bytes = file_read_bounded(path, MAX_FILE_BYTES, NULL);
	gsize length = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
	char *text = bytes ? g_malloc(length + 1) : NULL;

	if (!text)
		return NULL;
	if (length > 0)
		memcpy(text, data, length);
	text[length] = '\0';
	*ret_length = length;
	return text;
}

/* Fields of /proc/PID/stat after the name: the numbers of proc(5) less 3. */
enum {
	STAT_PARENT = 1,
	STAT_UTIME = 11,
	STAT_STIME = 12,
	STAT_START = 19,
	STAT_RSS = 21,
	STAT_FIELDS = 22
};

static int64_t field_number(char *const *fields, guint n_fields, guint field)
{
	int64_t value;

	return field < n_fields && text_parse_int(fields[field], 0, G_MAXINT64, &value) ? value : 0;
}

static int64_t ticks_to_us(int64_t ticks)
{
	return ticks * (G_USEC_PER_SEC / MAX(sysconf(_SC_CLK_TCK), 1));
}

/* proc(5): "pid (comm) state ppid ..."; comm may contain any byte, so the last ")" ends it. */
static bool read_stat(const char *directory, Process *process, char **ret_comm)
{
	gsize length;
	g_autofree char *text = read_text(directory, "stat", &length);
	const char *begin = text ? strchr(text, '(') : NULL;
	const char *end = begin ? strrchr(begin, ')') : NULL;
	g_auto(GStrv) fields = end && end[1] ? g_strsplit(end + 2, " ", STAT_FIELDS + 1) : NULL;
	const guint n = fields ? g_strv_length(fields) : 0;

	if (n <= STAT_PARENT)
		return false;
	*ret_comm = g_strndup(begin + 1, (gsize)(end - begin - 1));
	process->parent = (pid_t)field_number(fields, n, STAT_PARENT);
	process->cpu_us = ticks_to_us(field_number(fields, n, STAT_UTIME) +
				      field_number(fields, n, STAT_STIME));
	process->started_us = ticks_to_us(field_number(fields, n, STAT_START));
	process->rss_bytes =
		(uint64_t)field_number(fields, n, STAT_RSS) * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

static char *read_command(const char *directory, const char *comm)
{
	gsize length;
	g_autofree char *text = read_text(directory, "cmdline", &length);

	if (!text || length == 0 || !*text)
		return g_strdup_printf("[%s]", comm);
	for (gsize i = 0; i + 1 < length; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	return g_strchomp(g_steal_pointer(&text));
}

const char *proc_directory(void)
{
	/* tests name a directory with processes of their own */
	const char *directory = g_getenv("SVCD_PROC_DIRECTORY");

	return directory && *directory ? directory : "/proc";
}

/* proc(5): "Uid:\treal\teffective\t..."; 0 if the line is missing. */
static uid_t read_uid(const char *directory)
{
	gsize length;
	g_autofree char *text = read_text(directory, "status", &length);
	const char *line = text ? strstr(text, "\nUid:\t") : NULL;
	g_auto(GStrv) fields = line ? g_strsplit(line + 1, "\t", 4) : NULL;
	uint64_t uid;

	return fields && g_strv_length(fields) == 4 &&
			       text_parse_uint(fields[2], 10, UINT32_MAX, &uid) ?
		       (uid_t)uid :
		       0;
}

/* NULL if the process is gone. */
static Process *read_process(const char *proc, pid_t pid)
{
	g_autofree char *directory = g_strdup_printf("%s/%d", proc, (int)pid);
	g_autofree char *comm = NULL;
	Process *process = g_new0(Process, 1);

	if (!read_stat(directory, process, &comm)) {
		g_free(process);
		return NULL;
	}
	process->pid = pid;
	process->uid = read_uid(directory);
	process->command = read_command(directory, comm);
	return process;
}

uint64_t process_pss(pid_t pid, const char *proc)
{
	gsize length;
	g_autofree char *directory = g_strdup_printf("%s/%d", proc, (int)pid);
	g_autofree char *text = read_text(directory, "smaps_rollup", &length);
	const char *line = text ? strstr(text, "\nPss:") : NULL;

	return line ? g_ascii_strtoull(line + strlen("\nPss:"), NULL, 10) * 1024 : 0;
}

static void collect(const char *cgroup, const char *proc, unsigned depth, guint limit,
		    GPtrArray *found)
{
	gsize length;
	g_autofree char *text = read_text(cgroup, "cgroup.procs", &length);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	g_autoptr(GDir) directory = depth < MAX_NESTING ? g_dir_open(cgroup, 0, NULL) : NULL;
	const char *name;

	for (size_t i = 0; lines && lines[i]; i++) {
		uint64_t pid;
		Process *process = NULL;

		if (text_parse_uint(lines[i], 10, G_MAXINT, &pid) && pid > 0 && found->len < limit)
			process = read_process(proc, (pid_t)pid);
		if (process)
			g_ptr_array_add(found, process);
	}
	while (directory && (name = g_dir_read_name(directory))) {
		g_autofree char *path = g_build_filename(cgroup, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			collect(path, proc, depth + 1, limit, found);
	}
}

static bool holds(const GPtrArray *processes, pid_t pid)
{
	for (guint i = 0; i < processes->len; i++) {
		if (((const Process *)g_ptr_array_index(processes, i))->pid == pid)
			return true;
	}
	return false;
}

/*
 * Moves the children of @parent, and their children, from @left to @tree. The depth is limited by
 * the number of processes.
 */
static void move_children(GPtrArray *left, pid_t parent, unsigned depth, GPtrArray *tree)
{
	Process *last = NULL;

	for (guint i = 0; i < left->len;) {
		Process *process = g_ptr_array_index(left, i);

		if (process->parent != parent) {
			i++;
			continue;
		}
		g_ptr_array_steal_index(left, i);
		process->depth = depth;
		g_ptr_array_add(tree, process);
		last = process;
		move_children(left, process->pid, depth + 1, tree);
		i = 0; /* the recursion has removed some entries */
	}
	if (last)
		last->is_last = true;
}

GPtrArray *processes_of_cgroup(const char *cgroup, pid_t main_pid, const char *proc, guint limit)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new_with_free_func(process_free);
	GPtrArray *tree = g_ptr_array_new_with_free_func(process_free);
	Process *main_process = *cgroup || main_pid <= 0 ? NULL : read_process(proc, main_pid);

	if (*cgroup)
		collect(cgroup, proc, 0, limit, left);
	else if (main_process)
		g_ptr_array_add(left, main_process);
	/* A process with a parent outside (PID 1) is a root. */
	for (guint i = 0; i < left->len; i++) {
		Process *process = g_ptr_array_index(left, i);

		if (!holds(left, process->parent) || process->parent == process->pid)
			process->parent = 0;
	}
	move_children(left, 0, 0, tree);
	return tree;
}

static bool is_below(const GPtrArray *all, const Process *process, pid_t pid)
{
	pid_t parent = process->parent;

	for (guint steps = 0; parent > 0 && steps <= all->len; steps++) {
		if (parent == pid)
			return true;
		process = NULL;
		for (guint i = 0; !process && i < all->len; i++) {
			const Process *other = g_ptr_array_index(all, i);

			process = other->pid == parent ? other : NULL;
		}
		parent = process ? process->parent : 0;
	}
	return false;
}

GPtrArray *processes_below(pid_t pid, const char *proc)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new(); /* each is freed or moved to the result */
	GPtrArray *below = g_ptr_array_new_with_free_func(process_free);
	g_autoptr(GDir) directory = pid > 0 ? g_dir_open(proc, 0, NULL) : NULL;
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		uint64_t number;
		Process *process = text_parse_uint(name, 10, G_MAXINT, &number) ?
					   read_process(proc, (pid_t)number) :
					   NULL;

		if (process)
			g_ptr_array_add(all, process);
	}
	for (guint i = 0; i < all->len; i++) {
		Process *process = g_ptr_array_index(all, i);

		process->is_chosen = is_below(all, process, pid);
	}
	for (guint i = 0; i < all->len; i++) {
		Process *process = g_ptr_array_index(all, i);

		if (process->is_chosen)
			g_ptr_array_add(below, process);
		else
			process_free(process);
	}
	return below;
}

int64_t cgroup_number(const char *cgroup, const char *file, const char *key)
{
	gsize length;
	g_autofree char *text = *cgroup ? read_text(cgroup, file, &length) : NULL;
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	int64_t value;

	for (size_t i = 0; lines && lines[i]; i++) {
		const char *number = lines[i];

		if (key && (!g_str_has_prefix(number, key) || number[strlen(key)] != ' '))
			continue;
		if (key)
			number += strlen(key) + 1;
		if (text_parse_int(number, 0, G_MAXINT64, &value))
			return value;
	}
	return -1;
}

char *describe_task_limit(const char *cgroup)
{
	const int64_t n_refused = cgroup_number(cgroup, "pids.events", "max");
	const int64_t limit = cgroup_number(cgroup, "pids.max", NULL);

	if (n_refused <= 0)
		return NULL;
	if (limit < 0) /* removed meanwhile */
		return NULL;
	return g_strdup_printf("it has reached its limit of %d processes and threads (TasksMax=)",
			       (int)limit);
}

char *describe_lack_of_memory(const char *cgroup)
{
	const int64_t n_kills = cgroup_number(cgroup, "memory.events", "oom_kill");
	const bool is_own = cgroup_number(cgroup, "memory.events", "oom") > 0;

	if (n_kills <= 0)
		return NULL;
	return g_strdup_printf("%d of its processes %s killed, because %s", (int)n_kills,
			       n_kills == 1 ? "was" : "were",
			       is_own ? "its memory limit was reached (MemoryMax=)" :
					"the machine had no memory left");
}
