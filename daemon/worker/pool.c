/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker pool: a process for each owner, its jobs in order, and one time limit for each process.
 *
 * The limit runs while the worker has a job: one that was sent and not begun, or one that it works
 * on. Each message from the worker starts the limit anew. A verb that watches something has no
 * limit while nothing happens.
 */
#include "config.h"

#include "worker/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "worker/message.h"

#define BATCH 64

/* The pause after a process that ended for no known reason. */
#define AGAIN_US (1 * G_USEC_PER_SEC)

typedef struct WorkerProcess {
	WorkerPool *pool;
	char *owner;
	uint64_t number; /* 0: none is running */
	int fd;
	FdSource *source;
	GQueue jobs; /* WorkerJob *, in the order of their creation */
	uint64_t busy_id; /* the job that it works on, which may be freed; 0: none */
	char *busy_what;
	bool has_answered;
	bool is_resting; /* it has reported that it is idle, and was sent nothing since */
	Timer *limit;
	Timer *idle;
	Timer *again;
} WorkerProcess;

typedef struct Abandoned {
	char *owner;
	char *what; /* the description of the job that it worked on */
	uint64_t number;
} Abandoned;

struct WorkerJob {
	uint64_t id;
	WorkerPool *pool;
	WorkerProcess *process; /* NULL: it is in pool->lost */
	GByteArray *message;
	char *what; /* the verb and its first argument */
	int fds[WORKER_MAX_FDS];
	unsigned n_fds;
	bool is_sent;
	bool is_begun;
	const WorkerListener *listener;
	void *data;
};

struct WorkerPool {
	WorkerOps ops;
	GHashTable *processes; /* owner -> WorkerProcess, owned */
	GPtrArray *abandoned; /* Abandoned *, owned */
	GQueue lost; /* WorkerJob * with a loss that is not reported yet */
	Timer *report; /* reports their loss */
	uint64_t last_id;
	WorkerMessage *received; /* shared, because it is large */
};

/* --- jobs --- */

static void job_destroy(WorkerJob *job)
{
	for (unsigned i = 0; i < job->n_fds; i++)
		fd_close(&job->fds[i]);
	g_byte_array_unref(job->message);
	g_free(job->what);
	g_free(job);
}

static void job_detach(WorkerJob *job)
{
	WorkerProcess *process = job->process;

	if (!process)
		return;
	(void)g_queue_remove(&process->jobs, job);
	job->process = NULL;
}

static void job_lose(WorkerPool *pool, WorkerJob *job)
{
	job_detach(job);
	g_queue_push_tail(&pool->lost, job);
	timer_arm(pool->report, loop_now());
}

static void on_report(void *data)
{
	WorkerPool *pool = data;
	WorkerJob *job;

	while ((job = g_queue_pop_head(&pool->lost))) {
		const WorkerListener *listener = job->listener;
		void *listener_data = job->data;
		g_autofree char *why = g_strdup_printf("%s: svc-worker did not answer", job->what);

		job_destroy(job);
		listener->lost(listener_data, why);
	}
}

/* --- processes --- */

static void watch(WorkerProcess *process);

static void set_busy(WorkerProcess *process, uint64_t id, const char *what)
{
	g_free(process->busy_what);
	process->busy_id = id;
	process->busy_what = g_strdup(what);
}

static void process_disconnect(WorkerProcess *process)
{
	fd_source_free(process->source);
	process->source = NULL;
	fd_close(&process->fd); /* no answer is in it, because there was no job */
	set_busy(process, 0, NULL);
	process->has_answered = false;
	process->is_resting = false;
	timer_disarm(process->limit);
	timer_disarm(process->idle);
}

static void abandoned_free(gpointer data)
{
	Abandoned *abandoned = data;

	g_free(abandoned->owner);
	g_free(abandoned->what);
	g_free(abandoned);
}

/* @what: NULL: it is idle, and ends by itself. */
static void process_abandon(WorkerProcess *process, const char *what)
{
	if (process->number != 0 && what) {
		Abandoned *abandoned = g_new0(Abandoned, 1);

		*abandoned = (Abandoned){ .owner = g_strdup(process->owner),
					  .what = g_strdup(what),
					  .number = process->number };
		g_ptr_array_add(process->pool->abandoned, abandoned);
		process->pool->ops.kill(process->pool->ops.data, process->number);
	}
	process->number = 0;
	if (what && process->fd >= 0) {
		fd_source_free(process->source);
		process->source = NULL;
		process->pool->ops.dispose(process->pool->ops.data, fd_steal(&process->fd));
	}
	process_disconnect(process);
}

