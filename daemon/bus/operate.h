/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: the rights of the members of a group in Operators= of a service. Without polkit they may
 * start, stop, restart, reload, clear and signal the service, and do nothing that affects others.
 */
#ifndef SVCD_BUS_OPERATE_H
#define SVCD_BUS_OPERATE_H

#include "bus/rows.h"

/**
 * operate_is_allowed() - may @client make @call, because it operates all affected services?
 * @call: its row has ACCESS_OPERATE or ACCESS_LOG
 * @error: set only if @client operates the named service: NOT_AUTHORIZED with the other service, or
 * LIMIT_REACHED
 *
 * The affected services are the named one and all that the request may end (engine_impact()). The
 * services that the named one needs are started with it by policy, and require no right. May read
 * files, for an instance of a template that is not known yet.
 */
bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client,
			DBusMessage *call, GError **error);

#endif
