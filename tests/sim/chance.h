/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chance: pseudo-random numbers that follow from a seed alone (splitmix64).
 */
#ifndef SVCD_TESTS_SIM_CHANCE_H
#define SVCD_TESTS_SIM_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Chance {
	uint64_t state;
} Chance;

static inline uint64_t chance_next(Chance *c)
{
	uint64_t z = (c->state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 to @n - 1 */
static inline unsigned chance_below(Chance *c, unsigned n)
{
	return (unsigned)(chance_next(c) % n);
}

static inline bool chance_percent(Chance *c, unsigned percent)
{
	return chance_below(c, 100) < percent;
}

/* A time between 0 and @max_us. */
static inline int64_t chance_time(Chance *c, int64_t max_us)
{
	return (int64_t)(chance_next(c) % (uint64_t)(max_us + 1));
}

#endif
