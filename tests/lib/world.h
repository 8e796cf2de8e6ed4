/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * World: an engine with fake operations, so that a test of the engine reads as a story: service
 * files, events, states. The test decides the outcome of processes; time is a number.
 */
#ifndef SVCD_TESTS_LIB_WORLD_H
#define SVCD_TESTS_LIB_WORLD_H

#include <check.h>
#include <glib.h>

#include "engine/engine.h"

typedef struct World World;

/**
 * world_new() - a machine that has just entered runlevel 2
 * @files: service files, each after a line "== NAME"; without such a line, the file of the service
 *         "it"
 *
 * Policy wants all of them in runlevel 2. External levels are false unless the test sets them.
 */
World *world_new(const char *files);
/* The same, with a policy file; NULL: none. */
World *world_new_with_policy(const char *files, const char *policy);
/* The same, with a policy file of the vendor. */
World *world_new_with_vendor_policy(const char *files, const char *policy);
/* Sets the start time of later worlds. It is 100 s, except for tests with the real clock. */
void world_set_birth(int64_t now_us);
int64_t world_birth(void);
/* In later worlds, sockets open only when the test calls engine_sockets_opened(). */
void world_open_sockets_slowly(void);
void world_free(World *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(World, world_free)

Engine *world_engine(World *w);
Service *world_find(World *w, const char *service);
int64_t world_now(World *w);
/* Reads new files and policy (NULL: unchanged), while services run. */
void world_reload(World *w, const char *files, const char *policy);

/* --- events --- */
void world_set(World *w, const char *key, bool is_true);
void world_set_unknown(World *w, const char *key);
/* Like world_set(), with the provider's reason and the alternatives; NULL: none. */
void world_set_level(World *w, const char *key, Level level, const char *why,
		     const char *alternatives);
/* Calls @func whenever the engine reports a changed condition. */
typedef void (*WorldConditionFunc)(void *data, const char *key, Level level, const char *why);
void world_on_condition(World *w, WorldConditionFunc func, void *data);
/* Reports about the processes of the present invocation. */
void world_started(World *w, const char *service);
void world_ready(World *w, const char *service);
void world_start_fails(World *w, const char *service, const char *text);
/* The start fails, because a machine resource is exhausted. */
void world_start_is_refused(World *w, const char *service, const char *text);
void world_exits(World *w, const char *service, int status);
/* A script: the processes of its start command have all ended. */
void world_leaves_nothing(World *w, const char *service);
/* A script with a daemon: after its restart no process is left. */
void world_ends_in_restart(World *w, const char *service);
/* The end of RestartCommand= of @service. @problem: the failure; NULL: success. */
void world_restarted(World *w, const char *service, const char *problem);
/* The same for Reload=. */
void world_reloaded(World *w, const char *service, const char *problem);
/* The result of HealthCommand= of @service; NULL: healthy. */
void world_health(World *w, const char *service, const char *problem);
void world_stops_itself(World *w, const char *service);
/*
 * The failure of the Stop= command of a task with DoneWhile=; @output: the last line of its output.
 */
void world_stop_fails(World *w, const char *service, const char *text, const char *output);
void world_gone(World *w, const char *service);
/* Exit, end of all processes, and clean-up. */
void world_dies(World *w, const char *service, int status);
/* Carries out all requests until none is left: starts succeed, stops end. No timer fires. */
void world_settle(World *w);
void world_advance(World *w, int64_t us);
/* Most tests use seconds. */
#define world_advance_s(w, s) world_advance((w), (int64_t)((double)(s) * (double)G_USEC_PER_SEC))

/* --- requests, all by uid 0 (pid 812) --- */
bool world_request(World *w, RequestVerb verb, const char *service);
void world_start(World *w, const char *service);
void world_stop(World *w, const char *service);
void world_restart(World *w, const char *service);
/* The text of the error; "" if the request was granted. */
const char *world_refusal(World *w, RequestVerb verb, const char *service);
void world_runlevel(World *w, const char *runlevel);

/*
 * The manager dies, and another one takes over from notes and processes. The same levels are
 * reported again.
 */
void world_crash(World *w);

/* --- results --- */
/* The requests since the last call: "start a, stop b, reload c". */
const char *world_log(World *w);
/* The same for conditions: "flag:go true". */
const char *world_condition_log(World *w);
unsigned world_count_live(World *w, const char *service);

#define expect_state(w, service, expected)                                      \
	ck_assert_str_eq(service_state_name(world_find((w), (service))->state), \
			 service_state_name(expected))
#define expect_log(w, expected) ck_assert_str_eq(world_log(w), (expected))
#define expect_cause(w, service, expected) \
	ck_assert_str_eq(service_cause(world_find((w), (service))), (expected))
#define expect_level(w, key, expected) \
	ck_assert_str_eq(level_name(world_level((w), (key))), level_name(expected))

/* The level of a condition that some service uses. */
Level world_level(World *w, const char *key);

#endif
