/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory: the tables that must outlive this program. They lie in one shared mapping of a memfd.
 *
 * A re-execution hands over the descriptor, so nothing is written out and read in again. A mark in
 * each row shows whether the row is complete. The next image repairs or drops a row that PID 1 was
 * changing when it had a fault. Fields are only added at the end of a row; an image with longer
 * rows copies the old ones.
 */
#ifndef SVCD_KEEPER_MEMORY_H
#define SVCD_KEEPER_MEMORY_H

#include "keeper/keeper.h"

enum TableId { TABLE_CHILDREN, TABLE_NOTES, TABLE_FDS, N_TABLES };

enum RowMark {
	ROW_FREE,
	ROW_USED,
	ROW_CHANGING, /* PID 1 is changing the row: its values are not reliable after a fault */
};

/* The beginning of each row. Row 0 of a table is never used, so 0 means none. */
struct Row {
	uint32_t mark; /* enum RowMark; set by row_set_mark() */
	uint32_t reserved;
	char name[PROTOCOL_KEEP_NAME_BYTES];
};

struct Child {
	struct Row row; /* the name of its service */
	uint64_t invocation;
	uint64_t spawned_at_us;
	struct ChildExit {
		int32_t code; /* as si_code of waitid(2); 0: unknown */
		int32_t status;
		uint64_t at_us;
		uint64_t user_us;
		uint64_t system_us;
	} exit;
	int32_t pid; /* 0: not started yet */
	uint8_t role;
	uint8_t flags; /* enum ChildFlags */
	uint16_t reserved;
};

struct Note {
	struct Row row; /* the name of its service */
	char text[PROTOCOL_NOTE_BYTES];
};

struct KeptFd {
	struct Row row;
	int32_t fd;
	int32_t reserved;
};

/*
 * Stored beside the tables, together with a struct Keeper. reexec.c writes both just before the
 * next image.
 */
struct State {
	uint32_t generation;
	int32_t last_status;
	int32_t manager_pid; /* 0: none */
	uint32_t shutdown_kind;
	uint32_t shutdown_left_ms;
	int32_t watchdog_fd; /* -1: the device has not appeared yet */
	char watchdog_request[WATCHDOG_REQUEST_BYTES]; /* empty: no watchdog */
};

/*
 * Makes an empty memory. Without a memfd the tables cannot be handed over. Returns: false, logged,
 * if there is no memory at all; crash_last_resort() must follow.
 */
bool memory_init(void);

/**
 * memory_resume() - map the memory that an older image has left in @fd
 * @is_trial: make a private mapping, so that changes do not reach the owner
 *
 * Takes @fd if it becomes memory_fd(). Checks the header and converts rows of other sizes;
 * table_resume() checks the rows. Returns: false, logged, if the memory cannot be used.
 */
bool memory_resume(int fd, bool is_trial);

/* Closes and unmaps a memory that is of no use. memory_init() must follow. */
void memory_drop(void);

/* Returns: the descriptor, or -1: the tables cannot be handed over. */
int memory_fd(void);

struct State *memory_state(void);
struct Keeper *memory_keeper(void);

void row_set_mark(struct Row *row, enum RowMark mark);

/* Returns: the row; @n is not 0. */
void *table_row(enum TableId id, unsigned int n);

/*
 * Return the number of a row with this name, or 0. table_find_next() finds another row with the
 * name of row @n.
 */
unsigned int table_find(enum TableId id, const char *name);
unsigned int table_find_next(enum TableId id, unsigned int n);

/**
 * table_add() - add a row that is all zero except its name and ROW_CHANGING
 * Returns: its number; 0 for an empty or too long name, a full table, or a lack of memory.
 */
unsigned int table_add(enum TableId id, const char *name);
void table_remove(enum TableId id, unsigned int n);

/* Returns: the highest number that was ever used. */
unsigned int table_last(enum TableId id);
unsigned int table_count(enum TableId id);

/**
 * table_resume() - make the index of rows that an older image has left
 * @is_sound: checks a row, and may repair one that was being changed; false: the row is dropped
 *
 * Returns: the number of dropped rows, without those that were being changed.
 */
unsigned int table_resume(enum TableId id, bool (*is_sound)(void *row));

#endif
