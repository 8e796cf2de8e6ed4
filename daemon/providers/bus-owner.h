/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus owners: the owners of names on the system bus, for the providers that use them.
 *
 * A name is owned, known to have no owner, or unknown (no bus, or no answer yet). All names are
 * checked again after every connection. A call without an answer is repeated after a growing delay.
 * If a name was owned when the bus went away, it stays unknown for a few seconds after the bus
 * returns. So its owner has time to return, too.
 */
#ifndef SVCD_PROVIDERS_BUS_OWNER_H
#define SVCD_PROVIDERS_BUS_OWNER_H

#include "loop/system-bus.h"
#include "model/key.h"

typedef struct BusOwners BusOwners; /* all names that one provider watches */
typedef struct BusOwner BusOwner; /* one name */

/* @bus: borrowed; outlives it. Free every BusOwner first. */
BusOwners *bus_owners_new(SystemBus *bus);
void bus_owners_free(BusOwners *owners);

/**
 * bus_owner_new() - watch a well-known or unique name that @owners does not contain yet
 * @name: copied
 * @changed: called in later turns when the level or the owner changes, when a call of
 * bus_owner_query() ends, and when the reason for an unknown level changes; may free this owner,
 * and no other
 */
BusOwner *bus_owner_new(BusOwners *owners, const char *name, void (*changed)(void *data),
			void *data);
void bus_owner_free(BusOwner *owner); /* NULL is allowed */

/* Calls GetNameOwner again; @changed is called in any case. */
void bus_owner_query(BusOwner *owner);

/* True: the name is owned; false: it has no owner. */
Level bus_owner_level(const BusOwner *owner);
/* ":1.42"; NULL unless the level is true. */
const char *bus_owner_unique_name(const BusOwner *owner);
/* The reason for an unknown level; only for that level. */
const char *bus_owner_why_unknown(const BusOwner *owner);

#endif
