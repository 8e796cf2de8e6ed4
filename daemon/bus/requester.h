/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requester: who asks, for the records of causes.
 */
#ifndef SVCD_BUS_REQUESTER_H
#define SVCD_BUS_REQUESTER_H

#include "engine/engine.h"

/* Fills in the command from /proc, which keeps nobody waiting. For display only: the process may be another by now. */
void requester_read_command(Requester *who);

#endif
