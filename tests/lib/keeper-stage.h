/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper stage: a real keeper (svcd --user) for each test of a case, and the test as its manager.
 */
#ifndef SVCD_TESTS_LIB_KEEPER_STAGE_H
#define SVCD_TESTS_LIB_KEEPER_STAGE_H

#include "keeper/keeper.h"
#include "tests/lib/link-client.h"
#include "tests/lib/suite.h"

extern KeeperRun run;
extern Manager manager;

extern const char *const sleep_argv[];
extern const char *const exit7_argv[];

/* Around each test of a case: the manager has been told everything when it begins. */
void keeper_set_up(void);
/* The same, and a keeper that pings every 100 ms. */
void keeper_set_up_hasty(void);
void keeper_tear_down(void);

/* Spawns and waits for the answer. */
struct MessageSpawned keeper_spawn(const char *service, uint64_t invocation, const char *const *argv, const char *note);
/* What a keeper that this one is to take over from would have in its own tables: a user's, with the same manager. */
void keeper_fill_state(struct Keeper *state);
/* The manager is another one from now on. */
void keeper_next_manager(struct MessageWelcome *ret_welcome);

#endif
