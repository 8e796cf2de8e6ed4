/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel command line: quoting as in next_arg() of the kernel's lib/cmdline.c. A missing closing
 * quote is assumed at the end.
 */
#include "config.h"

#include "config/kernel-cmdline.h"

#include <glib.h>
#include <stdbool.h>

char **kernel_cmdline_split(const char *text)
{
	GPtrArray *tokens = g_ptr_array_new();
	const char *p = text;

	while (*p) {
		GString *token = g_string_new(NULL);
		bool in_quotes = false;

		for (; *p && (in_quotes || !g_ascii_isspace(*p)); p++) {
			if (*p == '"')
				in_quotes = !in_quotes;
			else
				g_string_append_c(token, *p);
		}
		if (token->len > 0)
			g_ptr_array_add(tokens, g_string_free(token, FALSE));
		else
			g_string_free(token, TRUE);
		while (g_ascii_isspace(*p))
			p++;
	}
	g_ptr_array_add(tokens, NULL);
	return (char **)g_ptr_array_free(tokens, FALSE);
}
