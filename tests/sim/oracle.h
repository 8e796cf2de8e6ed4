/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Oracle: what should be so now, computed anew from files, requests, levels and processes. Invariants hold the engine
 * against it.
 */
#ifndef SVCD_TESTS_SIM_ORACLE_H
#define SVCD_TESTS_SIM_ORACLE_H

#include "tests/sim/machine.h"

Service *oracle_find(const Machine *m, const char *name);
/* It may have processes. */
bool oracle_is_active(const Service *s);
/* Does one of these NameRef name it? */
bool oracle_is_named(const GPtrArray *refs, const char *name);
bool oracle_conflict(const Service *a, const Service *b);

/* What keeps from a start, or NULL: long unknown is false. */
const Term *oracle_find_untrue(Machine *m, const GPtrArray *terms);
/* Is any of these terms false, as levels and states are now? */
bool oracle_any_false(Machine *m, const GPtrArray *terms);
/* Without what is unknown for so long that it counts as false: the engine may learn of that a moment later. */
bool oracle_all_true(Machine *m, const GPtrArray *terms);
/* The one service that a condition speaks of, or NULL. */
Service *oracle_subject(const Machine *m, const char *key);

/* Of each service, in the order of engine_services(). */
void oracle_wanted(Machine *m, bool *ret_wanted);
bool oracle_loses_conflict(Machine *m, const Service *s);
/* A subset of those that have not settled: who is about to stop is not known here. */
GHashTable *oracle_unsettled(Machine *m);
/* It starts as soon as its turn comes. */
bool oracle_is_about_to_start(Machine *m, const Service *s, GHashTable *unsettled);
/* Some flag holds it. */
bool oracle_waits_for_world(Machine *m, const Service *s);
/* Other services hold it, or what the kernel was told. */
bool oracle_is_held_by_others(Machine *m, const Service *s);
/* Nothing but flags holds it: it waits, for a limited time if its file says so. */
bool oracle_is_held_by_world_only(Machine *m, const Service *s);

#endif
