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

/* Runs around each test of a case. When a test begins, the manager has received all messages. */
void keeper_set_up(void);
/* Like keeper_set_up(), with a keeper that pings every 100 ms. */
void keeper_set_up_hasty(void);
void keeper_tear_down(void);

/* Spawns and waits for the answer. */
struct MessageSpawned keeper_spawn(const char *service, uint64_t invocation,
				   const char *const *argv, const char *note);
/* Fills @state as an earlier keeper of a user, with the same manager, would leave it. */
void keeper_fill_state(struct Keeper *state);
/* Switches to the next manager. */
void keeper_next_manager(struct MessageWelcome *ret_welcome);

#endif
