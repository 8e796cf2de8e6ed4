/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children: the name leads to the rows of (service, role); a hash leads from a pid to its row.
 */
#include "config.h"

#include "keeper/children.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#define PID_BUCKETS 2048

/* Not in the shared memory: each image makes it anew. */
static struct {
	uint16_t by_pid; /* the next row of its bucket */
	uint16_t queued; /* the next row of the queue */
} next[PROTOCOL_MAX_CHILDREN + 1];
static uint16_t row_by_pid[PID_BUCKETS];
static uint16_t first_queued;
static uint16_t last_queued;

static struct Child *row_at(unsigned int n)
{
	return table_row(TABLE_CHILDREN, n);
}

static uint16_t row_number(const struct Child *child)
{
	return (uint16_t)(child - row_at(0));
}

static unsigned int pid_bucket(pid_t pid)
{
	return (unsigned int)pid % PID_BUCKETS;
}

bool process_id_is_valid(const struct ProcessId *id)
{
	size_t length = strnlen(id->service, sizeof(id->service));

	return length > 0 && length < sizeof(id->service) && id->invocation != 0 && id->role < ROLE_COUNT;
}

static struct Child *row_of(const struct ProcessId *id)
{
	unsigned int n = table_find(TABLE_CHILDREN, id->service);

	while (n && row_at(n)->role != id->role)
		n = table_find_next(TABLE_CHILDREN, n);
	return n ? row_at(n) : NULL;
}

static void enqueue(struct Child *child)
{
	uint16_t row = row_number(child);

	if (child->flags & CHILD_QUEUED)
		return;
	child->flags |= CHILD_QUEUED;
	next[row].queued = 0;
	if (last_queued)
		next[last_queued].queued = row;
	else
		first_queued = row;
	last_queued = row;
}

static void dequeue_first(void)
{
	struct Child *child = row_at(first_queued);

	first_queued = next[first_queued].queued;
	if (!first_queued)
		last_queued = 0;
	child->flags &= (uint8_t)~CHILD_QUEUED;
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
	const unsigned int n = children_may_add(id) == 0 ? table_add(TABLE_CHILDREN, id->service) : 0;
	struct Child *child;

	if (!n)
		return NULL;
	child = row_at(n);
	child->invocation = id->invocation;
	child->role = (uint8_t)id->role;
	return child;
}

static void add_pid(struct Child *child)
{
	uint16_t *bucket = &row_by_pid[pid_bucket(child->pid)];

	next[row_number(child)].by_pid = *bucket;
	*bucket = row_number(child);
}

void child_set_running(struct Child *child, pid_t pid, uint64_t now_us)
{
	child->pid = pid;
	child->spawned_at_us = now_us;
	child->flags = CHILD_SPAWN_UNSENT;
	row_set_mark(&child->row, ROW_USED);
	add_pid(child);
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
	for (uint16_t row = row_by_pid[pid_bucket(pid)]; row; row = next[row].by_pid)
		if (row_at(row)->pid == pid)
			return row_at(row);
	return NULL;
}

/* The hash has living rows only, because the kernel may reuse a pid at once. */
static void remove_pid(struct Child *child)
{
	uint16_t *link = &row_by_pid[pid_bucket(child->pid)];

	while (*link && *link != row_number(child))
		link = &next[*link].by_pid;
	if (*link)
		*link = next[row_number(child)].by_pid;
}

static uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

void child_restore_exited(struct Child *child, const struct ChildExit *exit)
{
	remove_pid(child);
	child->exit = *exit;
	atomic_signal_fence(memory_order_seq_cst);
	child->flags |= CHILD_EXITED | CHILD_EXIT_UNSENT;
	enqueue(child);
}

void child_set_exited(struct Child *child, int wait_status, const struct rusage *usage, uint64_t now_us)
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

/*
 * Takes @child out of the middle of the queue. This is rare, because the manager acknowledges only
 * what it was sent.
 */
static void unqueue(struct Child *child)
{
	uint16_t previous = 0;

	if (!(child->flags & CHILD_QUEUED))
		return;
	for (uint16_t row = first_queued; row != row_number(child); row = next[row].queued)
		previous = row;
	if (previous)
		next[previous].queued = next[row_number(child)].queued;
	else
		first_queued = next[row_number(child)].queued;
	if (last_queued == row_number(child))
		last_queued = previous;
}

bool children_release(const struct ProcessId *id)
{
	struct Child *child = children_find(id);

	if (!child || !(child->flags & CHILD_EXITED))
		return false;
	unqueue(child);
	table_remove(TABLE_CHILDREN, row_number(child));
	return true;
}

struct Child *children_first_unsent(void)
{
	while (first_queued && !(row_at(first_queued)->flags & (CHILD_SPAWN_UNSENT | CHILD_EXIT_UNSENT)))
		dequeue_first();
	return first_queued ? row_at(first_queued) : NULL;
}

void child_set_sent(struct Child *child, enum ChildFlags flag)
{
	child->flags &= (uint8_t)~flag;
}

void children_mark_unsent(void)
{
	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		child->flags |= CHILD_SPAWN_UNSENT;
		if (child->flags & CHILD_EXITED)
			child->flags |= CHILD_EXIT_UNSENT;
		enqueue(child);
	}
}

struct Child *children_next(const struct Child *child)
{
	for (unsigned int n = child ? row_number(child) + 1u : 1u; n <= table_last(TABLE_CHILDREN); n++)
		if (row_at(n)->row.mark == ROW_USED)
			return row_at(n);
	return NULL;
}

uint32_t children_count(void)
{
	return table_count(TABLE_CHILDREN);
}

/* A process that was being started at the fault has a pid, or it was never started. */
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
	unsigned int n_dropped;

	memset(row_by_pid, 0, sizeof(row_by_pid));
	first_queued = last_queued = 0;
	n_dropped = table_resume(TABLE_CHILDREN, is_sound);
	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		if (!(child->flags & CHILD_EXITED))
			add_pid(child);
	return n_dropped;
}
