/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any bytes as insserv.conf, twice. Each facility expands only to its tokens, and each
 * token leads back to the facility.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "lsb-compat/facilities.h"
#include "lsb-compat/lsb-tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_facility(const LsbFacilities *facilities, const char *name)
{
	g_autoptr(GPtrArray) tokens = lsb_facilities_expand(facilities, name);

	g_assert(lsb_facilities_has(facilities, name) || tokens->len == 0);
	for (guint i = 0; i < tokens->len && i < 8; i++) {
		const char *token = g_ptr_array_index(tokens, i);
		g_autoptr(GPtrArray) back = lsb_facilities_of(facilities, token);

		g_assert(*token != '$' && *token != '+');
		g_assert(g_ptr_array_find_with_equal_func(back, name, g_str_equal, NULL));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(LsbFacilities) facilities = lsb_facilities_new();
	g_autoptr(DiagList) diags = diag_list_new();
	const char *rest = (const char *)data;
	gsize length = size;
	char *line;

	if (size > LIMIT_FILE_BYTES)
		return 0;
	for (unsigned i = 0; i < 2; i++)
		lsb_facilities_parse(facilities, "/etc/insserv.conf", (const char *)data, size,
				     diags);
	lsb_facilities_check(facilities, diags);
	for (unsigned n = 0; n < 16 && (line = lsb_next_line(&rest, &length)) != NULL; n++) {
		g_autoptr(GPtrArray) tokens = lsb_split_tokens(line);

		if (tokens->len > 0)
			check_facility(facilities, g_ptr_array_index(tokens, 0));
		g_free(line);
	}
	return 0;
}
