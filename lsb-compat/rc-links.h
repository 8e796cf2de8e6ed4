/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rc links: the runlevels in which /etc/rc?.d starts and stops a script, and the numbers.
 */
#ifndef SVCD_LSB_COMPAT_RC_LINKS_H
#define SVCD_LSB_COMPAT_RC_LINKS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/levels.h"
#include "lsb-compat/tree.h"

/* The links of one script. */
typedef struct LsbLinks {
	unsigned start; /* levels with an S link */
	unsigned stop; /* levels with a K link */
	/* 0 to 99, by level; of those in @start only */
	unsigned char start_number[LSB_LEVEL_COUNT];
	unsigned char stop_number[LSB_LEVEL_COUNT];
} LsbLinks;

/**
 * lsb_rc_links_read() - all links of /etc/rc0.d to rc6.d and rcS.d
 *
 * A link counts for the file that it points to, which is what rc runs. Broken links and plain files
 * are ignored without a report.
 * Returns: a new table, name of the file in /etc/init.d -> LsbLinks *.
 */
GHashTable *lsb_rc_links_read(const LsbTree *tree);

#endif
