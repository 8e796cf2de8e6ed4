/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Screen: full use of a terminal. It is restored however the program ends (except by SIGKILL).
 */
#ifndef SVCD_SVCCTL_SCREEN_H
#define SVCD_SVCCTL_SCREEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Are both input and output terminals that know escape sequences? */
bool screen_is_possible(void);

/**
 * screen_open() - switch to the alternate screen, and read keys without a line feed; once per program
 *
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and the signals of crashes restore the terminal before they end
 * the program.
 */
bool screen_open(GError **error);
void screen_close(void);

/* The present rows and columns. */
void screen_size(unsigned *ret_rows, unsigned *ret_columns);

/* Draws as many lines of @text as fit, from the top; the rest is empty. */
void screen_draw(const char *text);

/*
 * The next key; 0: none until @deadline_us of CLOCK_MONOTONIC, or the size changed; -1: the
 * terminal is gone.
 */
int screen_key(int64_t deadline_us);

#endif
