/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal: what the interfaces of this room ask of bus.c.
 */
#ifndef SVCD_BUS_INTERNAL_H
#define SVCD_BUS_INTERNAL_H

#include "bus/rows.h"

/* The callbacks and their first argument. */
const BusOps *bus_ops(const Bus *bus);
void *bus_ops_data(const Bus *bus);

BusInfo bus_info(const Bus *bus);

/* /etc/machine-id as it was when the bus began: a look-up in /etc may wait. "" while the first boot has not written it. */
const char *bus_machine_id(const Bus *bus);

/* What clients are told of conditions; bus/conditions.h. */
struct Conditions *bus_conditions(const Bus *bus);

/* Answers that come later; bus/answers.h. */
struct Answers *bus_answers(const Bus *bus);

/* The cgroup of a service, or NULL; borrowed. */
const char *bus_cgroup(const Bus *bus, const char *service);
/* BusOps.is_socket_open */
bool bus_socket_is_open(const Bus *bus, const char *service, unsigned entry, const char **ret_problem);

/* Somebody who is to be told has come. */
void bus_listener_came(Bus *bus);

#endif
