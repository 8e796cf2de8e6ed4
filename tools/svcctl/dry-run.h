/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dry run: what a verb would stop and start, and who is logged in. Nothing is changed.
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
 * Of the change to another runlevel; 0 and 6 end the machine, which concerns those who are logged
 * in, too.
 */
void dry_run_runlevel(Context *context, const char *runlevel);

#endif
