/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deadline: the time limit of a unit test's waits. It ends hanging tests and measures nothing. So
 * it is long enough for a sanitized program on a machine with ten times its normal load.
 */
#ifndef SVCD_TESTS_LIB_DEADLINE_H
#define SVCD_TESTS_LIB_DEADLINE_H

#define DEADLINE_S 100
#define DEADLINE_MS (DEADLINE_S * 1000)
#define DEADLINE_US (DEADLINE_S * 1000000LL)

#endif
