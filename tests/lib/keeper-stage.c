/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper stage: a real keeper (svcd --user) for each test of a case, and the test as its manager.
 */
#include "config.h"

#include "tests/lib/keeper-stage.h"

#include <check.h>
#include <stdio.h>
#include <sys/resource.h>

KeeperRun run;
Manager manager;

const char *const sleep_argv[] = { "/bin/sleep", "1000", NULL };
const char *const exit7_argv[] = { "/bin/sh", "-c", "exit 7", NULL };

void keeper_set_up(void)
{
	keeper_run_start(&run, 0);
	manager_accept_replayed(&run, &manager, NULL);
}

void keeper_set_up_hasty(void)
{
	keeper_run_start(&run, 100);
	manager_accept_replayed(&run, &manager, NULL);
}

void keeper_tear_down(void)
{
	manager_drop(&manager);
	keeper_run_stop(&run);
}

struct MessageSpawned keeper_spawn(const char *service, uint64_t invocation,
				   const char *const *argv, const char *note)
{
	const Spawn s = { .service = service, .invocation = invocation, .argv = argv, .note = note };
	Message m;

	ck_assert(manager_spawn(&manager, &s));
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_str_eq(m.spawned.id.service, service);
	ck_assert_uint_eq(m.spawned.id.invocation, invocation);
	return m.spawned;
}

void keeper_next_manager(struct MessageWelcome *ret_welcome)
{
	Manager old = manager;

	manager_accept_replayed(&run, &manager, ret_welcome);
	manager_drop(&old);
}

void keeper_fill_state(struct Keeper *state)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	state->user_mode = true;
	state->ping_ms = PROTOCOL_PING_INTERVAL_MS;
	state->nofile_soft = limit.rlim_cur;
	state->nofile_hard = limit.rlim_max;
	state->n_arguments = 1;
	ck_assert_int_lt(snprintf(state->arguments[0], sizeof(state->arguments[0]), "%s",
				  run.socket_path),
			 (int)sizeof(state->arguments[0]));
	(void)keeper_run_manager(state->manager_path, sizeof(state->manager_path));
}
