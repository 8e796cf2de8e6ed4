/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children: the table of living services, and of dead ones whose exit nobody has acknowledged yet.
 *
 * A row is (service, role, invocation). One row a service and role: while it is in use, a spawn is refused, and only an
 * acknowledged exit frees it, so nothing is started twice whatever the manager forgets (DESIGN 2). The table is also
 * the queue: what the manager has not been told is a bit of the row.
 */
#ifndef SVCD_KEEPER_CHILDREN_H
#define SVCD_KEEPER_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "keeper/memory.h"
#include "protocol/protocol.h"

enum ChildFlags {
	CHILD_EXITED = 1 << 0, /* reaped: its pid means nothing any more */
	CHILD_SPAWN_UNTOLD = 1 << 1,
	CHILD_EXIT_UNTOLD = 1 << 2,
	CHILD_QUEUED = 1 << 3, /* in the list that children_first_untold() serves */
};

/* Is @id one that a row can have: a name with an end, an invocation, a known role? */
bool process_id_is_valid(const struct ProcessId *id);

/* Returns: 0 if a row for @id can be made now, else EINVAL, EBUSY or ENFILE. */
int children_may_add(const struct ProcessId *id);

/**
 * children_begin() - a row for a process that is about to be started
 *
 * child_set_running() or children_cancel() must follow. Returns: the row; NULL if children_may_add() refuses or there is no memory.
 */
struct Child *children_begin(const struct ProcessId *id);

/* The process runs: "spawned" is untold. */
void child_set_running(struct Child *child, pid_t pid, uint64_t now_us);
void children_cancel(struct Child *child);

/* Both for a process that runs already. Returns: the row, or NULL. */
struct Child *children_add(const struct ProcessId *id, pid_t pid, uint64_t now_us);

/* Returns: the row of exactly this invocation, or NULL. */
struct Child *children_find(const struct ProcessId *id);

/* Returns: the living row with this pid, or NULL. */
struct Child *children_find_pid(pid_t pid);

/* The process was reaped: its row holds what the kernel said until children_release(). */
void child_set_exited(struct Child *child, int wait_status, const struct rusage *usage, uint64_t now_us);

/* The same in other words. */
void child_restore_exited(struct Child *child, const struct ChildExit *exit);

/* Frees the row of an exited process. Returns: whether there was one. */
bool children_release(const struct ProcessId *id);

/* Returns: a row that something is untold of, in the order it happened, or NULL. */
struct Child *children_first_untold(void);

/* The manager knows @flag of @child now; a row with nothing untold leaves the list. */
void child_set_told(struct Child *child, enum ChildFlags flag);

/* A new manager knows nothing: all rows are untold again. */
void children_forget_told(void);

/* Walks all rows: give NULL first. */
struct Child *children_next(const struct Child *child);

uint32_t children_count(void);

/* Takes over the rows of an older image. Returns: how many made no sense, and are dropped. */
unsigned int children_resume(void);

#endif
