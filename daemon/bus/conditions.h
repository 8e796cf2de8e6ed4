/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: what clients are told of them. Those that services look at are all told; a client may name further ones.
 */
#ifndef SVCD_BUS_CONDITIONS_H
#define SVCD_BUS_CONDITIONS_H

#include "bus/rows.h"

typedef struct Conditions Conditions;

/* @engine, @ops: borrowed. */
Conditions *conditions_new(const Engine *engine, const BusOps *ops, void *data);
void conditions_free(Conditions *conditions);

/**
 * conditions_watch() - svcd looks at @text from now on, for @client; again is once
 * @text:      as a person writes it
 * @ret_level: the present one, unknown while its provider has not answered
 * @ret_why:   borrowed, may be NULL
 * Returns: false with INVALID_ARGUMENT, NO_SUCH_SERVICE, or LIMIT_REACHED.
 */
bool conditions_watch(Conditions *conditions, BusClient *client, const char *text, Level *ret_level,
		      const char **ret_why, GError **error);

/* The opposite; nothing when @client does not watch it. False with INVALID_ARGUMENT. */
bool conditions_unwatch(Conditions *conditions, BusClient *client, const char *text, GError **error);

/* Does @client watch anything? */
bool conditions_has_client(const Conditions *conditions, const BusClient *client);

/* @client is about to be freed. */
void conditions_forget_client(Conditions *conditions, BusClient *client);

/* Remembered until conditions_tell(). */
void conditions_set_level(Conditions *conditions, const char *key, Level level, const char *why);

/**
 * conditions_tell() - one ConditionChanged for each condition that changed since the last call; after each change of the
 * engine, for services that are watched
 * @broadcast: to all who are subscribed, NULL: nobody is; those who watch and are not subscribed are told here
 */
void conditions_tell(Conditions *conditions, void (*broadcast)(void *data, DBusMessage *message), void *data);

/* a(ssstasass): all that services look at. */
void conditions_append(Conditions *conditions, DBusMessageIter *out);

#endif
