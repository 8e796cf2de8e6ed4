/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus owners: who owns which name on the system bus, for the providers that look there.
 *
 * A name is owned, known to have no owner, or unknown (no bus, or no answer yet). Everything is asked again after every
 * connection, and a question that got no answer is repeated after a time that grows. A name that was owned when the bus
 * went stays unknown for some seconds after its return, until its owner is back, too.
 */
#ifndef SVCD_PROVIDERS_BUS_OWNER_H
#define SVCD_PROVIDERS_BUS_OWNER_H

#include "loop/system-bus.h"
#include "model/key.h"

typedef struct BusOwners BusOwners; /* all names that one provider looks at */
typedef struct BusOwner BusOwner;   /* one of them */

/* @bus: borrowed; outlives it. Free every BusOwner before. */
BusOwners *bus_owners_new(SystemBus *bus);
void bus_owners_free(BusOwners *owners);

/**
 * bus_owner_new() - look at a name, well-known or unique, that these owners do not have yet
 * @name:    copied
 * @changed: called in later turns: when level or owner is another, when a question of bus_owner_ask() is settled, and
 *           when the reason for not knowing is another; may free this owner, and no other
 */
BusOwner *bus_owner_new(BusOwners *owners, const char *name, void (*changed)(void *data), void *data);
void bus_owner_free(BusOwner *owner); /* NULL is nothing */

/* Ask anew; @changed is called in any case. */
void bus_owner_ask(BusOwner *owner);

/* True: it is owned; false: nobody owns it. */
Level bus_owner_level(const BusOwner *owner);
/* ":1.42"; NULL unless the level is true. */
const char *bus_owner_unique_name(const BusOwner *owner);
/* Why nobody knows; only of an unknown level. */
const char *bus_owner_why_unknown(const BusOwner *owner);

#endif
