/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dispatch: finds the row of a method call, and answers with the result of the row's handler.
 */
#ifndef SVCD_BUS_DISPATCH_H
#define SVCD_BUS_DISPATCH_H

#include "bus/rows.h"

/**
 * dispatch() - answer one message
 *
 * Messages that are not method calls get no answer. The answer is sent at once, unless the handler
 * promises a later answer.
 */
void dispatch(Bus *bus, const Engine *engine, BusClient *client, DBusMessage *message);

/* Repeats dispatch() after a promise: the rights were checked, and CheckCommand= has succeeded. */
void dispatch_checked(Bus *bus, const Engine *engine, BusClient *client, Grant grant,
		      DBusMessage *message);

/*
 * The access that the call's row requires. ACCESS_READ if there is no row, because dispatch() then
 * only reports an error.
 */
Access dispatch_access(const Engine *engine, DBusMessage *message);
/*
 * SetFlag: the bus name that the flag belongs to, a new string. NULL if the flag is the admin's, or
 * the arguments are wrong.
 */
char *dispatch_flag_owner(DBusMessage *message);

#endif
