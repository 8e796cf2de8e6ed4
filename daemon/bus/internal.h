/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal: the functions of bus.c that the interfaces of this component use.
 */
#ifndef SVCD_BUS_INTERNAL_H
#define SVCD_BUS_INTERNAL_H

#include "bus/rows.h"

const BusOps *bus_ops(const Bus *bus);
void *bus_ops_data(const Bus *bus);

BusInfo bus_info(const Bus *bus);

/*
 * /etc/machine-id, read when the bus was made, because a later read may block. "" if the first boot
 * has not written it yet.
 */
const char *bus_machine_id(const Bus *bus);

struct Conditions *bus_conditions(const Bus *bus);

struct Answers *bus_answers(const Bus *bus);

/* The cgroup of a service, borrowed, or NULL. */
const char *bus_cgroup(const Bus *bus, const char *service);
/* BusOps.is_socket_open */
bool bus_socket_is_open(const Bus *bus, const char *service, unsigned entry,
			const char **ret_problem);

/* A client has subscribed. */
void bus_listener_came(Bus *bus);

#endif