static void process_free(gpointer data)
{
	WorkerProcess *process = data;
	WorkerJob *job;

	process_disconnect(process);
	while ((job = g_queue_pop_head(&process->jobs)))
		job_destroy(job);
	timer_free(process->limit);
	timer_free(process->idle);
	timer_free(process->again);
	g_free(process->owner);
	g_free(process);
}

static void lose_all(WorkerProcess *process)
{
	WorkerJob *job;

	while ((job = g_queue_peek_head(&process->jobs)))
		job_lose(process->pool, job);
}

static bool is_waited_for(const WorkerProcess *process)
{
	if (process->busy_id)
		return true;
	for (const GList *l = process->jobs.head; l; l = l->next) {
		const WorkerJob *job = l->data;

		if (job->is_sent && !job->is_begun)
			return true;
	}
	return false;
}

static void update_timers(WorkerProcess *process)
{
	if (is_waited_for(process))
		timer_arm(process->limit, loop_now() + process->pool->ops.limit_us);
	else
		timer_disarm(process->limit);
	if (process->number != 0 && g_queue_is_empty(&process->jobs))
		timer_arm(process->idle, loop_now() + process->pool->ops.idle_us);
	else
		timer_disarm(process->idle);
}

static void send_jobs(WorkerProcess *process)
{
	bool is_full = false;

	for (GList *l = process->jobs.head; l && !is_full; l = l->next) {
		WorkerJob *job = l->data;

		if (job->is_sent)
			continue;
		is_full = worker_message_send(process->fd, job->message, job->fds, job->n_fds) != 0;
		job->is_sent = !is_full;
	}
	fd_source_set_events(process->source, G_IO_IN | (is_full ? G_IO_OUT : 0));
}

static bool process_start(WorkerProcess *process)
{
	const WorkerOps *ops = &process->pool->ops;
	auto_fd int theirs = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	theirs = ends[1];
	process->fd = ends[0];
	process->number = ops->start(ops->data, theirs);
	if (process->number == 0) {
		fd_close(&process->fd);
		return false;
	}
	watch(process);
	return true;
}

static bool has_hope(const WorkerPool *pool, const char *owner)
{
	return worker_pool_abandoned(pool, owner) < WORKER_ABANDONED_OF_OWNER &&
	       worker_pool_abandoned(pool, NULL) < WORKER_ABANDONED_MAX;
}

static void process_go_on(WorkerProcess *process)
{
	if (process->number == 0 && !g_queue_is_empty(&process->jobs)) {
		for (GList *l = process->jobs.head; l; l = l->next)
			((WorkerJob *)l->data)->is_sent = ((WorkerJob *)l->data)->is_begun = false;
		if (!has_hope(process->pool, process->owner) || !process_start(process)) {
			lose_all(process);
			return;
		}
	}
	if (process->number != 0)
		send_jobs(process);
	update_timers(process);
}

static void drop_if_unused(WorkerPool *pool, WorkerProcess *process)
{
	if (process->number == 0 && g_queue_is_empty(&process->jobs))
		g_hash_table_remove(pool->processes, process->owner);
}

static WorkerJob *find_job(const WorkerProcess *process, uint64_t id)
{
	for (const GList *l = process->jobs.head; l; l = l->next) {
		if (((const WorkerJob *)l->data)->id == id)
			return l->data;
	}
	return NULL;
}

/*
 * The process hangs, or has ended during its work. The job that it worked on counts as the cause
 * and is lost. If the process never sent anything, it could not start, and neither could another
 * one: all jobs are lost. If it ended between two jobs, the next process starts after a pause.
 * Otherwise a program that ends at once would be started in an endless loop.
 */
static void process_fail(WorkerProcess *process, bool has_ended)
{
	g_autofree char *what = g_strdup(process->busy_id ? process->busy_what : "its start");
	WorkerJob *culprit = find_job(process, process->busy_id);
	const bool is_between_jobs = process->has_answered && !process->busy_id;

	if (has_ended)
		process->number = 0;
	else
		log_warning(NULL, "svc-worker hangs at \"%s\" (a job of %s)", what, process->owner);
	if (!process->has_answered)
		lose_all(process);
	process_abandon(process, what);
	if (culprit)
		job_lose(process->pool, culprit);
	if (has_ended && is_between_jobs)
		timer_arm(process->again, loop_now() + AGAIN_US);
	else
		process_go_on(process);
}

