/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No memory: the structure shared by the preloaded library and its controllers.
 */
#ifndef SVCD_TESTS_NO_MEMORY_H
#define SVCD_TESTS_NO_MEMORY_H

#include <stdint.h>

/* tests/lib/no_memory.py packs the same layout. */
typedef struct NoMemoryControl {
	uint64_t left; /* the number of the allocation that fails; 0: none */
	uint64_t failed; /* number of failures */
	uint64_t lasts; /* not 0: all following allocations fail, too */
	uint64_t unused;
} NoMemoryControl;

NoMemoryControl *no_memory_control(void);

#endif
