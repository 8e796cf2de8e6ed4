/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper holdings: PID 1's state of services, compared with the simulated world and with its
 * earlier state.
 *
 * Code that releases something must mark that here, or it is considered lost.
 */
#ifndef SVCD_TESTS_FUZZ_KEEPER_HOLDINGS_H
#define SVCD_TESTS_FUZZ_KEEPER_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "keeper/children.h"
#include "protocol/protocol.h"

#define HOLDINGS_NAMES 16
#define HOLDINGS_MOST_ROWS 512

typedef struct HeldRow {
	struct ProcessId id;
	pid_t pid;
	bool has_exited;
	struct ChildExit exit;
} HeldRow;

typedef struct Holdings {
	size_t n_rows;
	HeldRow rows[HOLDINGS_MOST_ROWS];
	bool has_note[HOLDINGS_NAMES];
	char notes[HOLDINGS_NAMES][PROTOCOL_NOTE_BYTES];
	int fds[HOLDINGS_NAMES];
	uint32_t n_notes;
	uint32_t n_fds;
} Holdings;

/* Nothing is held, and nothing released. */
void holdings_begin(void);
void holdings_look(Holdings *ret);
void holdings_row(HeldRow *ret, const struct Child *child);

/*
 * Asserts that PID 1's state matches the simulated world, and that nothing is lost since the last
 * call.
 */
void holdings_check(void);
void holdings_check_same(const Holdings *old);

/* One of the used names, if it fits, with or without its end. */
void holdings_put_name(char *field, size_t size, unsigned int n);

/* --- releases --- */
void holdings_mark_released(const char *field, size_t size); /* a row with this name */
void holdings_mark_forgotten(const char *field, size_t size); /* its note or its descriptor */
/* Marks each name in @bytes. */
void holdings_mark_names_in(const char *bytes, size_t size);
void holdings_mark_all(void);

#endif
