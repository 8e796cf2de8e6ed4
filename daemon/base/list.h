/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists that are empty for most services. All empty lists are one read-only object, which costs
 * nothing. Lists are read like any GPtrArray or GArray. Only the functions below may add to them.
 */
#ifndef SVCD_BASE_LIST_H
#define SVCD_BASE_LIST_H

#include <glib.h>

/* The empty list, for initialisers; list_new() and values_new() return the same. */
extern const GPtrArray list_nothing;
extern const GArray values_nothing;
#define LIST_NOTHING ((GPtrArray *)&list_nothing)
#define VALUES_NOTHING ((GArray *)&values_nothing)

/* Returns: the empty list. list_add() replaces it by a new list. list_free() accepts both. */
GPtrArray *list_new(void);

/**
 * list_add() - append @item to *@list
 * @free_item: the same for all items of the list; NULL if the items are borrowed
 */
void list_add(GPtrArray **list, gpointer item, GDestroyNotify free_item);

void list_empty(GPtrArray *list);
void list_free(GPtrArray *list);

/* Like the functions above, for values of @size bytes each. */
GArray *values_new(void);
void values_add(GArray **values, gconstpointer value, guint size);
void values_free(GArray *values);

#endif
