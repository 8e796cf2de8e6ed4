/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Burst: counts how often in a row a name was taken only to refuse its calls.
 */
#ifndef SVCD_SVC_ACTIVATE_BURST_H
#define SVCD_SVC_ACTIVATE_BURST_H

#include <stdbool.h>

/**
 * burst_allows() - may @name be taken once more, only to refuse its calls?
 *
 * Clients that watch the name see an owner come and go. Some then call again at once
 * (GDBusObjectManagerClient does), which would never end. The first BURST_MAX take-overs are
 * allowed, with less than BURST_GAP_S between them. They are counted in a file below /run/svcd. If
 * it cannot be written, the result is always true.
 */
bool burst_allows(const char *name);

#endif
