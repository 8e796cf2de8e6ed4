/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No memory: what the preloaded library and those who tell it when have in common.
 */
#ifndef SVCD_TESTS_NO_MEMORY_H
#define SVCD_TESTS_NO_MEMORY_H

#include <stdint.h>

/* As tests/lib/no_memory.py packs it. */
typedef struct NoMemoryControl {
	uint64_t left;   /* the how manieth allocation from now on fails; 0: none */
	uint64_t failed; /* how many did */
	uint64_t lasts;  /* not 0: all that follow fail, too */
	uint64_t unused;
} NoMemoryControl;

NoMemoryControl *no_memory_control(void);

#endif
