/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Initctl: the FIFO /run/initctl, on which tools of SysV init request runlevels. This file reads
 * records and passes the requests to a callback.
 */
#ifndef SVCD_SYSV_INITCTL_H
#define SVCD_SYSV_INITCTL_H

#include <glib.h>
#include <stdbool.h>

#include "sysv/initctl-request.h"

/**
 * initctl_open() - make the FIFO at @path if it does not exist, and open it
 *
 * The mode of the FIFO is 0, so that only a process with CAP_DAC_OVERRIDE can open it: any process
 * that has it open could hold its lock and block the manager. It is opened for both directions, so
 * that it always has a reader and never ends.
 * Returns: the descriptor; -1 with @error.
 */
int initctl_open(const char *path, GError **error);

typedef struct Initctl Initctl;

/**
 * initctl_new() - call @on_request for each request
 * @fd: taken
 */
Initctl *initctl_new(int fd, void (*on_request)(void *data, const InitctlMeaning *meaning),
		     void *data);
void initctl_free(Initctl *initctl); /* NULL is allowed */

#endif
