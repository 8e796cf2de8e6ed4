/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own jobs: scripts that svcd does not run, because they would shut down the machine or undo svcd's
 * work.
 */
#ifndef SVCD_LSB_COMPAT_OWN_JOBS_H
#define SVCD_LSB_COMPAT_OWN_JOBS_H

#include <stddef.h>

typedef struct LsbOwnJob {
	const char *file; /* in /etc/init.d */
	/*
	 * with this service the script has nothing to do; without it the script is run; NULL: never
	 * run
	 */
	const char *native;
	/*
	 * Ordering against the script means ordering against this facility of svcd's own services.
	 * NULL: such ordering is ignored.
	 */
	const char *stands_for;
	const char *reason;
} LsbOwnJob;

/* Returns: its row, or NULL. */
const LsbOwnJob *lsb_own_job_find(const char *file);

/* Returns: the row of this number, NULL behind the last. */
const LsbOwnJob *lsb_own_job_at(size_t index);

#endif
