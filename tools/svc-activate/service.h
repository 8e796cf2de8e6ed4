/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service: sends one request to svcd on its private socket, and waits for the result.
 */
#ifndef SVCD_ACTIVATE_SERVICE_H
#define SVCD_ACTIVATE_SERVICE_H

#include "svc-activate/refusal.h"

typedef enum Verdict {
	VERDICT_UP,
	VERDICT_REFUSED, /* svcd refuses */
	VERDICT_FAILED,  /* it has failed, or waits for a condition that will not change soon */
	VERDICT_LOST,    /* the manager went away meanwhile, or accepted no connection: ask again */
} Verdict;

/**
 * service_activate() - have the owner of a bus name started, and wait
 * @stand_in: our own unique name on the system bus, whose names do not count; "" if there is none
 * @ret_refusal: set for VERDICT_REFUSED and VERDICT_FAILED
 */
Verdict service_activate(const char *bus_name, const char *stand_in, Refusal *ret_refusal);

#endif
