/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Screen: what QEMU's standard graphics card shows, read from its memory (qemu: docs/specs/standard-vga.rst). */
#ifndef BENCH_SCREEN_H
#define BENCH_SCREEN_H

/**
 * screen_count_colours() - how many colours are to be seen in the middle of the screen
 * @limit: counting ends there
 *
 * The middle is the third fifth of its lines: a greeter has its users there, and clock, symbols and a bar of progress elsewhere.
 * The kernel needs "iomem=relaxed" where a driver has the card.
 *
 * Returns: 0 while there is no graphics mode.
 */
unsigned screen_count_colours(unsigned limit);

#endif
