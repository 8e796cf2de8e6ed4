/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown: the requests that arrive as signals, and the deadman: a shutdown that the manager has begun is finished
 * by the keeper if the manager does not.
 */
#ifndef SVCD_KEEPER_SHUTDOWN_H
#define SVCD_KEEPER_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* A signal of the signalfd: becomes a request to the manager. Returns: false if it is none of these. */
bool shutdown_on_signal(int signo, uint64_t now_us);

/* Before we execute ourselves: what no manager has taken up yet is signalled to us again, and waits there for the next image. */
void shutdown_signal_again(void);

/* The manager begins a shutdown, or takes it back (SHUTDOWN_NONE). The earliest deadline holds. */
void shutdown_begin(uint32_t kind, uint32_t deadline_ms, uint64_t now_us);

/* A manager died; the third one during a shutdown ends the machine. */
void shutdown_on_manager_failure(void);

enum ShutdownKind shutdown_kind(void);
uint32_t shutdown_left_ms(uint64_t now_us);

/* Acts on deadlines that have passed; the next one. */
void shutdown_tick(uint64_t now_us);
uint64_t shutdown_next_us(void);

#endif
