/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Initctl: the fifo /run/initctl, on which tools made for SysV's init ask for runlevels. A front door like others: it
 * reads records, and its listener does what they ask.
 */
#ifndef SVCD_SYSV_INITCTL_H
#define SVCD_SYSV_INITCTL_H

#include <glib.h>
#include <stdbool.h>

#include "sysv/initctl-request.h"

/**
 * initctl_open() - make the fifo at @path if it is not there, and open it
 *
 * Its mode is 0, so that only a process with CAP_DAC_OVERRIDE opens it: any that has it open can hold its lock, and with it the manager.
 * It is opened for both directions, so that it always has a reader and never comes to its end.
 * Returns: the descriptor; -1 with @error.
 */
int initctl_open(const char *path, GError **error);

typedef struct Initctl Initctl;

/**
 * initctl_new() - call @ask for each request
 * @fd: takes it
 */
Initctl *initctl_new(int fd, void (*ask)(void *data, const InitctlMeaning *meaning), void *data);
void initctl_free(Initctl *initctl); /* NULL is nothing */

#endif
