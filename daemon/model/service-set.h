/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All services of a machine by name, and queries over all of them.
 */
#ifndef SVCD_MODEL_SERVICE_SET_H
#define SVCD_MODEL_SERVICE_SET_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/policy.h"
#include "model/service-def.h"

typedef struct ServiceSet ServiceSet;

ServiceSet *service_set_new(void);
void service_set_free(ServiceSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ServiceSet, service_set_free)

/* Takes @def, which replaces a service of the same name. */
void service_set_add(ServiceSet *set, ServiceDef *def);

/* By name, or by an alias from Provides= (without "$"). NULL if there is none. */
ServiceDef *service_set_find(const ServiceSet *set, const char *name);
unsigned service_set_length(const ServiceSet *set);

/* All definitions sorted by name. The array belongs to the set. */
GPtrArray *service_set_list(const ServiceSet *set);

/* The names of all services, borrowed, with NULL at the end; a new array. */
const char **service_set_names(const ServiceSet *set);

/* The services with @facility ("$network") in Provides=: ServiceDef *, or NULL. */
const GPtrArray *service_set_facility(const ServiceSet *set, const char *facility);

/* Does @def own @bus_name on the system bus, by its Ready=dbus: or BusName=? */
bool service_owns_bus_name(const ServiceDef *def, const char *bus_name);

/* The service that a call to @bus_name starts: the first one by name, or NULL. */
ServiceDef *service_set_find_bus_name(const ServiceSet *set, const char *bus_name);

#endif
