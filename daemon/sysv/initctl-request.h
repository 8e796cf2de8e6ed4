/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One record of /run/initctl, and what it asks for. Pure: bytes in, a request or an error out.
 */
#ifndef SVCD_SYSV_INITCTL_REQUEST_H
#define SVCD_SYSV_INITCTL_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "protocol/initctl-protocol.h"

typedef enum InitctlAsk {
	ASK_NOTHING,  /* understood, and without a meaning for us */
	ASK_RUNLEVEL, /* @runlevel */
	ASK_RELOAD,   /* telinit q */
	ASK_REEXEC,   /* telinit u */
	ASK_POWER_FAIL,
	ASK_POWER_FAIL_NOW,
	ASK_POWER_OK,
	ASK_HALT_KIND, /* @is_halt: how the next runlevel 0 ends */
} InitctlAsk;

typedef struct InitctlMeaning {
	InitctlAsk ask;
	char runlevel[2]; /* "0" to "9"; s and S are 1, one user, as a tool means them */
	bool is_halt;     /* ASK_HALT_KIND: with the power left on */
} InitctlMeaning;

/**
 * initctl_request_read() - what @record asks for
 * Returns: false with @error (INVALID_ARGUMENT for a record that no tool sends, NOT_SUPPORTED for runlevels a, b and c);
 * @ret is then untouched.
 */
bool initctl_request_read(const struct InitctlRequest *record, InitctlMeaning *ret, GError **error);

#endif
