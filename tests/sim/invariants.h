/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invariants: what must hold in every history. All of them are here, but for those of what is asked for (requests.h); each
 * is computed naively, from definitions, states and levels, and owes nothing to how the engine finds it.
 */
#ifndef SVCD_TESTS_SIM_INVARIANTS_H
#define SVCD_TESTS_SIM_INVARIANTS_H

#include "tests/sim/machine.h"

/* The engine starts @s: was it right to? */
void invariants_at_start(Machine *m, const Service *s);
/* The time of @s to wait for the world is over. */
void invariants_at_wait_over(Machine *m, const Service *s);
/* The engine tells @s to stop. */
void invariants_at_stop(Machine *m, const Service *s);
/* The engine has @s restarted by its command. */
void invariants_at_restart(Machine *m, const Service *s);
/* Between two events. */
void invariants_always(Machine *m);
/* Nothing will happen any more by itself. */
void invariants_at_rest(Machine *m);
/* As above, after a change to runlevel 0. */
void invariants_when_stopped(Machine *m);

#endif
