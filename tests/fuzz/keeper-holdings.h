/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper holdings: what PID 1 holds of services, to be compared with the world and with what it held before.
 *
 * Who takes something back from it marks that here, or it counts as lost.
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

/* Nothing is held, and nothing taken back. */
void holdings_begin(void);
void holdings_look(Holdings *ret);
void holdings_row(HeldRow *ret, const struct Child *child);

/* Asserts that it is as the world is, and that nothing is lost since the last time. */
void holdings_check(void);
void holdings_check_same(const Holdings *old);

/* One of the names that all this is about, as long as there is room for it, with or without its end. */
void holdings_put_name(char *field, size_t size, unsigned int n);

/* --- what is taken back --- */
void holdings_mark_released(const char *field, size_t size);  /* a row of it is acknowledged */
void holdings_mark_forgotten(const char *field, size_t size); /* its note, or its descriptor */
/* Any name in there may have been meant by it. */
void holdings_mark_names_in(const char *bytes, size_t size);
void holdings_mark_all(void);

#endif
