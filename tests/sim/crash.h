/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: the manager dies, and the next manager takes over the state that the keeper kept. This
 * file plays the keeper.
 */
#ifndef SVCD_TESTS_SIM_CRASH_H
#define SVCD_TESTS_SIM_CRASH_H

#include "tests/sim/machine.h"

/* Frees the engine. Only its notes remain. */
void crash_now(Machine *m);
/* Gives the notes and the living processes to the new engine, which has read its files. */
void crash_recover(Machine *m);

#endif
