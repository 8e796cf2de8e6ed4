/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finale: ends all processes, makes file systems safe, and ends the machine.
 */
#ifndef SVCD_KEEPER_FINALE_H
#define SVCD_KEEPER_FINALE_H

#include "protocol/protocol.h"

/**
 * finale_run() - end the machine; in user mode: end our services and exit
 *
 * Bounded in time, whatever hangs. Reports what it does on the console.
 */
void finale_run(enum ShutdownKind kind, const char *reason) __attribute__((noreturn));

/* sync(2) in a child, for a few seconds at most: a disk may never answer. */
void finale_sync(void);

/* reboot(2), or the exit that stands for it in a container, with nothing before it. */
void finale_end_machine(enum ShutdownKind kind) __attribute__((noreturn));

#endif
