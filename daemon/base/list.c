/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists: the empty lists are in read-only memory, so that g_ptr_array_add() on one crashes at once.
 */
#include "config.h"

#include "base/list.h"

const GPtrArray list_nothing;
const GArray values_nothing;

GPtrArray *list_new(void)
{
	return LIST_NOTHING;
}

void list_add(GPtrArray **list, gpointer item, GDestroyNotify free_item)
{
	if (*list == LIST_NOTHING)
		*list = g_ptr_array_new_with_free_func(free_item);
	g_ptr_array_add(*list, item);
}

void list_empty(GPtrArray *list)
{
	if (list->len > 0)
		g_ptr_array_set_size(list, 0);
}

void list_free(GPtrArray *list)
{
	if (list != LIST_NOTHING)
		g_ptr_array_unref(list);
}

GArray *values_new(void)
{
	return VALUES_NOTHING;
}

void values_add(GArray **values, gconstpointer value, guint size)
{
	if (*values == VALUES_NOTHING)
		*values = g_array_new(FALSE, FALSE, size);
	g_array_append_vals(*values, value, 1);
}

void values_free(GArray *values)
{
	if (values != VALUES_NOTHING)
		g_array_unref(values);
}
