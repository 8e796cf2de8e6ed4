/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children: the table of living processes of services, and of dead ones with an exit that the
 * manager has not acknowledged.
 *
 * A row is (service, role, invocation). There is one row per service and role. While the row is in
 * use, another spawn is refused, and only an acknowledged exit frees the row. So no process is
 * started twice, whatever the manager forgets. Each event that has not been sent to the manager yet
 * is a bit of the row.
 */
#ifndef SVCD_KEEPER_CHILDREN_H
#define SVCD_KEEPER_CHILDREN_H

#include <sys/resource.h>

#include "keeper/memory.h"

enum ChildFlags {
	CHILD_EXITED = 1 << 0, /* reaped: its pid is invalid */
	CHILD_SPAWN_UNSENT = 1 << 1,
	CHILD_EXIT_UNSENT = 1 << 2,
};

/* Can @id have a row? It needs a name that ends with a NUL, an invocation, and a known role. */
bool process_id_is_valid(const struct ProcessId *id);

/* Returns: 0 if a row for @id can be made now, else EINVAL, EBUSY or ENFILE. */
int children_may_add(const struct ProcessId *id);

/*
 * Adds a row for a process that is about to be started. child_set_running() or children_cancel()
 * must follow. Returns: NULL if children_may_add() refuses or there is no memory.
 */
struct Child *children_begin(const struct ProcessId *id);

/* The process runs. SPAWNED is still to be sent. */
void child_set_running(struct Child *child, pid_t pid, uint64_t now_us);
void children_cancel(struct Child *child);

/* Adds a row for a process that already runs. Returns: the row, or NULL. */
struct Child *children_add(const struct ProcessId *id, pid_t pid, uint64_t now_us);

/*
 * children_find() returns the row of exactly this invocation, children_find_pid() the living row
 * with this pid. NULL: there is none.
 */
struct Child *children_find(const struct ProcessId *id);
struct Child *children_find_pid(pid_t pid);

/* The process was reaped. Its row keeps the exit status until children_release(). */
void child_set_exited(struct Child *child, int wait_status, const struct rusage *usage,
		      uint64_t now_us);
void child_restore_exited(struct Child *child, const struct ChildExit *exit);

/* Frees the row of an exited process. Returns: whether there was one. */
bool children_release(const struct ProcessId *id);

/* Returns: the first row with something to send, in the order of events, or NULL. */
struct Child *children_first_unsent(void);

/* The event @flag of @child was sent to the manager. */
void child_set_sent(struct Child *child, enum ChildFlags flag);

/* A new manager knows nothing: everything is to be sent again. */
void children_mark_unsent(void);

/* Walks over all rows. Begin with NULL. */
struct Child *children_next(const struct Child *child);

uint32_t children_count(void);

/* Takes over the rows of an older image. Returns: the number of unsound rows, which are dropped. */
unsigned int children_resume(void);

#endif
