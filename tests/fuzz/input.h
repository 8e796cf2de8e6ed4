/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Input: the bytes of a fuzz target's input, taken one by one. After the end they are zero.
 */
#ifndef SVCD_TESTS_FUZZ_INPUT_H
#define SVCD_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct Input {
	const uint8_t *bytes;
	size_t left;
} Input;

static inline uint8_t input_take(Input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->bytes++;
}

/* Mostly a small number; sometimes any number. */
static inline uint32_t input_take32(Input *in)
{
	const uint32_t high = input_take(in);

	return high < 0xf0 ? high : high << 24 | (uint32_t)input_take(in) << 8 | input_take(in);
}

#endif
