/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, questions to svc-worker: which process is the main one, and whose a process is.
 *
 * The answers are in /proc, in PID files and in groups that the service has made. Users can hold all of these, so the manager looks at none.
 */
#include "config.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "process/supervise-private.h"

/* --- the main process --- */

static void found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem)
{
	void (*on_found)(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem) = supervisor_row(s)->found;

	s->search = NULL;
	if (s->search_step == s->step && !s->is_entering && on_found)
		on_found(s, pid, n_processes, problem);
	supervisor_settle(s);
}

static pid_t parse_number(const char *text)
{
	uint64_t number;

	return text_parse_uint(text, 10, G_MAXINT, &number) ? (pid_t)number : 0;
}

static void on_found(void *data, const char *const *words, unsigned n_words, int fd)
{
	fd_close(&fd);
	if (n_words == 4)
		found(data, parse_number(words[1]), (unsigned)parse_number(words[2]), words[3]);
	else
		found(data, 0, 0, "svc-worker cannot find it");
}

static void on_search_lost(void *data, const char *why)
{
	found(data, 0, 0, why);
}

void supervisor_search_main(Supervisor *s, bool with_guess)
{
	static const WorkerListener listener = { .answer = on_found, .lost = on_search_lost };
	const char *group = cgroup_path(s->cgroup);
	const char *mark = cgroup_mark(s->cgroup);
	const char *pid_file = s->plan.def->pid_file;
	g_autofree char *keeper = g_strdup_printf("%d", (int)keeper_link_keeper_pid(s->context->link));
	/* A script's process that is older than this run is none of its. Another service's was told so by its first process. */
	g_autofree char *since = g_strdup_printf("%" G_GINT64_FORMAT, plan_is_script(&s->plan) ? s->known_us : 0);
	const char *const words[] = {
		"find-main", group ? group : "", mark ? mark : "", keeper, pid_file ? pid_file : "", with_guess ? "guess" : "", since,
	};

	if (s->search)
		return;
	s->search_step = s->step;
	s->search = worker_job_new(s->context->workers, s->plan.def->name, words, G_N_ELEMENTS(words), NULL, 0, &listener, s);
}

/* --- whose a process is --- */

WorkerJob *supervisor_ask_process(Supervisor *s, pid_t pid, const WorkerListener *listener)
{
	g_autofree char *number = g_strdup_printf("%d", (int)pid);
	const char *const words[] = { "has-process", cgroup_path(s->cgroup), number };

	return worker_job_new(s->context->workers, s->plan.def->name, words, G_N_ELEMENTS(words), NULL, 0, listener, s);
}

bool supervisor_is_yes(const char *const *words, unsigned n_words)
{
	return n_words == 2 && strcmp(words[1], "yes") == 0;
}

/* --- what cannot be killed, for people --- */

typedef struct Remains {
	char *service;
	bool is_left;
} Remains;

static void log_remains(Remains *remains, const char *names)
{
	log_warning(remains->service, "cannot be killed, for it waits in the kernel for a disk or a server: %s%s", names,
		    remains->is_left ? "; going on without it" : "");
	g_free(remains->service);
	g_free(remains);
}

static void on_names(void *data, const char *const *words, unsigned n_words, int fd)
{
	fd_close(&fd);
	log_remains(data, n_words == 2 ? words[1] : "?");
}

static void on_names_lost(void *data, const char *why)
{
	(void)why; /* the pool has logged it */
	log_remains(data, "?");
}

void supervisor_report_remains(const Supervisor *s, bool is_left)
{
	static const WorkerListener listener = { .answer = on_names, .lost = on_names_lost };
	const char *group = cgroup_path(s->cgroup);
	const char *mark = cgroup_mark(s->cgroup);
	g_autofree char *keeper = g_strdup_printf("%d", (int)keeper_link_keeper_pid(s->context->link));
	g_autofree char *pid = g_strdup_printf("%d", (int)s->rows[ROLE_MAIN].pid);
	const char *const words[] = { "name-processes", group ? group : "", mark ? mark : "", keeper, pid };
	Remains *remains = g_new0(Remains, 1);

	remains->service = g_strdup(s->plan.def->name);
	remains->is_left = is_left;
	(void)worker_job_new(s->context->workers, s->plan.def->name, words, G_N_ELEMENTS(words), NULL, 0, &listener, remains);
}
