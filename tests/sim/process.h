/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process: what a service's processes do: each follows a script that chance writes when it is started, and another one when
 * it is told to stop. It plays supervisor.
 */
#ifndef SVCD_TESTS_SIM_PROCESS_H
#define SVCD_TESTS_SIM_PROCESS_H

#include "tests/sim/machine.h"

/* A new script: for a start, for its restart command, for a stop. */
void process_start(Machine *m, SimProcess *p, const Service *s);
void process_restart(Machine *m, SimProcess *p, const Service *s);
void process_stop(Machine *m, SimProcess *p, const Service *s);

/* The next line of its script comes true. */
void process_tell(Machine *m, unsigned index);
/* What ends by itself already needs no other script. */
bool process_ends_by_itself(const SimProcess *p);
void process_exits_now(Machine *m, SimProcess *p);
/* What it would have done wrong is taken out of its script. */
void process_calm(Machine *m, unsigned index);

/* HealthCommand=: who is up, and has one, is asked, also by a new manager and after new files. */
void process_ask_health(Machine *m, const Service *s);
void process_tell_health(Machine *m, unsigned index);
void process_forget_health(SimProcess *p);

#endif
