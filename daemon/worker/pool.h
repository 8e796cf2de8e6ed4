/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Worker pool: jobs for svc-worker, the expendable process that touches objects that other users
 * can hold.
 *
 * A user can block a process that looks up a name in a directory that the user may list, closes a
 * descriptor that the user has had, or uses a socket that the user shares (docs/security.md). The
 * manager does none of these things, and gives such jobs to a worker. There is one worker per owner
 * of jobs, for example per service, so that jobs of different owners do not wait for each other. An
 * idle worker goes to the next owner.
 *
 * A worker that makes no progress within WorkerOps.limit_us is killed and abandoned. Its current
 * job is lost, and its other jobs go to a new worker. An abandoned worker may be unkillable, so
 * their number is limited.
 */
#ifndef SVCD_WORKER_POOL_H
#define SVCD_WORKER_POOL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Generous, because a slow worker on a busy machine must not count as one that hangs. */
#define WORKER_LIMIT_US (5 * G_USEC_PER_SEC)

/* An idle worker ends after this time. */
#define WORKER_IDLE_US (2 * G_USEC_PER_SEC)

/*
 * The maximum numbers of abandoned workers that have not ended: per owner, and in total. Beyond
 * them new jobs are lost at once.
 */
#define WORKER_ABANDONED_OF_OWNER 2
#define WORKER_ABANDONED_MAX 512

typedef struct WorkerPool WorkerPool;
typedef struct WorkerJob WorkerJob;

typedef struct WorkerOps {
	/*
	 * Runs svc-worker with @socket, borrowed, as its standard input. Returns: a number that
	 * identifies the process for worker_pool_ended(); 0: it cannot be started.
	 */
	uint64_t (*start)(void *data, int socket);
	void (*kill)(void *data, uint64_t number); /* SIGKILL */
	/*
	 * Closes @fd, the socket of a failed worker. Its unread answers may carry descriptors that
	 * a user has touched. So the close may have to be left to another process.
	 */
	void (*dispose)(void *data, int fd);
	int64_t limit_us; /* WORKER_LIMIT_US; shorter in tests */
	int64_t idle_us; /* WORKER_IDLE_US */
	void *data;
} WorkerOps;

typedef struct WorkerListener {
	/*
	 * An answer. @fields: its kind first ("done", "failed", or one that the verb defines), then
	 * the arguments. @fd: taken; -1: none. "done" and "failed" end the job, which is freed
	 * before the call. The listener may start and free jobs.
	 */
	void (*answer)(void *data, const char *const *fields, unsigned n_fields, int fd);
	/*
	 * No answer will come. @why is a clause: "svc-worker did not answer within 5 s". The job is
	 * freed before the call.
	 */
	void (*lost)(void *data, const char *why);
} WorkerListener;

/* @ops: copied. */
WorkerPool *worker_pool_new(const WorkerOps *ops);
/*
 * Drops all jobs without calling their listeners. Workers exit when they find end-of-file on their
 * input. NULL is allowed.
 */
void worker_pool_free(WorkerPool *pool);

/* The process with this number has ended, or could not be started. */
void worker_pool_ended(WorkerPool *pool, uint64_t number);

/**
 * worker_job_new() - give a job to the worker of @owner, which is started if necessary
 * @owner: jobs of different owners do not wait for each other
 * @fields: the verb and its arguments; copied
 * @fds: at most WORKER_MAX_FDS; duplicated
 * @listener: borrowed; called from the main loop only, never from here
 *
 * Returns: owned by the caller until the listener gets "done" or "failed", or lost() is called.
 */
WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *fields,
			  unsigned n_fields, const int *fds, unsigned n_fds,
			  const WorkerListener *listener, void *data);

/* The listener is not called any more. NULL is allowed. */
void worker_job_free(WorkerJob *job);

/* Returns: the number of abandoned workers of @owner that have not ended; NULL: of all owners. */
unsigned worker_pool_abandoned(const WorkerPool *pool, const char *owner);

/* Calls @visit for each abandoned worker that has not ended. */
void worker_pool_visit_abandoned(const WorkerPool *pool,
				 void (*visit)(void *data, const char *owner, const char *what),
				 void *data);

#endif
