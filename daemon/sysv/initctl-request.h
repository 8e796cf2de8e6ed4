/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One record of /run/initctl, and the request in it. Pure: bytes in, a request or an error out.
 */
#ifndef SVCD_SYSV_INITCTL_REQUEST_H
#define SVCD_SYSV_INITCTL_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "protocol/initctl-protocol.h"

typedef enum InitctlAction {
	INITCTL_ACTION_NOTHING, /* a valid request without a meaning for svcd */
	INITCTL_ACTION_RUNLEVEL, /* @runlevel */
	INITCTL_ACTION_RELOAD, /* telinit q */
	INITCTL_ACTION_REEXEC, /* telinit u */
	INITCTL_ACTION_POWER_FAIL,
	INITCTL_ACTION_POWER_FAIL_NOW,
	INITCTL_ACTION_POWER_OK,
	INITCTL_ACTION_HALT_KIND, /* @is_halt: how the next runlevel 0 ends */
} InitctlAction;

typedef struct InitctlMeaning {
	InitctlAction action;
	char runlevel[2]; /* "0" to "9"; s and S become 1, single user, as the tools mean them */
	bool is_halt; /* INITCTL_ACTION_HALT_KIND: the power stays on */
} InitctlMeaning;

/**
 * initctl_request_read() - find the request in @record
 * Returns: false with @error (INVALID_ARGUMENT for a record that no tool sends, NOT_SUPPORTED for
 * runlevels a, b and c); @ret is unchanged then.
 */
bool initctl_request_read(const struct InitctlRequest *record, InitctlMeaning *ret, GError **error);

#endif
