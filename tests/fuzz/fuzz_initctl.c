/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as a record of /run/initctl.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sysv/initctl-request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct InitctlRequest record = { .magic = 0 };
	InitctlMeaning meaning = { .action = INITCTL_ACTION_NOTHING };
	g_autoptr(GError) error = NULL;

	memcpy(&record, data, MIN(size, sizeof record));
	if (!initctl_request_read(&record, &meaning, &error)) {
		g_assert(error && meaning.action == INITCTL_ACTION_NOTHING);
		return 0;
	}
	g_assert(!error && record.magic == INITCTL_MAGIC);
	if (meaning.action == INITCTL_ACTION_RUNLEVEL)
		g_assert(g_ascii_isdigit(meaning.runlevel[0]) && meaning.runlevel[1] == '\0');
	return 0;
}
