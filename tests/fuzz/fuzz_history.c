/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as a step of the policy's history. An accepted step names at least one
 * file, and no file outside of the admin's directories.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "policy-edit/change.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(HistoryStep) step = NULL;

	if (size > LIMIT_HISTORY_STEP_BYTES)
		return 0;
	step = history_parse(size > 0 ? (const char *)data : "", size, &error);
	g_assert((step != NULL) == (error == NULL));
	if (!step)
		return 0;
	g_assert(step->command && step->files->len > 0 &&
		 g_strv_length(step->paths) == step->files->len);
	for (char **path = step->paths; *path; path++)
		g_assert(!strstr(*path, "/.") && (g_str_has_prefix(*path, SVCD_SYSCONFDIR "/") ||
						  g_str_has_prefix(*path, "/run/svcd/")));
	return 0;
}
