/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels: external conditions, and their providers. Reports are late, repeated and in bursts, and
 * stop while a provider is away. A provider that returns reports all levels again.
 */
#ifndef SVCD_SIM_LEVELS_H
#define SVCD_SIM_LEVELS_H

#include "tests/sim/machine.h"

void levels_init(Machine *m);

/* EngineOps. */
void levels_subscribe(void *data, KeyPrefix prefix, const char *key);
void levels_unsubscribe(void *data, KeyPrefix prefix, const char *key);

/* The time of the next report or return of a provider; 0: none. */
int64_t levels_next_us(const Machine *m);
/* Sends the reports that are due. */
void levels_report_due(Machine *m);

/* Changes one level, or one provider. */
void levels_poke(Machine *m);
void levels_set(Machine *m, unsigned index, Level level);
/* The manager is gone, with all subscriptions. */
void levels_forget(Machine *m);
/* All providers return, and all levels become known. */
void levels_calm(Machine *m);

const SimLevel *levels_find(const Machine *m, const char *key);

#endif
