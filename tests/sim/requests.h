/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests: what an admin and callers on the bus ask for, and an oracle of what is granted and how long that lasts.
 */
#ifndef SVCD_TESTS_SIM_REQUESTS_H
#define SVCD_TESTS_SIM_REQUESTS_H

#include "tests/sim/machine.h"

/* An admin asks for something. */
void requests_poke(Machine *m);
/* A call on the bus asks for a service. */
void requests_poke_demand(Machine *m);
/* A client comes to a socket of a service, or too late. */
void requests_poke_connection(Machine *m);
void requests_set_runlevel(Machine *m, const char *runlevel);

/* The manager has begun: what lives stays, as if somebody had asked for it, though nobody knows who did. */
void requests_take_over(Machine *m);
/* Its note is lost, or its service has gone: nothing is asked for any more. */
void requests_forget(SimProcess *p);

/* Invariants: between two events; and when nothing will happen any more by itself. */
void requests_check(Machine *m, const Service *s);
void requests_check_at_rest(Machine *m, const Service *s);

#endif
