/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rate limit: counts how often in a row a name was taken only to refuse its calls.
 */
#ifndef SVCD_SVC_ACTIVATE_RATE_LIMIT_H
#define SVCD_SVC_ACTIVATE_RATE_LIMIT_H

#include <stdbool.h>

/**
 * rate_limit_allows() - may @name be taken once more, only to refuse its calls?
 *
 * Clients that watch the name see an owner come and go. Some then call again at once
 * (GDBusObjectManagerClient does), so the calls would never end. The first RATE_LIMIT_MAX
 * take-overs of a burst are allowed. A burst ends after RATE_LIMIT_GAP_S without one. Take-overs
 * are counted in a file below /run/svcd. If it cannot be written, the result is always true.
 */
bool rate_limit_allows(const char *name);

#endif
