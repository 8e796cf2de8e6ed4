/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests: by an admin and by callers on the bus. An oracle decides which requests are granted,
 * and how long each is in force.
 */
#ifndef SVCD_TESTS_SIM_REQUESTS_H
#define SVCD_TESTS_SIM_REQUESTS_H

#include "tests/sim/machine.h"

/* Makes a request for an admin. Returns: whether it was granted. */
bool requests_ask(Machine *m, RequestVerb verb, const char *name);
/* Makes a random request for an admin. */
void requests_poke(Machine *m);
/* A call on the bus that demands a service. */
void requests_poke_demand(Machine *m);
/* A client connects to a socket of a service, or comes too late. */
void requests_poke_connection(Machine *m);
void requests_change_runlevel(Machine *m, const char *runlevel);

/* The manager has started: a living service stays, as if requested by an unknown caller. */
void requests_take_over(Machine *m);
/* The note is lost, or the service is gone: no request remains. */
void requests_forget(SimProcess *p);

/* Invariants: between two events; and when no more events are due. */
void requests_check(Machine *m, const Service *s);
void requests_check_at_rest(Machine *m, const Service *s);

#endif
