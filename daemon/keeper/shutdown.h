/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown: requests that arrive as signals, and the deadman: PID 1 completes a shutdown that the
 * manager began but does not end.
 */
#ifndef SVCD_KEEPER_SHUTDOWN_H
#define SVCD_KEEPER_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/protocol.h"

/*
 * Turns a signal of the signalfd into a request to the manager. Returns: false if the signal has no
 * meaning.
 */
bool shutdown_on_signal(int signo, uint64_t now_us);

/*
 * Before a re-exec: sends us the signals again that no manager has acted on. They stay pending for
 * the next image.
 */
void shutdown_signal_again(void);

/* The manager begins a shutdown, or cancels it (SHUTDOWN_NONE). The earliest deadline counts. */
void shutdown_begin(uint32_t kind, uint32_t deadline_ms, uint64_t now_us);

/* A manager died. The third death during a shutdown ends the machine. */
void shutdown_on_manager_failure(void);

enum ShutdownKind shutdown_kind(void);
uint32_t shutdown_left_ms(uint64_t now_us);

/* Acts on deadlines that have passed. Returns: the next one. */
void shutdown_tick(uint64_t now_us);
uint64_t shutdown_next_us(void);

#endif
