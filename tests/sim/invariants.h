/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invariants: properties of every history, except those of requests (requests.h). Each is computed
 * naively from definitions, states and levels, and independently of the engine's algorithms.
 */
#ifndef SVCD_TESTS_SIM_INVARIANTS_H
#define SVCD_TESTS_SIM_INVARIANTS_H

#include "tests/sim/machine.h"

/* The engine starts @s: is that correct? */
void invariants_at_start(Machine *m, const Service *s);
/* WaitTimeout= of @s has expired. */
void invariants_at_wait_over(Machine *m, const Service *s);
/* The engine stops @s. */
void invariants_at_stop(Machine *m, const Service *s);
/* The engine restarts @s by its command. */
void invariants_at_restart(Machine *m, const Service *s);
/* Between two events. */
void invariants_always(Machine *m);
/* When no more events are due. */
void invariants_at_rest(Machine *m);
/* When no more events are due after a change to runlevel 0. */
void invariants_when_stopped(Machine *m);

#endif