static void on_limit(void *data)
{
	process_fail(data, false);
}

static void on_again(void *data)
{
	process_go_on(data);
}

/*
 * If the worker still works on a freed job after this time, it hangs in that job. Any other worker
 * ends when it finds end-of-file on its socket.
 */
static void on_idle(void *data)
{
	WorkerProcess *process = data;
	g_autofree char *what = g_strdup(process->busy_what);

	process_abandon(process, what);
	drop_if_unused(process->pool, process);
}

/* --- messages from a worker --- */

static bool ends_job(const char *kind)
{
	return strcmp(kind, WORKER_DONE) == 0 || strcmp(kind, WORKER_FAILED) == 0;
}

static void deliver(WorkerJob *job, WorkerMessage *message)
{
	const WorkerListener *listener = job->listener;
	void *data = job->data;

	if (ends_job(message->fields[0])) {
		job_detach(job);
		job_destroy(job);
	}
	listener->answer(data, message->fields, message->n_fields, worker_message_take_fd(message));
}

static void take_message(WorkerProcess *process, WorkerMessage *message)
{
	WorkerJob *job = find_job(process, message->id);
	const char *kind = message->fields[0];

	process->has_answered = true;
	if (job)
		job->is_begun = true;
	if (strcmp(kind, WORKER_BUSY) == 0) {
		set_busy(process, message->id, job ? job->what : "a job that was given up");
	} else if (strcmp(kind, WORKER_REST) == 0) {
		set_busy(process, 0, NULL);
		process->is_resting = g_queue_is_empty(&process->jobs);
	} else if (job) {
		deliver(job, message);
	} else {
		return;
	}
	update_timers(process);
}

static void on_ready(GIOCondition condition, void *data)
{
	WorkerProcess *process = data;
	WorkerMessage *message = process->pool->received;

	if (condition & G_IO_OUT)
		send_jobs(process);
	/* A listener may end the process, which closes its socket. */
	for (int i = 0; i < BATCH && process->fd >= 0; i++) {
		const int result = worker_message_receive(process->fd, message);

		if (result == 0) {
			/* its end of the socket is closed; the keeper reports its exit later */
			process_fail(process, true);
			return;
		}
		if (result < 0 && errno != EBADMSG)
			return;
		if (result > 0)
			take_message(process, message);
		worker_message_clear(message);
	}
}

static void watch(WorkerProcess *process)
{
	process->source =
		fd_source_new(process->fd, G_IO_IN, LOOP_PRIORITY_PROVIDER, on_ready, process);
}

static WorkerProcess *find_resting(const WorkerPool *pool)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, pool->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		if (((const WorkerProcess *)value)->is_resting)
			return value;
	}
	return NULL;
}

/*
 * An idle worker has closed every descriptor of its last owner, so it may serve another owner.
 * Executing a new worker costs more than most jobs.
 */
static WorkerProcess *process_reuse(WorkerPool *pool, const char *owner)
{
	WorkerProcess *process = has_hope(pool, owner) ? find_resting(pool) : NULL;

	if (!process)
		return NULL;
	(void)g_hash_table_steal(pool->processes, process->owner);
	g_free(process->owner);
	process->owner = g_strdup(owner);
	g_hash_table_insert(pool->processes, process->owner, process);
	return process;
}

static WorkerProcess *process_of(WorkerPool *pool, const char *owner)
{
	WorkerProcess *process = g_hash_table_lookup(pool->processes, owner);

	if (!process)
		process = process_reuse(pool, owner);
	if (process)
		return process;
	process = g_new0(WorkerProcess, 1);
	process->pool = pool;
	process->owner = g_strdup(owner);
	process->fd = -1;
	g_queue_init(&process->jobs);
	process->limit = timer_new(on_limit, process);
	process->idle = timer_new(on_idle, process);
	process->again = timer_new(on_again, process);
	g_hash_table_insert(pool->processes, process->owner, process);
	return process;
}

/* --- the pool --- */

