/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watchdog: feeds the device that resets the machine when nobody feeds it any more (docs/keeper.md).
 */
#ifndef SVCD_KEEPER_WATCHDOG_H
#define SVCD_KEEPER_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* Longest request, with its NUL. */
#define WATCHDOG_REQUEST_BYTES 128

/**
 * watchdog_ask() - what is wanted
 * @request:  "SECONDS", then ",manager" and ",/dev/NAME" if so wished; "0": none
 *
 * Returns: false at anything else, which changes nothing.
 */
bool watchdog_ask(const char *request);

/* Of a machine: asks for what the kernel command line says, unless that was done already. */
void watchdog_learn(void);

/* Opens the device, feeds it: whatever is due. */
void watchdog_tick(uint64_t now_us);
uint64_t watchdog_next_us(void);

/* The same in the finale: there is no manager any more whom it could depend on. */
void watchdog_feed_in_finale(void);

/* The machine ends now. To a restart, the time that is left is the limit; who wants it off must not find it up again. */
void watchdog_end(bool is_restart);

/* For a re-exec: what is wanted ("" if nothing), the open device or -1, and taking over both. */
const char *watchdog_request(void);
int watchdog_fd(void);
void watchdog_take_over(const char *request, int fd);

/* Whether it is closed by an exec. */
void watchdog_set_cloexec(bool on);

#endif
