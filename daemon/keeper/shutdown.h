/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown: handles requests that arrive as signals, and completes a shutdown that the manager
 * began but does not finish. The finale (finale.c) ends all processes and shuts down the machine.
 */
#ifndef SVCD_KEEPER_SHUTDOWN_H
#define SVCD_KEEPER_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/protocol.h"

/* Turns a signal of the signalfd into a request to the manager, if the signal has a meaning. */
void shutdown_on_signal(int signo, uint64_t now_us);

/* Returns: what PID 1 does by itself after this signal, if there is no manager. */
enum ShutdownKind shutdown_kind_of_signal(int signo);

/*
 * Before a re-exec: repeats the signals that no manager has acted on, by sending them to this
 * process. They stay pending for the next image.
 */
void shutdown_signal_again(void);

/* The manager begins a shutdown, or cancels it (SHUTDOWN_NONE). The earliest deadline applies. */
void shutdown_begin(uint32_t kind, uint32_t deadline_ms, uint64_t now_us);

/* A manager died. At the third death during a shutdown, PID 1 completes the shutdown itself. */
void shutdown_on_manager_failure(void);

enum ShutdownKind shutdown_kind(void);
uint32_t shutdown_left_ms(uint64_t now_us);

/* Acts on deadlines that have passed. */
void shutdown_tick(uint64_t now_us);
uint64_t shutdown_next_us(void);

/**
 * finale_run() - end all processes and call reboot(2); in user mode: end our services and exit
 *
 * Bounded in time, whatever hangs. Reports what it does on the console.
 */
void finale_run(enum ShutdownKind kind, const char *reason) __attribute__((noreturn));

/* sync(2) in a child, for a few seconds at most: a disk may never answer. */
void finale_sync(void);

/* Calls reboot(2), or exits in a container that refuses it, with no other steps. */
void finale_end_machine(enum ShutdownKind kind) __attribute__((noreturn));

#endif
