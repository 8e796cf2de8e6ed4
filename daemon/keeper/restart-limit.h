/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart limit: how long to wait before the next manager, and with how little to start it.
 *
 * A death counts as a failure if the manager had not settled, that is, had not answered a ping that
 * followed its replay. Then the data that it was given may be the cause. After three failures the
 * next managers get no notes, after three more no local files, and after three more the rescue
 * shell comes and retries become slower (docs/keeper.md).
 */
#ifndef SVCD_KEEPER_RESTART_LIMIT_H
#define SVCD_KEEPER_RESTART_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct ManagerDeath {
	int wait_status;
	bool killed_by_us;
	bool was_settled;
	uint64_t settled_for_us;
	bool was_asked_for; /* out: it exited to be replaced */
};

/* Returns: how long to wait before the next start, in microseconds. */
uint64_t restart_limit_on_death(struct ManagerDeath *death, uint64_t now_us);

/* A manager has settled: its data does not kill it. */
void restart_limit_on_settled(void);

/*
 * The rescue shell has ended, and its user may have repaired the cause. The next manager gets
 * everything again.
 */
void restart_limit_forget(void);

/* Returns: WELCOME_WITHOUT_NOTES and WELCOME_WITHOUT_LOCAL_FILES, depending on the level. */
uint32_t restart_limit_welcome_flags(void);

bool restart_limit_is_rescue(void);

#endif
