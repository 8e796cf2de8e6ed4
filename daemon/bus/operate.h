/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: the rights of the members of a group in Operators= of a service. Without polkit they may
 * start, stop, restart, reload, clear and signal the service, unless that affects services that
 * they do not operate.
 */
#ifndef SVCD_BUS_OPERATE_H
#define SVCD_BUS_OPERATE_H

#include "bus/rows.h"

/**
 * operate_is_allowed() - may @client make @call, because it operates all affected services?
 * @call: its row has ACCESS_OPERATE or ACCESS_LOG
 * @error: set only if @client operates the named service: NOT_AUTHORIZED, which names another
 * affected service, or LIMIT_REACHED
 *
 * The affected services are the named one and all that the request may end (engine_impact()).
 * Policy starts the services that the named one needs, so these require no right. For an unknown
 * instance of a template, its file is read.
 */
bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client,
			DBusMessage *call, GError **error);

#endif
