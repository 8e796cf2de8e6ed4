/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: what members of a group in Operators= of a service may do without polkit: start, stop, restart, reload, clear and signal it,
 * and nothing that reaches further.
 */
#ifndef SVCD_BUS_OPERATE_H
#define SVCD_BUS_OPERATE_H

#include "bus/rows.h"

/**
 * operate_is_allowed() - may @client do what @call asks for, because it operates all services that are concerned?
 * @call:  of a row with ACCESS_OPERATE
 * @error: set only when it operates the service that is named, with NOT_AUTHORIZED and the other one that it does not, or
 *         LIMIT_REACHED
 *
 * Those are the one that is named and all that the request may end (engine_reach()). What it needs is started with it, as
 * policy has it. May read files, for an instance of a template that is not known yet.
 */
bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client, DBusMessage *call, GError **error);

#endif
