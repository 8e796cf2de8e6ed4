/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker pool: jobs for svc-worker, the expendable process that touches what other users can hold.
 *
 * A user can make any process wait that looks a name up in a directory the user may list, closes a descriptor the user has had,
 * or uses a socket the user shares (docs/security.md). So the manager does none of that. It gives the job to a worker. There is one
 * worker for each owner of jobs, for example for each service, so that jobs of different owners do not wait for each other. A worker that
 * rests is handed to the next owner.
 *
 * A worker that does not go on within WorkerOps.limit_us is killed and abandoned. The job that it was at is lost. Its other jobs go to
 * a new worker. An abandoned worker may be beyond the reach of any signal, so their number is limited.
 */
#ifndef SVCD_WORKER_POOL_H
#define SVCD_WORKER_POOL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Generous: on a busy machine a worker that is only slow must not be taken for one that hangs. */
#define WORKER_LIMIT_US (5 * G_USEC_PER_SEC)

/* A worker without a job ends after this time. */
#define WORKER_IDLE_US (2 * G_USEC_PER_SEC)

/* Abandoned workers that have not ended: of one owner, and of all. With more of them new jobs are lost at once. */
#define WORKER_ABANDONED_OF_OWNER 2
#define WORKER_ABANDONED_MAX 512

typedef struct WorkerPool WorkerPool;
typedef struct WorkerJob WorkerJob;

typedef struct WorkerOps {
	/*
	 * Run svc-worker with @socket, borrowed, as its standard input.
	 * Returns: a number by which worker_pool_ended() knows it; 0: it cannot be started.
	 */
	uint64_t (*start)(void *data, int socket);
	void (*kill)(void *data, uint64_t number); /* SIGKILL */
	/*
	 * Closes @fd, the socket of a worker that failed. Answers in it were not read, and a descriptor that came with one may have been
	 * touched by a user since: the close may have to be left to another process.
	 */
	void (*dispose)(void *data, int fd);
	int64_t limit_us; /* WORKER_LIMIT_US; shorter in tests */
	int64_t idle_us;  /* WORKER_IDLE_US */
	void *data;
} WorkerOps;

typedef struct WorkerListener {
	/*
	 * An answer. @words: its kind first: "done", "failed", or what the verb defines; then the arguments. @fd: taken; -1: none.
	 * "done" and "failed" end the job, which is freed before the call. The listener may start and free jobs.
	 */
	void (*answer)(void *data, const char *const *words, unsigned n_words, int fd);
	/* No answer will come; @why is a clause: "svc-worker did not answer within 5 s". The job is freed before the call. */
	void (*lost)(void *data, const char *why);
} WorkerListener;

/* @ops: copied. */
WorkerPool *worker_pool_new(const WorkerOps *ops);
/* Forgets all jobs without a call; workers end when they read the end of their socket. NULL is nothing. */
void worker_pool_free(WorkerPool *pool);

/* The process with this number has ended, or could not be started. */
void worker_pool_ended(WorkerPool *pool, uint64_t number);

/**
 * worker_job_new() - give a job to the worker of @owner, which is started if need be
 * @owner:    jobs of different owners do not wait for each other
 * @words:    the verb and its arguments; copied
 * @fds:      at most WORKER_MAX_FDS; duplicated
 * @listener: borrowed; called from the main loop only, never from here
 *
 * Returns: the caller's until its listener is called with "done", "failed" or lost.
 */
WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *words, unsigned n_words, const int *fds,
			  unsigned n_fds, const WorkerListener *listener, void *data);

/* Its listener is called no more. NULL is nothing. */
void worker_job_free(WorkerJob *job);

/* How many abandoned workers of @owner have not ended; NULL: of all. */
unsigned worker_pool_abandoned(const WorkerPool *pool, const char *owner);

/* Calls @visit for each abandoned worker that has not ended. */
void worker_pool_visit_abandoned(const WorkerPool *pool, void (*visit)(void *data, const char *owner, const char *what), void *data);

#endif
