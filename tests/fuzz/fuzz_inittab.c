/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as /etc/inittab, and the generated services as service files.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "svc-generate/inittab.h"
#include "svc-generate/respawns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_program(const void *data, const char *path)
{
	(void)data;
	return path[1] != 'x';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const RespawnsWorld world = { .has_getty = size % 2, .has_program = has_program };
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GeneratedFiles) output = generated_files_new();
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GPtrArray) entries = inittab_parse("/etc/inittab", text, diags);

	for (guint i = 0; i < entries->len; i++) {
		const InittabEntry *entry = g_ptr_array_index(entries, i);

		g_assert(*entry->id && strlen(entry->id) <= 4 && !strpbrk(entry->process, "\n"));
	}
	respawns_generate(entries, &world, (RespawnsOutput){ output, output }, diags);
	return 0;
}
