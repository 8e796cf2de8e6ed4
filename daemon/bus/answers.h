/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answers: those that come later than the turn of their call. Whoever is to give one has a ticket, and need not know whether
 * the client is still there.
 */
#ifndef SVCD_BUS_ANSWERS_H
#define SVCD_BUS_ANSWERS_H

#include "bus/rows.h"

typedef struct Answers Answers;

Answers *answers_new(void);
void answers_free(Answers *answers); /* NULL is nothing; nobody is answered */

/* @client will get an answer to @call; its present grant is kept. Returns: the ticket, never 0. */
uint64_t answers_promise(Answers *answers, BusClient *client, DBusMessage *call);
/* Somebody else answers this call. */
void answers_forget(Answers *answers, uint64_t ticket);

/* Of tickets whose client has left nothing is known any more; that is no mistake. */
void answers_give_change(Answers *answers, uint64_t ticket, unsigned exit, const char *output);
void answers_refuse(Answers *answers, uint64_t ticket, const GError *error);

/* The caller of this gives the answer. Returns: a new reference, NULL if no client waits any more. */
DBusMessage *answers_take(Answers *answers, uint64_t ticket, BusClient **ret_client, Grant *ret_grant);

bool answers_has_client(const Answers *answers, const BusClient *client);
void answers_forget_client(Answers *answers, const BusClient *client);

#endif
