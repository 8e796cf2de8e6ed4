/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * End later: a timed shutdown by shutdown(8), which warns all logged-in users and waits in the
 * background.
 */
#ifndef SVCD_SVCCTL_END_LATER_H
#define SVCD_SVCCTL_END_LATER_H

#include "svcctl/svcctl.h"

/* --at: true once shutdown(8) waits. */
bool end_later_begin(Context *context, GError **error);

/* --cancel */
bool end_later_cancel(Context *context, GError **error);

/*
 * The pending shutdown and its time, as shutdown(8) wrote it; a new string, NULL if there is none.
 */
char *end_later_pending(void);

#endif
