/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels: a set of runlevels, 0 to 6 and S, as a bit mask: bit N is runlevel N.
 */
#ifndef SVCD_LSB_COMPAT_LEVELS_H
#define SVCD_LSB_COMPAT_LEVELS_H

#include <stdbool.h>

#define LSB_LEVEL_COUNT 8
#define LSB_LEVEL_S (1u << 7)
/* The runlevels in which everything stops. */
#define LSB_LEVELS_END (1u << 0 | 1u << 6)
/* The runlevels in which services start. */
#define LSB_LEVELS_UP (LSB_LEVEL_S | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5)

/* "2", "S", "s" */
bool lsb_level_parse(const char *token, unsigned *ret_bit);

/* The letter of bit @number: '0' to '6', 'S'. */
char lsb_level_letter(unsigned number);

/* "S 2 3", a new string. */
char *lsb_levels_format(unsigned levels);

#endif
