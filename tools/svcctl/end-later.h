/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * End later: the end of the machine at a time, by shutdown(8), which warns all who are logged in
 * and waits in the background.
 */
#ifndef SVCD_SVCCTL_END_LATER_H
#define SVCD_SVCCTL_END_LATER_H

#include "svcctl/svcctl.h"

/* --at: true when shutdown(8) waits. */
bool end_later_begin(Context *context, GError **error);

/* --cancel */
bool end_later_cancel(Context *context, GError **error);

/* What waits, and until when, in the words of shutdown(8); a new string, NULL if nothing does. */
char *end_later_pending(void);

#endif
