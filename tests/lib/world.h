/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * World: an engine with fake operations, so that a test of the engine reads as a story: given service files, when this
 * happens, then that is its state. Processes do what the test says; time is a number.
 */
#ifndef SVCD_TESTS_LIB_WORLD_H
#define SVCD_TESTS_LIB_WORLD_H

#include <check.h>
#include <glib.h>

#include "engine/engine.h"

typedef struct World World;

/**
 * world_new() - a machine that has just begun runlevel 2
 * @files: service files, each after a line "== NAME"; without such a line one file, of a service "it"
 *
 * Policy wants all of them in runlevel 2. Levels from outside are false until the test says otherwise.
 */
World *world_new(const char *files);
/* As above, with a policy file; NULL for none at all. */
World *world_new_with_policy(const char *files, const char *policy);
/* The same file, shipped by the vendor. */
World *world_new_with_vendor_policy(const char *files, const char *policy);
/* When the worlds made from now on begin: 100 s, unless somebody looks at them with the clock of the machine. */
void world_set_birth(int64_t now_us);
int64_t world_birth(void);
/* Sockets in worlds that are made after this are open when the test calls engine_sockets_opened(). */
void world_open_sockets_slowly(void);
void world_free(World *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

Engine *world_engine(World *w);
Service *world_find(World *w, const char *service);
int64_t world_now(World *w);
/* A new set of files and policy (NULL: as before), while things run. */
void world_reload(World *w, const char *files, const char *policy);

/* --- what happens --- */
void world_set(World *w, const char *key, bool is_true);
void world_set_unknown(World *w, const char *key);
/* As world_set(), with what the provider says of it, and what there is instead; NULL: nothing. */
void world_set_level(World *w, const char *key, Level level, const char *why, const char *instead);
/* Call @func whenever the engine tells that a condition changed. */
typedef void (*WorldConditionFunc)(void *data, const char *key, Level level, const char *why);
void world_on_condition(World *w, WorldConditionFunc func, void *data);
/* Processes of the present invocation. */
void world_started(World *w, const char *service);
void world_ready(World *w, const char *service);
void world_start_fails(World *w, const char *service, const char *text);
/* As above: for want of room on the machine. */
void world_start_is_refused(World *w, const char *service, const char *text);
void world_exits(World *w, const char *service, int status);
/* A script: nothing is left of what its start command left. */
void world_leaves_nothing(World *w, const char *service);
/* A script with a daemon: its restart has left nothing of it. */
void world_ends_in_restart(World *w, const char *service);
/* The end of its RestartCommand=. @problem: why it failed; NULL: it did not. */
void world_restarted(World *w, const char *service, const char *problem);
/* The same of its Reload=. */
void world_reloaded(World *w, const char *service, const char *problem);
/* What its HealthCommand= says; NULL: it is well. */
void world_health(World *w, const char *service, const char *problem);
void world_stops_itself(World *w, const char *service);
/* The end of the Stop= command of a task with DoneWhile=, which has failed; @output: the last line that it wrote. */
void world_stop_fails(World *w, const char *service, const char *text, const char *output);
void world_gone(World *w, const char *service);
/* All three: it exits, and nothing is left of it. */
void world_dies(World *w, const char *service, int status);
/* Carry out everything that was told: starts succeed, stops end, timers stay. Until nothing is left to do. */
void world_settle(World *w);
void world_advance(World *w, int64_t us);
/* Seconds are what most tests speak of. */
#define world_advance_s(w, s) world_advance((w), (int64_t)((double)(s) * (double)G_USEC_PER_SEC))

/* --- requests, all by uid 0 (pid 812) --- */
bool world_request(World *w, RequestVerb verb, const char *service);
void world_start(World *w, const char *service);
void world_stop(World *w, const char *service);
void world_restart(World *w, const char *service);
/* The text of the error, "" if it was granted. */
const char *world_refusal(World *w, RequestVerb verb, const char *service);
void world_runlevel(World *w, const char *runlevel);

/* The manager dies, and another one takes over from notes and processes; the same levels are told again. */
void world_crash(World *w);

/* --- what came of it --- */
/* What was told since the last call: "start a, stop b, reload c". */
const char *world_log(World *w);
/* The same for conditions: "flag:go true". */
const char *world_condition_log(World *w);
unsigned world_count_live(World *w, const char *service);

#define expect_state(w, service, expected)                                                          \
	ck_assert_str_eq(service_state_name(world_find((w), (service))->state), service_state_name(expected))
#define expect_log(w, expected) ck_assert_str_eq(world_log(w), (expected))
#define expect_cause(w, service, expected) ck_assert_str_eq(service_cause(world_find((w), (service))), (expected))
#define expect_level(w, key, expected) ck_assert_str_eq(level_name(world_level((w), (key))), level_name(expected))

/* Of a condition that some service names. */
Level world_level(World *w, const char *key);

#endif
