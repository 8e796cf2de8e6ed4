/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Screen: a whole terminal for one program, given back as it was, however the program ends (but by SIGKILL).
 */
#ifndef SVCD_SVCCTL_SCREEN_H
#define SVCD_SVCCTL_SCREEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Are both sides a terminal that knows escape sequences? */
bool screen_is_possible(void);

/**
 * screen_open() - the other page of the terminal, keys without a line feed; once in a program
 *
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT and signals of errors give the terminal back before they end the program.
 */
bool screen_open(GError **error);
void screen_close(void);

/* Rows and columns now. */
void screen_size(unsigned *ret_rows, unsigned *ret_columns);

/* The lines of @text from the top, as much of them as there is room for; the rest is empty. */
void screen_draw(const char *text);

/* The next key, 0: none until @deadline_us of CLOCK_MONOTONIC, or the size changed, -1: nobody is there any more. */
int screen_key(int64_t deadline_us);

#endif
