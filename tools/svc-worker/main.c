/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-worker: carries out the operations of the manager that may block for ever.
 *
 * Standard input is one end of a SOCK_SEQPACKET socket pair. Jobs and answers are datagrams of text
 * (worker/message.h). The program ends when the manager closes its end.
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "loop/loop.h"
#include "tools/svc-worker/worker.h"

/*
 * The largest number of requests that are read in one turn of the main loop. There is a limit,
 * because the watches of verbs need their turn, too.
 */
#define BATCH 16

static GMainLoop *loop;
/* the job that was last reported as busy; 0: the last report was that no job is busy */
static uint64_t busy_id;
/* requests are being read: no idle report is sent, because the next request may make it obsolete */
static bool is_reading;
static GHashTable *verb_of_id; /* id -> WorkerVerb, of jobs that continue and can be cancelled */

static void send_fields(uint64_t id, const char *const *fields, unsigned n_fields, int fd)
{
	g_autoptr(GByteArray) message = worker_message_new(id, fields, n_fields);
	int error;

	if (!message) { /* too long: the job fails, so that the manager does not wait for it */
		static const char *const failed[] = { WORKER_FAILED, "the answer is too long" };

		message = worker_message_new(id, failed, 2);
	}
	while ((error = worker_message_send(STDIN_FILENO, message, &fd, fd >= 0 ? 1 : 0)) ==
	       EAGAIN) {
		struct pollfd writable = { .fd = STDIN_FILENO, .events = POLLOUT };

		(void)poll(&writable, 1, -1); /* EINTR: try again */
	}
	if (error)
		exit(EXIT_SUCCESS); /* the manager has ended */
}

void worker_begin(uint64_t id)
{
	static const char *const fields[] = { WORKER_BUSY };

	if (busy_id == id)
		return;
	busy_id = id;
	send_fields(id, fields, 1, -1);
}

void worker_rest(void)
{
	static const char *const fields[] = { WORKER_REST };

	if (is_reading || !busy_id)
		return;
	send_fields(busy_id, fields, 1, -1);
	busy_id = 0;
}

static bool ends_job(const char *kind)
{
	return strcmp(kind, WORKER_DONE) == 0 || strcmp(kind, WORKER_FAILED) == 0;
}

void worker_answer(uint64_t id, int fd, const char *kind, ...)
{
	const char *fields[WORKER_MAX_FIELDS] = { kind };
	unsigned n_fields = 1;
	va_list rest;

	va_start(rest, kind);
	while (n_fields < WORKER_MAX_FIELDS && (fields[n_fields] = va_arg(rest, const char *)))
		n_fields++;
	va_end(rest);
	send_fields(id, fields, n_fields, fd);
	if (!ends_job(kind))
		return;
	g_hash_table_remove(verb_of_id, &id);
}

void worker_answer_fields(uint64_t id, const char *const *fields, unsigned n_fields)
{
	send_fields(id, fields, n_fields, -1);
}

static const WorkerVerb *find_verb(const char *name)
{
	for (const WorkerVerb *verb = worker_verbs; verb->name; verb++) {
		if (strcmp(verb->name, name) == 0)
			return verb;
	}
	return NULL;
}

static void cancel(uint64_t id)
{
	const WorkerVerb *verb = g_hash_table_lookup(verb_of_id, &id);

	if (verb)
		verb->cancel(id);
	g_hash_table_remove(verb_of_id, &id);
}

static void carry_out(WorkerRequest *request)
{
	const WorkerVerb *verb = find_verb(request->fields[0]);

	worker_begin(request->id);
	if (verb && verb->cancel)
		g_hash_table_insert(verb_of_id, g_memdup2(&request->id, sizeof request->id),
				    (gpointer)verb);
	if (verb)
		verb->carry_out(request);
	else
		worker_answer(request->id, -1, WORKER_FAILED, "svc-worker has no such verb", NULL);
	worker_message_clear(request); /* closing its descriptors may hang as well */
}

static void read_requests(void)
{
	static WorkerMessage request;

	for (int i = 0; i < BATCH; i++) {
		const int result = worker_message_receive(STDIN_FILENO, &request);

		if (result == 0)
			g_main_loop_quit(loop);
		if (result <= 0)
			return; /* no request, or an invalid one */
		if (strcmp(request.fields[0], WORKER_CANCEL) == 0)
			cancel(request.id); /* no descriptors come with it */
		else
			carry_out(&request);
	}
}

static void on_request(GIOCondition condition, void *data)
{
	(void)condition;
	(void)data;
	is_reading = true;
	read_requests();
	is_reading = false;
	worker_rest();
}

int main(void)
{
	FdSource *source;

	(void)signal(SIGPIPE, SIG_IGN); /* cannot fail */
	/* sent if a writer appears while a program is examined (providers/program-file.c) */
	(void)signal(SIGIO, SIG_IGN);
	loop = g_main_loop_new(NULL, FALSE);
	verb_of_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	source = fd_source_new(STDIN_FILENO, G_IO_IN, LOOP_PRIORITY_KEEPER, on_request, NULL);
	g_main_loop_run(loop);
	fd_source_free(source);
	g_hash_table_unref(verb_of_id);
	g_main_loop_unref(loop);
	return EXIT_SUCCESS;
}
