/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Oracle: the correct state, computed anew from files, requests, levels and processes. Invariants
 * compare the engine with it.
 */
#ifndef SVCD_TESTS_SIM_ORACLE_H
#define SVCD_TESTS_SIM_ORACLE_H

#include "tests/sim/machine.h"

Service *oracle_find(const Machine *m, const char *name);
/* Can it have processes? */
bool oracle_is_active(const Service *s);
/* Does one of these NameRef name it? */
bool oracle_is_named(const GPtrArray *refs, const char *name);
bool oracle_conflict(const Service *a, const Service *b);

/* The first term that prevents a start, or NULL. A level that is unknown for long is false. */
const Term *oracle_find_untrue(Machine *m, const GPtrArray *terms);
/* Is any of these terms false with the present levels and states? */
bool oracle_any_false(Machine *m, const GPtrArray *terms);
/*
 * Ignores levels that are unknown for so long that they count as false, because the engine may
 * learn of that later.
 */
bool oracle_all_true(Machine *m, const GPtrArray *terms);
/* The only service that the condition refers to, or NULL. */
Service *oracle_subject(const Machine *m, const char *key);

/* For each service, in the order of engine_services(). */
void oracle_wanted(Machine *m, bool *ret_wanted);
bool oracle_loses_conflict(Machine *m, const Service *s);
/*
 * A subset of the services that have not settled: those that are about to stop are not known here.
 */
GHashTable *oracle_unsettled(Machine *m);
/* Will it start in its turn? */
bool oracle_is_about_to_start(Machine *m, const Service *s, GHashTable *unsettled);
/* Does a flag hold it? */
bool oracle_waits_for_world(Machine *m, const Service *s);
/* Do other services or the kernel command line hold it? */
bool oracle_is_held_by_others(Machine *m, const Service *s);
/* Do only flags hold it? It then waits, for a limited time if its file sets a limit. */
bool oracle_is_held_by_world_only(Machine *m, const Service *s);

#endif
