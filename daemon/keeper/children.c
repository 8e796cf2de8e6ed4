/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children: the rows of a service are found by its name. Each image of PID 1 makes its own list of
 * pids, and its own queue of rows with unsent events.
 */
#include "config.h"

#include "keeper/children.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#define QUEUE_ROWS (PROTOCOL_MAX_CHILDREN + 1u)

/*
 * Indexed by the number of the row. Rows of dead processes have no pid here, because the kernel may
 * reuse it at once.
 */
static pid_t pids[PROTOCOL_MAX_CHILDREN + 1];
static bool is_queued[PROTOCOL_MAX_CHILDREN + 1];

/* A ring of rows. A row with nothing left to send is skipped when its turn comes. */
static uint16_t queue[QUEUE_ROWS];
static unsigned int first_queued;
static unsigned int n_queued;

static struct Child *row_at(unsigned int n)
{
	return table_row(TABLE_CHILDREN, n);
}

static uint16_t row_number(const struct Child *child)
{
	return (uint16_t)(child - row_at(0));
}

bool process_id_is_valid(const struct ProcessId *id)
{
	return id->service[0] && memchr(id->service, '\0', sizeof(id->service)) &&
	       id->invocation != 0 && id->role < ROLE_COUNT;
}

static struct Child *row_of(const struct ProcessId *id)
{
	unsigned int n = table_find(TABLE_CHILDREN, id->service);

	while (n && row_at(n)->role != id->role)
		n = table_find_next(TABLE_CHILDREN, n);
	return n ? row_at(n) : NULL;
}

static void enqueue(const struct Child *child)
{
	const uint16_t row = row_number(child);

	if (is_queued[row])
		return;
	is_queued[row] = true;
	if (n_queued == 0)
		first_queued = 0; /* otherwise the ring would in time touch all of its memory */
	queue[(first_queued + n_queued++) % QUEUE_ROWS] = row;
}

struct Child *children_first_unsent(void)
{
	for (; n_queued > 0; n_queued--) {
		struct Child *child = row_at(queue[first_queued]);

		if (child->row.mark == ROW_USED &&
		    child->flags & (CHILD_SPAWN_UNSENT | CHILD_EXIT_UNSENT))
			return child;
		is_queued[queue[first_queued]] = false;
		first_queued = (first_queued + 1) % QUEUE_ROWS;
	}
	return NULL;
}

int children_may_add(const struct ProcessId *id)
{
	if (!process_id_is_valid(id))
		return EINVAL;
	if (row_of(id))
		return EBUSY;
	return children_count() < PROTOCOL_MAX_CHILDREN ? 0 : ENFILE;
}

struct Child *children_begin(const struct ProcessId *id)
{
	const unsigned int n = children_may_add(id) == 0 ? table_add(TABLE_CHILDREN, id->service) :
							   0;

	if (!n)
		return NULL;
	row_at(n)->invocation = id->invocation;
	row_at(n)->role = (uint8_t)id->role;
	pids[n] = 0; /* the process does not run yet */
	return row_at(n);
}

void child_set_running(struct Child *child, pid_t pid, uint64_t now_us)
{
	child->pid = pid;
	child->spawned_at_us = now_us;
	child->flags = CHILD_SPAWN_UNSENT;
	row_set_mark(&child->row, ROW_USED);
	pids[row_number(child)] = pid;
	enqueue(child);
}

void children_cancel(struct Child *child)
{
	table_remove(TABLE_CHILDREN, row_number(child));
}

struct Child *children_add(const struct ProcessId *id, pid_t pid, uint64_t now_us)
{
	struct Child *child = children_begin(id);

	if (child)
		child_set_running(child, pid, now_us);
	return child;
}

struct Child *children_find(const struct ProcessId *id)
{
	struct Child *child = process_id_is_valid(id) ? row_of(id) : NULL;

	return child && child->invocation == id->invocation ? child : NULL;
}

struct Child *children_find_pid(pid_t pid)
{
	for (unsigned int n = pid > 0 ? table_last(TABLE_CHILDREN) : 0; n > 0; n--)
		if (pids[n] == pid)
			return row_at(n);
	return NULL;
}

static uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * USEC_PER_SEC + (uint64_t)t.tv_usec;
}

void child_restore_exited(struct Child *child, const struct ChildExit *exit)
{
	pids[row_number(child)] = 0;
	child->exit = *exit;
	atomic_signal_fence(memory_order_seq_cst);
	child->flags |= CHILD_EXITED | CHILD_EXIT_UNSENT;
	enqueue(child);
}

void child_set_exited(struct Child *child, int wait_status, const struct rusage *usage,
		      uint64_t now_us)
{
	struct ChildExit exit = {
		.code = CLD_EXITED,
		.status = WEXITSTATUS(wait_status),
		.at_us = now_us,
		.user_us = timeval_us(usage->ru_utime),
		.system_us = timeval_us(usage->ru_stime),
	};

	if (WIFSIGNALED(wait_status)) {
		exit.code = WCOREDUMP(wait_status) ? CLD_DUMPED : CLD_KILLED;
		exit.status = WTERMSIG(wait_status);
	}
	child_restore_exited(child, &exit);
}

bool children_release(const struct ProcessId *id)
{
	struct Child *child = children_find(id);

	if (!child || !(child->flags & CHILD_EXITED))
		return false;
	table_remove(TABLE_CHILDREN, row_number(child));
	return true;
}

void child_set_sent(struct Child *child, enum ChildFlags flag)
{
	child->flags &= (uint8_t)~flag;
}

void children_mark_unsent(void)
{
	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		child->flags |= child->flags & CHILD_EXITED ?
					CHILD_SPAWN_UNSENT | CHILD_EXIT_UNSENT :
					CHILD_SPAWN_UNSENT;
		enqueue(child);
	}
}

struct Child *children_next(const struct Child *child)
{
	for (unsigned int n = child ? row_number(child) + 1u : 1u; n <= table_last(TABLE_CHILDREN);
	     n++)
		if (row_at(n)->row.mark == ROW_USED)
			return row_at(n);
	return NULL;
}

uint32_t children_count(void)
{
	return table_count(TABLE_CHILDREN);
}

/*
 * If PID 1 had a fault while it started a process, either the row has the pid, or the process was
 * never started.
 */
static bool is_sound(void *row)
{
	struct Child *child = row;
	struct ProcessId id = { .invocation = child->invocation, .role = child->role };

	(void)keeper_copy(id.service, sizeof(id.service), child->row.name);
	if (!process_id_is_valid(&id) || child->pid <= 1 || row_of(&id))
		return false;
	child->flags &= CHILD_EXITED;
	return true;
}

unsigned int children_resume(void)
{
	const unsigned int n_dropped = table_resume(TABLE_CHILDREN, is_sound);

	for (; n_queued > 0; n_queued--)
		is_queued[queue[(first_queued + n_queued - 1) % QUEUE_ROWS]] = false;
	for (unsigned int n = 1; n <= table_last(TABLE_CHILDREN); n++)
		pids[n] = row_at(n)->row.mark == ROW_USED && !(row_at(n)->flags & CHILD_EXITED) ?
				  row_at(n)->pid :
				  0;
	return n_dropped;
}
