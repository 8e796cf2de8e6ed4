/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart limit: crash-only must not mean crash for ever: judges the deaths of managers.
 *
 * A death is a strike if the manager had not settled, that is, not yet answered a ping sent after its replay: then
 * what it is given may be what kills it. Three strikes: the next ones get no notes; three more: no local files; three
 * more: rescue, and retries that grow slower. Why so: docs/keeper.md.
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
	bool was_asked_for; /* out: it left in order to be replaced */
};

/* Returns: how long to wait before the next start, in microseconds. */
uint64_t restart_limit_on_death(struct ManagerDeath *death, uint64_t now_us);

/* A manager has settled: what it was given does not kill it. */
void restart_limit_on_settled(void);

/* Somebody left the rescue shell, and has mended what was wrong, perhaps: the next one gets everything again. */
void restart_limit_forget(void);

/* WELCOME_WITHOUT_NOTES, WELCOME_WITHOUT_LOCAL_FILES as the strikes ask. */
uint32_t restart_limit_welcome_flags(void);

bool restart_limit_is_rescue(void);

#endif
