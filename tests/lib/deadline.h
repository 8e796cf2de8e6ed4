/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deadline: how long a unit test waits for what must happen. It ends tests that hang and measures nothing, so it is long enough for a
 * sanitized program on a machine that has ten times as much to do as it can.
 */
#ifndef SVCD_TESTS_LIB_DEADLINE_H
#define SVCD_TESTS_LIB_DEADLINE_H

#define DEADLINE_S 100
#define DEADLINE_MS (DEADLINE_S * 1000)
#define DEADLINE_US (DEADLINE_S * 1000000LL)

#endif
