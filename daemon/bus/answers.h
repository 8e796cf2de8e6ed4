/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers: replies that are sent in a later turn of the main loop than the one that handled the
 * call. The component that will answer holds a ticket, and need not know whether the client is
 * still connected.
 */
#ifndef SVCD_BUS_ANSWERS_H
#define SVCD_BUS_ANSWERS_H

#include "bus/rows.h"

typedef struct Answers Answers;

Answers *answers_new(void);
void answers_free(Answers *answers); /* accepts NULL; open calls get no answer */

/*
 * Promises @client an answer to @call, and keeps the client's present grant. Returns: the ticket,
 * never 0.
 */
uint64_t answers_promise(Answers *answers, BusClient *client, DBusMessage *call);
/* Drops the promise. The call is answered elsewhere. */
void answers_forget(Answers *answers, uint64_t ticket);

/* Both do nothing if the client of @ticket has left. */
void answers_give_change(Answers *answers, uint64_t ticket, unsigned exit, const char *output);
void answers_refuse(Answers *answers, uint64_t ticket, const GError *error);

/*
 * Ends the promise. The caller answers the returned call. Returns: a new reference, or NULL if the
 * client has left.
 */
DBusMessage *answers_take(Answers *answers, uint64_t ticket, BusClient **ret_client,
			  Grant *ret_grant);

bool answers_has_client(const Answers *answers, const BusClient *client);
void answers_forget_client(Answers *answers, const BusClient *client);

#endif
