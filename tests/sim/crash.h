/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: the manager dies, and the next one takes over with what the keeper has kept. It plays keeper.
 */
#ifndef SVCD_TESTS_SIM_CRASH_H
#define SVCD_TESTS_SIM_CRASH_H

#include "tests/sim/machine.h"

/* Takes the engine with it; its notes are what is left. */
void crash_now(Machine *m);
/* The new engine, which has its files, learns of the notes and of what lives. */
void crash_recover(Machine *m);

#endif
