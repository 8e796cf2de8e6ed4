/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dry run: the services that a verb would stop and start, and the users that are logged in. It
 * changes nothing.
 */
#ifndef SVCD_SVCCTL_DRY_RUN_H
#define SVCD_SVCCTL_DRY_RUN_H

#include "engine/engine.h"
#include "svcctl/svcctl.h"

/**
 * dry_run_request() - of @verb and the names of the command line
 * Returns: false with the error that the request would get.
 */
bool dry_run_request(Context *context, RequestVerb verb, GError **error);

/*
 * Of the change to another runlevel. 0 and 6 end the machine, so the logged-in users are listed
 * too.
 */
void dry_run_runlevel(Context *context, const char *runlevel);

#endif
