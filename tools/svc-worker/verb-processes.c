/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb processes: information about the processes of a service.
 *
 * 	find-main GROUP MARK KEEPER PIDFILE GUESS SINCE -> done PID COUNT PROBLEM
 * 	                                                   PID 0: none, and PROBLEM is the reason
 * 	has-process GROUP PID                           -> done yes|no
 * 	name-processes GROUP MARK KEEPER PID            -> done "cat (12), sh (13)"
 *
 * GROUP is the directory of the service's cgroup. Without a cgroup, MARK is an entry in the
 * environment of the service's processes (process/tagged-processes.h). Without both, they are
 * unknown.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "process/cgroup-tree.h"
#include "process/tagged-processes.h"
#include "process/pidfile.h"
#include "process/process-stat.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

/*
 * The tolerance for start times, because /proc rounds down and the clock of the main loop is
 * coarse.
 */
#define TICK_US (20 * G_TIME_SPAN_MILLISECOND)

#define MAX_NAMED 4

/* NULL: unknown. */
static GArray *list_processes(const char *group, const char *mark, pid_t keeper)
{
	if (*group)
		return cgroup_tree_pids(group);
	return *mark ? tagged_processes_find(mark + strlen(SERVICE_TAG), keeper, NULL) : NULL;
}

/* --- find-main --- */

typedef struct Search {
	GArray *pids; /* NULL: unknown */
	pid_t keeper;
	const char *pid_file;
	int64_t since_us;
	char *problem;
} Search;

/*
 * If the service of a process cannot be determined, a PID file is accepted if root has written it.
 * Another user's file may only contain that user's own processes, because the process is killed
 * with the service (CVE-2018-16888).
 */
static char *check_unknown(const Search *search, pid_t pid, const ProcessStat *stat, uid_t owner)
{
	if (stat->started_us < search->since_us - TICK_US)
		return g_strdup_printf(
			"process %d in %s was started before this run of the service", (int)pid,
			search->pid_file);
	if (owner != geteuid() && !process_is_of_user(pid, owner))
		return g_strdup_printf(
			"%s was written by user %u, and process %d belongs to another user",
			search->pid_file, (unsigned)owner, (int)pid);
	return NULL;
}

static pid_t read_named(Search *search)
{
	g_autoptr(GError) error = NULL;
	ProcessStat stat;
	uid_t owner;
	pid_t pid;

	if (!pidfile_read(search->pid_file, &pid, &owner, &error))
		search->problem = g_strdup(error->message);
	else if (search->pids && !pids_contain(search->pids, pid))
		search->problem =
			g_strdup_printf("process %d in %s does not belong to this service",
					(int)pid, search->pid_file);
	else if (!process_stat_read(pid, &stat))
		search->problem = g_strdup_printf("process %d in %s does not exist", (int)pid,
						  search->pid_file);
	else if (stat.parent != search->keeper)
		search->problem = g_strdup_printf("process %d in %s is not a child of PID 1",
						  (int)pid, search->pid_file);
	else if (!search->pids)
		search->problem = check_unknown(search, pid, &stat, owner);
	return search->problem ? 0 : pid;
}

/* The one process that has become the keeper's child, if there is exactly one. */
static pid_t guess(const Search *search)
{
	const GArray *pids = search->pids;
	ProcessStat stat;
	pid_t found = 0;
	unsigned n = 0;

	for (guint i = 0; pids && i < pids->len; i++) {
		const pid_t pid = g_array_index(pids, pid_t, i);

		if (pids->len > 1 &&
		    (!process_stat_read(pid, &stat) || stat.parent != search->keeper))
			continue;
		found = pid;
		n++;
	}
	return n == 1 ? found : 0;
}

void verb_find_main(WorkerRequest *request)
{
	const char *const *fields = request->fields;
	Search search = { 0 };
	g_autofree char *count = NULL;
	g_autofree char *number = NULL;
	pid_t pid = 0;

	if (request->n_fields != 7) {
		worker_answer(request->id, -1, WORKER_FAILED, "6 arguments are needed", NULL);
		return;
	}
	search.keeper = (pid_t)atoi(fields[3]);
	search.pids = list_processes(fields[1], fields[2], search.keeper);
	search.pid_file = fields[4];
	search.since_us = g_ascii_strtoll(fields[6], NULL, 10);
	if (*search.pid_file)
		pid = read_named(&search);
	if (pid == 0 && *fields[5])
		pid = guess(&search);
	number = g_strdup_printf("%d", (int)pid);
	count = g_strdup_printf("%u", search.pids ? search.pids->len : 0);
	worker_answer(request->id, -1, WORKER_DONE, number, count,
		      search.problem ? search.problem : "", NULL);
	g_free(search.problem);
	if (search.pids)
		g_array_unref(search.pids);
}

/* --- has-process --- */

void verb_has_process(WorkerRequest *request)
{
	g_autoptr(GArray) pids = request->n_fields == 3 ? cgroup_tree_pids(request->fields[1]) :
							  NULL;

	worker_answer(request->id, -1, WORKER_DONE,
		      pids && pids_contain(pids, (pid_t)atoi(request->fields[2])) ? "yes" : "no",
		      NULL);
}

/* --- name-processes --- */

static void append_name(GString *names, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid);
	g_autoptr(GBytes) comm = file_read_bounded(path, 64, NULL);
	g_autofree char *name =
		comm ? g_strndup(g_bytes_get_data(comm, NULL), g_bytes_get_size(comm)) :
		       g_strdup("?");

	g_string_append_printf(names, "%s%s (%d)", names->len > 0 ? ", " : "", g_strchomp(name),
			       (int)pid);
}

void verb_name_processes(WorkerRequest *request)
{
	const char *const *fields = request->fields;
	const bool is_whole = request->n_fields == 5;
	g_autoptr(GArray) pids =
		is_whole ? list_processes(fields[1], fields[2], (pid_t)atoi(fields[3])) : NULL;
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; pids && i < pids->len && i < MAX_NAMED; i++)
		append_name(names, g_array_index(pids, pid_t, i));
	if (pids && pids->len > MAX_NAMED)
		g_string_append_printf(names, " and %u more", pids->len - MAX_NAMED);
	if (names->len == 0 && is_whole)
		append_name(names, (pid_t)atoi(fields[4]));
	worker_answer(request->id, -1, WORKER_DONE, names->str, NULL);
}