WorkerPool *worker_pool_new(const WorkerOps *ops)
{
	WorkerPool *pool = g_new0(WorkerPool, 1);

	pool->ops = *ops;
	pool->processes = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, process_free);
	pool->abandoned = g_ptr_array_new_with_free_func(abandoned_free);
	g_queue_init(&pool->lost);
	pool->report = timer_new(on_report, pool);
	pool->received = g_new0(WorkerMessage, 1);
	return pool;
}

void worker_pool_free(WorkerPool *pool)
{
	WorkerJob *job;

	if (!pool)
		return;
	g_hash_table_unref(pool->processes);
	g_ptr_array_unref(pool->abandoned);
	while ((job = g_queue_pop_head(&pool->lost)))
		job_destroy(job);
	timer_free(pool->report);
	g_free(pool->received);
	g_free(pool);
}

static WorkerProcess *find_process(const WorkerPool *pool, uint64_t number)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, pool->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		if (((const WorkerProcess *)value)->number == number)
			return value;
	}
	return NULL;
}

void worker_pool_ended(WorkerPool *pool, uint64_t number)
{
	WorkerProcess *process = number ? find_process(pool, number) : NULL;

	for (guint i = 0; i < pool->abandoned->len; i++) {
		const Abandoned *abandoned = g_ptr_array_index(pool->abandoned, i);

		if (abandoned->number != number)
			continue;
		log_notice(NULL, "the svc-worker that hung at \"%s\" (jobs of %s) has ended",
			   abandoned->what, abandoned->owner);
		g_ptr_array_remove_index_fast(pool->abandoned, i);
		break;
	}
	if (!process)
		return;
	process_fail(process, true);
	drop_if_unused(pool, process);
}

static char *describe(const char *const *fields, unsigned n_fields)
{
	return n_fields > 1 ? g_strdup_printf("%s %s", fields[0], fields[1]) : g_strdup(fields[0]);
}

WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *fields,
			  unsigned n_fields, const int *fds, unsigned n_fds,
			  const WorkerListener *listener, void *data)
{
	WorkerJob *job = g_new0(WorkerJob, 1);
	bool is_whole = n_fds <= WORKER_MAX_FDS;

	job->id = ++pool->last_id;
	job->pool = pool;
	job->listener = listener;
	job->data = data;
	job->what = describe(fields, n_fields);
	job->message = worker_message_new(job->id, fields, n_fields);
	for (unsigned i = 0; i < n_fds && is_whole; i++) {
		job->fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
		is_whole = job->fds[i] >= 0;
		job->n_fds += is_whole;
	}
	if (!job->message || !is_whole) {
		if (!job->message)
			job->message = g_byte_array_new();
		job_lose(pool, job);
		return job;
	}
	job->process = process_of(pool, owner);
	job->process->is_resting = false;
	g_queue_push_tail(&job->process->jobs, job);
	process_go_on(job->process);
	return job;
}

static void send_cancel(WorkerProcess *process, const WorkerJob *job)
{
	static const char *const fields[] = { WORKER_CANCEL };
	g_autoptr(GByteArray) message = worker_message_new(job->id, fields, 1);

	process->is_resting = false;
	/* if the socket is full, its answers are ignored */
	(void)worker_message_send(process->fd, message, NULL, 0);
}

void worker_job_free(WorkerJob *job)
{
	WorkerProcess *process;

	if (!job)
		return;
	process = job->process;
	if (!process)
		(void)g_queue_remove(&job->pool->lost, job);
	else if (process->number != 0 && job->is_sent)
		send_cancel(process, job);
	job_detach(job);
	job_destroy(job);
	if (process)
		update_timers(process);
}

unsigned worker_pool_abandoned(const WorkerPool *pool, const char *owner)
{
	unsigned n = 0;

	for (guint i = 0; i < pool->abandoned->len; i++)
		n += !owner ||
		     strcmp(((const Abandoned *)g_ptr_array_index(pool->abandoned, i))->owner,
			    owner) == 0;
	return n;
}

void worker_pool_visit_abandoned(const WorkerPool *pool,
				 void (*visit)(void *data, const char *owner, const char *what),
				 void *data)
{
	for (guint i = 0; i < pool->abandoned->len; i++) {
		const Abandoned *abandoned = g_ptr_array_index(pool->abandoned, i);

		visit(data, abandoned->owner, abandoned->what);
	}
}
