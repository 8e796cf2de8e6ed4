/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children: a static table, found by (service, role) through the name's number, by pid through a hash.
 */
#include "config.h"

#include "keeper/children.h"

#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>

#define PID_BUCKETS 2048

/* Row 0 is never used, so that 0 can say "none" in the zeroed tables below. */
static struct Child rows[PROTOCOL_MAX_CHILDREN + 1];
static struct ChildExit exits[PROTOCOL_MAX_CHILDREN + 1]; /* apart: most rows are of who lives, and have none */
static uint16_t row_by_name[NAMES_MAX][ROLE_COUNT];
static uint16_t row_by_pid[PID_BUCKETS];
static uint16_t first_free;
static uint16_t last_used;
static uint16_t first_queued;
static uint16_t last_queued;
static uint32_t n_rows;

static uint16_t row_number(const struct Child *child)
{
	return (uint16_t)(child - rows);
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
	NameId service = name_find(id->service);
	uint16_t row = service ? row_by_name[service][id->role] : 0;

	return row ? &rows[row] : NULL;
}

static void enqueue(struct Child *child)
{
	uint16_t row = row_number(child);

	if (child->flags & CHILD_QUEUED)
		return;
	child->flags |= CHILD_QUEUED;
	child->next_queued = 0;
	if (last_queued)
		rows[last_queued].next_queued = row;
	else
		first_queued = row;
	last_queued = row;
}

static void dequeue_first(void)
{
	struct Child *child = &rows[first_queued];

	first_queued = child->next_queued;
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
	return n_rows < PROTOCOL_MAX_CHILDREN ? 0 : ENFILE;
}

struct Child *children_add(const struct ProcessId *id, pid_t pid, uint64_t now_us)
{
	struct Child *child;
	uint16_t row;
	NameId service;

	if (children_may_add(id) != 0 || (service = name_take(id->service)) == 0)
		return NULL;
	row = first_free ? first_free : (uint16_t)(last_used + 1);
	child = &rows[row];
	if (first_free)
		first_free = child->next_queued;
	else
		last_used = row;

	*child = (struct Child){
		.invocation = id->invocation,
		.spawned_at_us = now_us,
		.pid = pid,
		.service = service,
		.role = (uint8_t)id->role,
		.flags = CHILD_IN_USE | CHILD_SPAWN_UNTOLD,
		.next_by_pid = row_by_pid[pid_bucket(pid)],
	};
	row_by_pid[pid_bucket(pid)] = row;
	row_by_name[service][id->role] = row;
	n_rows++;
	enqueue(child);
	return child;
}

struct Child *children_find(const struct ProcessId *id)
{
	struct Child *child = process_id_is_valid(id) ? row_of(id) : NULL;

	return child && child->invocation == id->invocation ? child : NULL;
}

struct Child *children_find_pid(pid_t pid)
{
	for (uint16_t row = row_by_pid[pid_bucket(pid)]; row; row = rows[row].next_by_pid)
		if (rows[row].pid == pid)
			return &rows[row];
	return NULL;
}

/* Only living rows are in the hash: the kernel may give the pid away again at once. */
static void unlink_pid(struct Child *child)
{
	uint16_t *link = &row_by_pid[pid_bucket(child->pid)];

	while (*link && *link != row_number(child))
		link = &rows[*link].next_by_pid;
	if (*link)
		*link = child->next_by_pid;
	child->next_by_pid = 0;
}

static uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

const struct ChildExit *child_exit(const struct Child *child)
{
	return &exits[row_number(child)];
}

void child_restore_exited(struct Child *child, const struct ChildExit *exit)
{
	unlink_pid(child);
	exits[row_number(child)] = *exit;
	child->flags |= CHILD_EXITED | CHILD_EXIT_UNTOLD;
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

/* Out of the middle of the list: rare, since a row that is acknowledged has been told. */
static void unqueue(struct Child *child)
{
	uint16_t previous = 0;

	if (!(child->flags & CHILD_QUEUED))
		return;
	for (uint16_t row = first_queued; row != row_number(child); row = rows[row].next_queued)
		previous = row;
	if (previous)
		rows[previous].next_queued = child->next_queued;
	else
		first_queued = child->next_queued;
	if (last_queued == row_number(child))
		last_queued = previous;
}

bool children_release(const struct ProcessId *id)
{
	struct Child *child = children_find(id);
	uint16_t row;

	if (!child || !(child->flags & CHILD_EXITED))
		return false;
	row = row_number(child);
	unqueue(child);
	row_by_name[child->service][child->role] = 0;
	name_drop(child->service);
	*child = (struct Child){ .next_queued = first_free };
	first_free = row;
	n_rows--;
	return true;
}

struct Child *children_first_untold(void)
{
	while (first_queued && !(rows[first_queued].flags & (CHILD_SPAWN_UNTOLD | CHILD_EXIT_UNTOLD)))
		dequeue_first();
	return first_queued ? &rows[first_queued] : NULL;
}

void child_set_told(struct Child *child, enum ChildFlags flag)
{
	child->flags &= (uint8_t)~flag;
}

void children_forget_told(void)
{
	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		child->flags |= CHILD_SPAWN_UNTOLD;
		if (child->flags & CHILD_EXITED)
			child->flags |= CHILD_EXIT_UNTOLD;
		enqueue(child);
	}
}

struct Child *children_next(const struct Child *child)
{
	for (unsigned int row = child ? row_number(child) + 1u : 1u; row <= last_used; row++)
		if (rows[row].flags & CHILD_IN_USE)
			return &rows[row];
	return NULL;
}

uint32_t children_count(void)
{
	return n_rows;
}
