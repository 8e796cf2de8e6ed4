/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: what members of a group in Operators= of a service may do without polkit: start, stop, restart, reload and clear it,
 * and nothing that reaches further.
 */
#ifndef SVCD_BUS_OPERATE_H
#define SVCD_BUS_OPERATE_H

#include "bus/rows.h"

/**
 * operate_is_allowed() - may @client do what @call asks for, because it operates all services that are concerned?
 * @call: of a row with ACCESS_OPERATE
 *
 * Those are the one that is named; for Stop with dependents and Restart all that go down with it; for Start and Restart what
 * runs and conflicts with it. What it needs is started with it, as policy has it.
 */
bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client, DBusMessage *call);

#endif
