/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Screen: the picture of QEMU's standard graphics card, read from its memory (qemu:
 * docs/specs/standard-vga.rst).
 */
#ifndef BENCH_SCREEN_H
#define BENCH_SCREEN_H

/**
 * screen_count_colours() - the number of colours in the middle of the screen
 * @limit: counting ends there
 *
 * The middle is the third of five equal parts: a greeter shows its users there, and a clock,
 * symbols and a progress bar elsewhere. The kernel needs "iomem=relaxed" if a driver uses the card.
 *
 * Returns: 0 while there is no graphics mode.
 */
unsigned screen_count_colours(unsigned limit);

#endif
