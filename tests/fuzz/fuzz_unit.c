/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as a systemd unit. Each line is accounted for, and svcd reads the result.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "import-unit/import-unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size); /* shorter if it has a NUL */
	const UnitText source = { size % 2 ? "/x/a.service" : "/x/a@.service", text, size };
	const UnitText same = { source.file, text, strlen(text) };
	g_autoptr(Import) import = import_unit(strlen(text) == size ? &source : &same, 1);

	for (guint i = 0; i < import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(import->lines, i);

		g_assert(*line->became || *line->note || line->verdict == IMPORT_SAME);
		g_assert(!strpbrk(line->became, "\n"));
	}
	g_assert((import->service != NULL) == (import->policy != NULL));
	return 0;
}
