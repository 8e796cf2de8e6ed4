/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: publishes conditions on the bus. Subscribers get every condition that services use; a
 * client may watch other conditions, too.
 */
#ifndef SVCD_BUS_CONDITIONS_H
#define SVCD_BUS_CONDITIONS_H

#include "bus/rows.h"

typedef struct Conditions Conditions;

/* @engine, @ops: borrowed. */
Conditions *conditions_new(const Engine *engine, const BusOps *ops, void *data);
void conditions_free(Conditions *conditions);

/**
 * conditions_watch() - watch the condition @text for @client; a second watch has no effect
 * @text: as a user writes it
 * @ret_level: the present level, unknown until its provider has answered
 * @ret_why: borrowed, may be NULL
 * Returns: false with INVALID_ARGUMENT, NO_SUCH_SERVICE, or LIMIT_REACHED.
 */
bool conditions_watch(Conditions *conditions, BusClient *client, const char *text, Level *ret_level,
		      const char **ret_why, GError **error);

/* Ends a watch. Does nothing if @client has none. Returns: false with INVALID_ARGUMENT. */
bool conditions_unwatch(Conditions *conditions, BusClient *client, const char *text,
			GError **error);

bool conditions_has_client(const Conditions *conditions, const BusClient *client);

/* @client is about to be freed. */
void conditions_forget_client(Conditions *conditions, BusClient *client);

/* Queued until conditions_send(). */
void conditions_set_level(Conditions *conditions, const char *key, Level level, const char *why);

/**
 * conditions_send() - send one ConditionChanged for each condition that changed since the last call
 *
 * Called after each change of the engine, because of watched services.
 * @broadcast: sends to all subscribers; NULL: there are none. Clients that watch without a
 * subscription are served here.
 */
void conditions_send(Conditions *conditions, void (*broadcast)(void *data, DBusMessage *message),
		     void *data);

/* Appends a(ssstasass): the conditions that services use or clients watch. */
void conditions_append(Conditions *conditions, DBusMessageIter *out);

/* Appends the due: conditions in use, sorted, with their times: "a(sstt)". */
void conditions_append_timers(Conditions *conditions, DBusMessageIter *out);

#endif
