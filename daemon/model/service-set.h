/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All services of a machine, by name, and what follows from looking at them together.
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

/* Takes @def. A name that is there already is replaced. */
void service_set_add(ServiceSet *set, ServiceDef *def);

/* By name, or by a further name from Provides= (without "$"). NULL if there is none. */
ServiceDef *service_set_find(const ServiceSet *set, const char *name);
unsigned service_set_length(const ServiceSet *set);

/* All definitions in the order of their names; the array is the set's own. */
GPtrArray *service_set_list(const ServiceSet *set);

/* The services whose Provides= names @facility ("$network"): ServiceDef *, or NULL. */
const GPtrArray *service_set_facility(const ServiceSet *set, const char *facility);

/* Does it own @bus_name on the system bus, by its Ready=dbus: or BusName=? */
bool service_owns_bus_name(const ServiceDef *def, const char *bus_name);

/* The service that a call to @bus_name starts: the first of them by name, or NULL. */
ServiceDef *service_set_find_bus_name(const ServiceSet *set, const char *bus_name);

#endif
