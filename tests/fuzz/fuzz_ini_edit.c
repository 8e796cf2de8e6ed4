/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: one edit in a file of any bytes. svcd's parser accepts the result, in which the key
 * is set once. All other lines are unchanged. The key can be removed again.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "model/ini-source.h"
#include "policy-edit/ini-edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const sections[] = { "service ssh", "runlevel 5", "Service", "fresh" };
static const char *const keys[] = { "Activation", "Activate", "Exec", "When" };

/* "[service  ssh]" is [service ssh]. */
static bool is_section(const char *name, const char *section)
{
	g_auto(GStrv) tokens = g_strsplit_set(name, " \t\f", -1);
	g_autoptr(GString) joined = g_string_new(NULL);

	for (char **token = tokens; *token; token++) {
		if (**token)
			g_string_append_printf(joined, joined->len > 0 ? " %s" : "%s", *token);
	}
	return strcmp(joined->str, section) == 0;
}

/* The number of settings of the key; its value must be @value. */
static unsigned count_key(GBytes *text, const char *section, const char *key, const char *value)
{
	gsize length;
	const char *bytes = g_bytes_get_data(text, &length);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Arena) arena = arena_new();
	const IniFile *ini = ini_file_read(arena, "x", bytes, length, NULL, diags);
	unsigned n = 0;

	g_assert(!ini->broken);
	for (const IniEntry *entry = ini->entries; entry; entry = entry->next) {
		if (!is_section(entry->section->name, section) || strcmp(entry->key, key) != 0)
			continue;
		g_assert(value && strcmp(ini_entry_join(arena, entry), value) == 0);
		n++;
	}
	return n;
}

static guint count_comments(GBytes *text)
{
	gsize length;
	const char *bytes = g_bytes_get_data(text, &length);
	guint n = 0;

	for (gsize i = 0; i < length; i++)
		n += bytes[i] == '#' && (i == 0 || bytes[i - 1] == '\n');
	return n;
}

static void edit(GBytes *before, const char *section, const char *key)
{
	g_autoptr(GBytes) text = g_bytes_ref(before);

	if (!ini_edit_set("x", &text, section, key, "a new value", NULL)) {
		g_assert(text == before);
		return;
	}
	g_assert(count_key(text, section, key, "a new value") == 1);
	if (g_bytes_get_size(before) > 0)
		g_assert(count_comments(text) == count_comments(before));
	g_assert(ini_edit_set("x", &text, section, key, NULL, NULL));
	g_assert(count_key(text, section, key, NULL) == 0);
	if (g_bytes_get_size(before) > 0)
		g_assert(count_comments(text) == count_comments(before));
	g_assert(ini_edit_remove_section("x", &text, section, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) before = g_bytes_new(data, size);

	if (size > LIMIT_FILE_BYTES)
		return 0;
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
		edit(before, sections[i], keys[i]);
	return 0;
}
