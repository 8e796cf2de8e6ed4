/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Burst: how often in a row a name was taken only to refuse its calls.
 */
#ifndef SVCD_SVC_ACTIVATE_BURST_H
#define SVCD_SVC_ACTIVATE_BURST_H

#include <stdbool.h>

/**
 * burst_allows() - may @name be taken once more, only to refuse its calls?
 *
 * Whoever watches the name sees an owner come and go. Some clients then call again at once (GDBusObjectManagerClient does), and
 * would for ever. The first BURST_MAX calls are allowed, with less than BURST_GAP_S between them. Counted in a file below /run/svcd;
 * where it cannot be written, always.
 */
bool burst_allows(const char *name);

#endif
