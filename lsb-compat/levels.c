/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Levels: letters to bits and back.
 */
#include "config.h"

#include "lsb-compat/levels.h"

#include <glib.h>
#include <string.h>

static const char letters[] = "0123456S";

bool lsb_level_parse(const char *token, unsigned *ret_bit)
{
	const char *found = *token && !token[1] ? strchr(letters, g_ascii_toupper(*token)) : NULL;

	if (!found)
		return false;
	*ret_bit = 1u << (found - letters);
	return true;
}

char lsb_level_letter(unsigned number)
{
	return letters[number];
}

char *lsb_levels_format(unsigned levels)
{
	g_autoptr(GString) text = g_string_new(levels & LSB_LEVEL_S ? "S" : NULL);

	for (unsigned i = 0; i < LSB_LEVEL_COUNT - 1; i++) {
		if (levels & 1u << i)
			g_string_append_printf(text, "%s%c", text->len > 0 ? " " : "", letters[i]);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}
