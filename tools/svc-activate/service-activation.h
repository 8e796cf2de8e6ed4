/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service activation: sends one request to svcd on its private socket, and waits for the result.
 */
#ifndef SVCD_ACTIVATE_SERVICE_ACTIVATION_H
#define SVCD_ACTIVATE_SERVICE_ACTIVATION_H

#include "svc-activate/activation-error.h"

typedef enum ActivationVerdict {
	VERDICT_UP,
	VERDICT_REFUSED, /* svcd refuses */
	VERDICT_FAILED, /* the service failed, or waits for a condition that will not change soon */
	VERDICT_LOST, /* the manager ended meanwhile, or accepted no connection: ask again */
} ActivationVerdict;

/**
 * service_activate() - ask svcd to start the owner of a bus name, and wait
 * @holder: our own unique name on the system bus, or ""; a bus name that we own ourselves does not
 * count
 * @ret_refusal: set for VERDICT_REFUSED and VERDICT_FAILED
 */
ActivationVerdict service_activate(const char *bus_name, const char *holder,
				   ActivationError *ret_refusal);

#endif
