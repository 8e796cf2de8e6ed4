/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as the file of durations: refused with a reason, or kept without loss, and updated.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "boot/durations.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(const Durations *durations)
{
	g_autofree char *text = durations_format(durations);
	g_autoptr(Durations) again = durations_parse(text, strlen(text), NULL);
	g_autofree char *text_again = again ? durations_format(again) : NULL;

	g_assert_cmpstr(text, ==, text_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Durations) durations = NULL;

	if (size > LIMIT_DURATIONS_BYTES)
		return 0;
	durations = durations_parse((const char *)data, size, &error);
	g_assert((durations == NULL) == (error != NULL));
	if (!durations)
		return 0;
	check_round_trip(durations);
	durations_learn(durations, "x", (Duration){ INT64_MAX, -1 });
	durations_learn_boot(durations, 1, 2);
	check_round_trip(durations);
	g_assert(durations_expect(durations, "unheard of").start_us >= 0);
	return 0;
}
