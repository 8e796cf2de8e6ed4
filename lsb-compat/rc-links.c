/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rc links: names of the form S20cron and K01cron.
 */
#include "config.h"

#include "lsb-compat/rc-links.h"

#include <string.h>

static LsbLinks *find_or_add(GHashTable *table, const char *name)
{
	LsbLinks *links = g_hash_table_lookup(table, name);

	if (!links) {
		links = g_new0(LsbLinks, 1);
		g_hash_table_insert(table, g_strdup(name), links);
	}
	return links;
}

static bool is_link_name(const char *name)
{
	return (*name == 'S' || *name == 'K') && g_ascii_isdigit(name[1]) &&
	       g_ascii_isdigit(name[2]) && name[3];
}

/* Of several links of one script in one directory, the lowest number counts. */
static void add_link(LsbLinks *links, char type, unsigned level, unsigned char number)
{
	unsigned *levels = type == 'S' ? &links->start : &links->stop;
	unsigned char *numbers = type == 'S' ? links->start_number : links->stop_number;

	if (!(*levels & 1u << level) || number < numbers[level])
		numbers[level] = number;
	*levels |= 1u << level;
}

static void read_directory(const LsbTree *tree, unsigned level, GHashTable *table)
{
	g_autofree char *directory = g_strdup_printf("/etc/rc%c.d", lsb_level_letter(level));
	g_autoptr(GPtrArray) names = lsb_tree_list(tree, directory);

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_autofree char *target = is_link_name(name) ? lsb_tree_read_link(tree, path) :
							       NULL;
		g_autofree char *file = target ? g_path_get_basename(target) : NULL;
		struct stat st;

		if (file && lsb_tree_stat(tree, path, true, &st) && S_ISREG(st.st_mode))
			add_link(find_or_add(table, file), *name, level,
				 (unsigned char)((name[1] - '0') * 10 + name[2] - '0'));
	}
}

GHashTable *lsb_rc_links_read(const LsbTree *tree)
{
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (unsigned level = 0; level < LSB_LEVEL_COUNT; level++)
		read_directory(tree, level, table);
	return table;
}
