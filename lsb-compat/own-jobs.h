/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own jobs: scripts that svcd does not run, because they would end the machine or undo what svcd does itself.
 */
#ifndef SVCD_LSB_COMPAT_OWN_JOBS_H
#define SVCD_LSB_COMPAT_OWN_JOBS_H

#include <stddef.h>

typedef struct LsbOwnJob {
	const char *file; /* in /etc/init.d */
	/* With this service in place the script has nothing left to do, and is run without it; NULL: never run. */
	const char *native;
	/* Who names the script in order means this, which svcd's own services provide; NULL: it orders nothing. */
	const char *stands_for;
	const char *reason;
} LsbOwnJob;

/* Its row, or NULL. */
const LsbOwnJob *lsb_own_job_find(const char *file);

/* The row of that number, NULL behind the last. */
const LsbOwnJob *lsb_own_job_at(size_t index);

#endif
