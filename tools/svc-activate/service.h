/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service: one question to svcd, on its private socket, and the wait for what comes of it.
 */
#ifndef SVCD_ACTIVATE_SERVICE_H
#define SVCD_ACTIVATE_SERVICE_H

#include "svc-activate/refusal.h"

typedef enum Verdict {
	VERDICT_UP,
	VERDICT_REFUSED, /* svcd will not */
	VERDICT_FAILED,  /* it has failed, or waits for what is not about to change */
	VERDICT_LOST,    /* the manager went away meanwhile, or let nobody in: ask again */
} Verdict;

/**
 * service_activate() - have the owner of a bus name started, and wait
 * @stand_in:    our own unique name on the system bus, whose names do not count; "" if there is none
 * @ret_refusal: set for VERDICT_REFUSED and VERDICT_FAILED
 */
Verdict service_activate(const char *bus_name, const char *stand_in, Refusal *ret_refusal);

#endif
