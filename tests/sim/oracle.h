/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Oracle: the correct state, computed anew from files, requests, levels and processes. Invariants
 * compare the engine with it.
 */
#ifndef SVCD_TESTS_SIM_ORACLE_H
#define SVCD_TESTS_SIM_ORACLE_H

#include "tests/sim/machine.h"

Service *oracle_find(const Machine *m, const char *name);
/* Can @s have processes? */
bool oracle_is_active(const Service *s);
/* Does a NameRef in @refs contain @name? */
bool oracle_is_named(const GPtrArray *refs, const char *name);
bool oracle_conflict(const Service *a, const Service *b);

/*
 * The first term that prevents a start, or NULL. A level that has been unknown for long is false.
 */
const Term *oracle_find_untrue(Machine *m, const GPtrArray *terms);
/* Is any of these terms false with the present levels and states? */
bool oracle_any_false(Machine *m, const GPtrArray *terms);
/*
 * Does not treat a level that has been unknown for long as false, because the engine may do so a
 * little later.
 */
bool oracle_all_true(Machine *m, const GPtrArray *terms);
/* The only service that the condition refers to, or NULL. */
Service *oracle_subject(const Machine *m, const char *key);

/* One entry for each service, in the order of engine_services(). */
void oracle_wanted(Machine *m, bool *ret_wanted);
bool oracle_loses_conflict(Machine *m, const Service *s);
/*
 * The services that have not settled, without those that are about to stop: these are not known.
 */
GHashTable *oracle_unsettled(Machine *m);
/* Does nothing hold @s, so that it starts next? */
bool oracle_is_about_to_start(Machine *m, const Service *s, GHashTable *unsettled);
/* Does a flag hold @s? */
bool oracle_waits_for_world(Machine *m, const Service *s);
/* Do other services or the kernel command line hold @s? */
bool oracle_is_held_by_others(Machine *m, const Service *s);
/* Do only flags hold @s? The wait is then limited if the file sets WaitTimeout=. */
bool oracle_is_held_by_world_only(Machine *m, const Service *s);

#endif
