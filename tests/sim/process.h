/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process: the processes of a service. Each follows a random script from its start, and another
 * script from its stop request. This file plays the supervisor.
 */
#ifndef SVCD_TESTS_SIM_PROCESS_H
#define SVCD_TESTS_SIM_PROCESS_H

#include "tests/sim/machine.h"

/* Begins a new script: for a start, for a restart command, for a stop. */
void process_start(Machine *m, SimProcess *p, const Service *s);
void process_restart(Machine *m, SimProcess *p, const Service *s);
void process_stop(Machine *m, SimProcess *p, const Service *s);

/* Reports the next event of its script. */
void process_notify(Machine *m, unsigned index);
/* Is the process already ending, so that it needs no other script? */
bool process_ends_by_itself(const SimProcess *p);
void process_exits_now(Machine *m, SimProcess *p);
/* Removes the faults from its script. */
void process_calm(Machine *m, unsigned index);

/* Runs HealthCommand= of a service that is up, also for a new manager and after new files. */
void process_begin_health(Machine *m, const Service *s);
void process_answer_health(Machine *m, unsigned index);
void process_forget_health(SimProcess *p);

#endif
