/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flag owners: the names on the system bus that own flags ("org.example.Weather" of
 * "org.example.Weather/rain"), and whether a connection that owned such a name still does.
 *
 * Each bus daemon counts unique names from the start. So a connection is identified by its unique
 * name and the id of the bus.
 */
#ifndef SVCD_PROVIDERS_FLAG_OWNER_H
#define SVCD_PROVIDERS_FLAG_OWNER_H

#include "loop/system-bus.h"
#include "model/key.h"

typedef struct FlagOwners FlagOwners;

/* @changed: called in later turns; the level of @bus_name may have changed. */
FlagOwners *flag_owners_new(SystemBus *bus, void (*changed)(void *data, const char *bus_name),
			    void *data);
void flag_owners_free(FlagOwners *owners);

/* Watches are counted. Only the owners of watched names are known. */
void flag_owners_watch(FlagOwners *owners, const char *bus_name);
void flag_owners_unwatch(FlagOwners *owners, const char *bus_name);

/**
 * flag_owners_level() - does the connection @unique_name of the bus @bus_id own @bus_name now?
 *
 * With "" for @unique_name: false if the owner is known, or if there is none.
 * Returns: unknown while the bus is away, or has not answered.
 */
Level flag_owners_level(const FlagOwners *owners, const char *bus_name, const char *unique_name,
			const char *bus_id);

/* The id of the present bus; "" while it is not known. */
const char *flag_owners_bus_id(const FlagOwners *owners);

#endif
