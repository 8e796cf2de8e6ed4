/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels: the world outside, and the providers that tell the engine of it: late, twice, in bursts, and not at all while
 * they are away; when they come back they list everything again.
 */
#ifndef SVCD_SIM_LEVELS_H
#define SVCD_SIM_LEVELS_H

#include "tests/sim/machine.h"

void levels_init(Machine *m);

/* EngineOps. */
void levels_subscribe(void *data, KeyPrefix prefix, const char *key);
void levels_unsubscribe(void *data, KeyPrefix prefix, const char *key);

/* When the next word or return of a provider is due; 0: nothing is. */
int64_t levels_next_us(const Machine *m);
/* Tell what is due by now. */
void levels_tell_due(Machine *m);

/* Something happens to one level, or to a provider. */
void levels_poke(Machine *m);
void levels_set(Machine *m, unsigned index, Level level);
/* The manager is gone, and all subscriptions with it. */
void levels_forget(Machine *m);
/* Providers are there and know everything. */
void levels_calm(Machine *m);

const SimLevel *levels_find(const Machine *m, const char *key);

#endif
