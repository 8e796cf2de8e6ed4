/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watchdog: feeds the device that resets a machine whose PID 1 hangs (docs/keeper.md).
 */
#ifndef SVCD_KEEPER_WATCHDOG_H
#define SVCD_KEEPER_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/**
 * watchdog_configure() - set the request
 * @request: "SECONDS", optionally ",manager" and ",/dev/NAME"; "0": no watchdog
 *
 * Returns: false for any other @request, which changes nothing.
 */
bool watchdog_configure(const char *request);

/* On a machine: reads the request from the kernel command line, unless there is one already. */
void watchdog_read_command_line(void);

/* Opens or feeds the device if it is time. @manager_is_well: link_is_well(). */
void watchdog_tick(uint64_t now_us, bool manager_is_well);
uint64_t watchdog_next_us(void);

/* Feeds the device during the finale, when there is no manager to depend on. */
void watchdog_feed_in_finale(void);

/*
 * The machine goes down now. A restart must end before the device's time has passed. For a
 * power-off the device is stopped, because the machine must stay off.
 */
void watchdog_end(bool is_restart);

/* For a re-exec: the request ("" if there is none), the open device or -1, and taking over both. */
const char *watchdog_request(void);
int watchdog_fd(void);
void watchdog_take_over(const char *request, int fd);

void watchdog_set_cloexec(bool on);

#endif
