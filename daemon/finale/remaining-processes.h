/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remaining processes: waits after TERM, then sends KILL to the processes that still run.
 */
#ifndef SVCD_FINALE_REMAINING_PROCESSES_H
#define SVCD_FINALE_REMAINING_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct Finale {
	bool is_user; /* end only processes that descend from the keeper, which is our parent */
	/* the directory in which each service has its cgroup; "": there are no cgroups */
	const char *cgroup_root;
	const pid_t *spared; /* loggers and the console's writer: they end by themselves */
	size_t n_spared;
};

/*
 * Waits for processes to end, then kills the rest. PID 1 has sent TERM already. A user's keeper has
 * not, so TERM is sent here. Bounded in time.
 */
void remaining_processes_end(const struct Finale *finale);

#endif
